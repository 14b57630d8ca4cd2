"""The errors that users can remedy. Importing this loads every module that has errors of its own."""

from __future__ import annotations

from arena.kits import KitError
from arena.link.local.build import BuildError
from arena.link.local.sandbox import SandboxMissing
from arena.link.tls.identity import WrongIdentity
from arena.runner.leagues.interchange import WrongExport
from arena.runner.night.host_requests import Refused
from arena.runner.night.settings import CannotRun
from arena.store import StoreError
from arena.strict_toml import WrongFile
from arena.table.record import BrokenRecord
from arena.tournament.plan import UnknownPlan

USER_ERRORS = (
    WrongFile,
    StoreError,
    CannotRun,
    SandboxMissing,
    BrokenRecord,
    UnknownPlan,
    BuildError,
    KitError,
    WrongExport,
    Refused,
    WrongIdentity,
)
"""The text of each is one sentence."""
