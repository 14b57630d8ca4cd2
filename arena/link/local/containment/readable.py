"""The files and variables that a program needs to run: the system, its toolchain, its own folder, and
its part of the environment."""

from __future__ import annotations

import filecmp
import os
import shutil
import site
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

# The system's files that a program may need. Of /etc only files without secrets.
_ETC = (
    "alternatives", "ca-certificates", "ca-certificates.conf", "crypto-policies", "fonts", "gai.conf",
    "group", "host.conf", "hosts", "java", "java-11-openjdk", "java-17-openjdk", "java-21-openjdk",
    "java-25-openjdk", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "localtime",
    "maven", "mime.types", "mono/config", "nodejs", "nsswitch.conf", "os-release", "passwd", "pip.conf",
    "pki", "protocols", "R/Makeconf", "R/Renviron", "R/ldpaths", "R/repositories", "resolv.conf",
    "services", "ssl", "timezone",
)  # fmt: skip
_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt",
    "/nix/store", "/run/current-system", "/run/systemd/resolve",
    "/proc", "/sys", "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
    *(f"/etc/{name}" for name in _ETC),
)  # fmt: skip

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
"""Devices that every program may write to: they store nothing."""

# The folders of toolchains in a user's home: their files came from the toolchains' makers.
_TOOLCHAINS = (
    ".rustup", ".pyenv/versions", ".nvm/versions", ".fnm", ".volta/tools", ".sdkman/candidates",
    ".deno", ".bun", ".dotnet", ".asdf/installs", ".local/share/mise/installs",
    ".local/share/uv/python", ".juliaup", ".julia/juliaup", ".ghcup", ".rbenv/versions", ".swiftly",
    "go/bin", ".cargo/bin", ".local/bin", "sdk",
)  # fmt: skip

_LOOKED_FOR = {"RUSTUP_HOME": ".rustup", "PYENV_ROOT": ".pyenv", "VOLTA_HOME": ".volta"}

# Folders in a home that hold programs, but also secrets or other people's work.
_MIXED = (".cargo", ".local", "go", ".config", "")

_BIN = ("bin", "sbin", "shims", "Scripts")

# The variables of the host that a bot gets, by name and by a name's beginning: what leads to its language and
# its toolchain, what says how people here write, and what limits the use of this machine. Others may hold
# secrets, or are settings of the host's own programs (PYTHONSAFEPATH, JAVA_TOOL_OPTIONS, GRPC_TRACE). A bot
# says in its command what it needs.
_TOLD = frozenset((
    "PATH", "LANG", "LANGUAGE", "TZ", "TERM", "COLUMNS", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "NODE_PATH",
    "JAVA_HOME", "JDK_HOME", "GOROOT", "DOTNET_ROOT", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN",
    "RUSTUP_AUTO_INSTALL", "PYENV_VERSION", "NIX_LD", "NIX_LD_LIBRARY_PATH",
    "PYTHONUNBUFFERED",  # the arena sets it
    "ARENA_TOKEN",  # a bot's own, with which it dials in; the referee's is left out before
))  # fmt: skip
_TOLD_FAMILIES = ("LC_", "ARENA_", "OMP_", "MALLOC_")
_OWN = ("ARENA_TLS_", "ARENA_URL")  # of the family ARENA_, but the host's own

# The further variables of a program that may use the network.
_NETWORK_FAMILIES = ("SSL_CERT_", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")

# The further variables that a build gets: how to reach its toolchain's registries.
_BUILD_FAMILIES = (
    "GO", "CGO_", "CARGO_", "PIP_", "UV_", "NPM_CONFIG_", "MAVEN_", "CMAKE_", "GIT_SSL_", "CC", "CXX",
    "CFLAGS", "CXXFLAGS", "LDFLAGS", "PKG_CONFIG",
)  # fmt: skip
_SECRETS = ("TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTH", "_KEY")


def readable(words: Sequence[str], folder: Path) -> tuple[str, ...]:
    """The files that a command needs: the system, the toolchain of each of its words, Python's, its folder.

    Only a word without a path adds anything: a program on the host's own search path. A path in the
    command is the bot's own choice, and may lead anywhere.

    Args:
        words: the command.
        folder: where it runs.
    """
    paths = [*_SYSTEM, str(folder), *_python(), *_homes(), *_search_path(), *_protocol_of(folder)]
    for word in words:
        if os.sep not in word and (program := shutil.which(word, path=_path())):
            paths += _around(Path(program))
    return tuple(dict.fromkeys(path for path in paths if os.path.exists(path)))


def package_folder() -> Path:
    """The folder of the package `arena`."""
    return Path(__file__).resolve().parents[3]


def proto_folder() -> Path:
    """The folder of the .proto files, in `arena/v1/`, and the shared vectors, in `vectors/`.

    It is in the installed package, or beside it in the source tree.
    """
    installed = package_folder() / "kits" / "proto"
    return installed if installed.is_dir() else package_folder().parent / "proto"


def package_is_apart() -> bool:
    """Whether `arena` lies outside Python's folder of packages, as in an editable install."""
    places = [*site.getsitepackages(), sys.prefix]
    return not any(package_folder().is_relative_to(place) for place in places)


def told(variables: Mapping[str, str], network: bool, building: bool = False) -> dict[str, str]:
    """The variables that a bot gets, or its build, and those that name toolchains in the home.

    Args:
        variables: the variables of the host, and those that the arena sets.
        network: whether the program may use the network, and so learns of the host's proxies.
        building: whether it is a build.
    """
    homes = {name: str(Path.home() / folder) for name, folder in _LOOKED_FOR.items()}
    found = {name: folder for name, folder in homes.items() if os.path.isdir(folder)}
    return found | {name: value for name, value in variables.items() if _is_told(name, network, building)}


def _is_told(name: str, network: bool, building: bool) -> bool:
    upper = name.upper()
    if upper in _TOLD:
        return True
    if any(secret in upper for secret in _SECRETS):
        return False
    if upper.startswith(_TOLD_FAMILIES):
        return not upper.startswith(_OWN)
    if network and (upper.startswith(_NETWORK_FAMILIES) or upper.endswith("_PROXY")):
        return True
    return building and upper.startswith(_BUILD_FAMILIES)


def _path() -> str:
    return os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))


def _search_path() -> list[str]:
    """The folders of the search path that hold only programs."""
    return [folder for folder in _path().split(os.pathsep) if Path(folder).name in _BIN]


def _python() -> Iterator[str]:
    """The folders of this Python, its packages, the package `arena`, and the protocol's files."""
    yield from (sys.prefix, sys.base_prefix, str(package_folder()), str(proto_folder()))
    yield from _around(Path(sys.executable))
    yield from (path for path in sys.path if Path(path).name in ("site-packages", "dist-packages"))


def _protocol_of(folder: Path) -> Iterator[str]:
    """The target of a bot's `proto`, if it is a link to the protocol's files, which every bot may read.

    An example in a clone of the arena has such a link, and the arena may be installed elsewhere.
    """
    link = folder / "proto"
    if link.is_symlink() and _same_files(proto_folder(), Path(os.path.realpath(link))):
        yield os.path.realpath(link)


def _same_files(one: Path, other: Path) -> bool:
    """Whether two folders hold the same files and nothing else; reads only files of the same names."""
    inside = {path.relative_to(one) for path in one.rglob("*")}
    try:
        for path in other.rglob("*"):
            if path.relative_to(other) not in inside or path.is_symlink():
                return False
        return all((one / name).is_dir() or filecmp.cmp(one / name, other / name, False) for name in inside)
    except OSError:  # no such folder, or a file is missing or unreadable
        return False


def _homes() -> Iterator[str]:
    home = Path.home()
    yield from (str(home / name) for name in _TOOLCHAINS)
    yield from (
        value for name, value in os.environ.items() if name.endswith(("_HOME", "ROOT")) and name in _TOLD
    )


def _around(program: Path) -> Iterable[str]:
    """A program and the files that were installed with it, and the same for each link on its path."""
    home = Path.home()
    mixed = {home / name for name in _MIXED} | set(home.parents)
    for _ in range(40):  # as many links as the kernel follows
        prefix = program.parent.parent
        yield str(program)
        if program.parent.name in _BIN and prefix not in mixed:
            yield str(prefix)
        if not program.is_symlink():
            return
        program = program.parent / program.readlink()
        program = Path(os.path.normpath(program))
