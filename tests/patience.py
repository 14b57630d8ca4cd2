"""How long tests wait for what should come."""

from __future__ import annotations

PATIENCE = 300.0
"""A deadline, in seconds, for what never comes, on a machine however busy."""
