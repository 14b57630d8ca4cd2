"""Settings for all tests."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

from arena.link import use_grpc_settings

use_grpc_settings()  # what the tests dial in this process is dialled as the command does it

# How fast a machine is at the moment is not a property under test.
settings.register_profile("arena", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("arena")

# A shell lets what it runs in the background ignore Ctrl-C, nohup a closed terminal,
# and whatever they start inherits it.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
