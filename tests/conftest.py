"""Settings for all tests."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

# How fast a machine is at the moment is not a property under test.
settings.register_profile("arena", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("arena")

# A shell lets what it runs in the background ignore Ctrl-C, and whatever that starts inherits it.
signal.signal(signal.SIGINT, signal.default_int_handler)
