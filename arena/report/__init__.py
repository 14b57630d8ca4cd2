"""What people read: text tables, game logs and JSON."""
