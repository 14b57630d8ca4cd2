"""Reports for people and programs: text tables, game logs, JSON and CSV."""
