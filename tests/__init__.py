"""The tests of the arena."""

from arena.link import use_library_settings

use_library_settings()  # before gRPC is loaded: the tests dial in this process as the command does
