"""The processes of the arena: how they are started, tuned, watched and ended, and workers that do jobs."""
