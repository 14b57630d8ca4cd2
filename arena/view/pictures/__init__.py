"""Pictures of tables, as plain data that a browser draws: of replays and of running games."""
