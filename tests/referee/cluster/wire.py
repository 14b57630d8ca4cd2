"""Separate machines for tests: network namespaces, joined by a link that is slow and loses packets.

The wire is made of TUN devices, one in each namespace, and a thread that carries packets from one to the
other: so what is slow or lost is what the kernel sent, and programs in the namespaces see a real network.
"""

from __future__ import annotations

import contextlib
import fcntl
import heapq
import itertools
import os
import random
import select
import shutil
import struct
import subprocess
import threading
import time
from typing import NamedTuple

_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
_NETWORK = "10.79.0."
_LONGEST = 65536  # bytes of a packet


class Place:
    """A network namespace with an address.

    Attributes:
        address: its IP address.
        inside: what stands before a command that is to run there.
    """

    def __init__(self, number: int) -> None:
        self.address = f"{_NETWORK}{number}"
        self._holder = subprocess.Popen(  # which ends when this process does, in whatever way
            ["unshare", "--net", "sh", "-c", "ip link set lo up && echo && exec cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._holder.stdout is not None
        if not self._holder.stdout.readline():
            self.close()
            raise PermissionError("no network namespace can be made")
        self.inside = ["nsenter", f"--net=/proc/{self._holder.pid}/ns/net"]
        self.device = -1
        try:
            self.device, self._name = _device(number)
            _run("ip", "link", "set", self._name, "netns", str(self._holder.pid))
            _run(*self.inside, "ip", "address", "add", f"{self.address}/24", "dev", self._name)
            self.up()
        except BaseException:
            self.close()
            raise

    def up(self) -> None:
        """Lets it reach the others, and be reached."""
        _run(*self.inside, "ip", "link", "set", self._name, "up")

    def down(self) -> None:
        """Cuts it off."""
        _run(*self.inside, "ip", "link", "set", self._name, "down")

    def close(self) -> None:
        """Ends it; what runs there is to be ended before."""
        if self.device >= 0:
            os.close(self.device)
        self._holder.kill()
        self._holder.communicate()


class _Packet(NamedTuple):
    due: float
    number: int
    device: int
    data: bytes


class Wire:
    """What joins places. To be used as a context.

    Args:
        delay: how long a packet is on its way, in seconds.
        jitter: by how much more or less, at the most, so that packets overtake others.
        loss: which share of the packets is lost.

    Attributes:
        carried, lost: how many packets.

    Raises OSError if this system does not let it be made, from `place`.
    """

    def __init__(self, delay: float, jitter: float, loss: float) -> None:
        self.carried = self.lost = 0
        self._delay, self._jitter, self._loss = delay, jitter, loss
        self._rng = random.Random(1)
        self._places: dict[int, Place] = {}  # by the last byte of their addresses
        self._under_way: list[_Packet] = []
        self._numbers = itertools.count()
        self._wake, self._waker = os.pipe()
        self._over = False
        self._thread = threading.Thread(target=self._carry)

    def place(self) -> Place:
        """Another place."""
        number = len(self._places) + 1
        place = self._places[number] = Place(number)
        os.write(self._waker, b"x")
        return place

    def __enter__(self) -> Wire:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        os.write(self._waker, b"x")
        self._thread.join()
        os.close(self._wake)
        os.close(self._waker)
        for place in self._places.values():
            place.close()

    def _carry(self) -> None:
        while not self._over:
            places = list(self._places.values())
            left = max(0.0, self._under_way[0].due - time.monotonic()) if self._under_way else None
            readable, _, _ = select.select([self._wake, *(place.device for place in places)], [], [], left)
            for device in readable:
                if device == self._wake:
                    os.read(self._wake, 1)
                else:
                    self._take(device)
            while self._under_way and self._under_way[0].due <= time.monotonic():
                packet = heapq.heappop(self._under_way)
                with contextlib.suppress(OSError):  # that place is cut off
                    os.write(packet.device, packet.data)

    def _take(self, device: int) -> None:
        try:
            data = os.read(device, _LONGEST)
        except OSError:  # it was cut off just now
            return
        there = self._places.get(data[19])
        if data[0] >> 4 != 4 or there is None:
            return
        if self._rng.random() < self._loss:
            self.lost += 1
            return
        self.carried += 1
        due = time.monotonic() + self._delay + self._rng.uniform(-self._jitter, self._jitter)
        heapq.heappush(self._under_way, _Packet(due, next(self._numbers), there.device, data))


def missing() -> str:
    """What this system lacks for it; empty if nothing is missing."""
    for program in ("unshare", "nsenter", "ip"):
        if shutil.which(program) is None:
            return f"the program {program} is missing"
    try:
        with Wire(0, 0, 0) as wire:
            wire.place()
    except (OSError, subprocess.CalledProcessError) as problem:
        return f"no network of its own can be made here ({problem})"
    return ""


def _device(number: int) -> tuple[int, str]:
    """A TUN device: what packets are read from and written to, and its name."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    wanted = struct.pack("16sH22x", f"arena{number}-%d".encode(), _IFF_TUN | _IFF_NO_PI)
    try:
        given = fcntl.ioctl(device, _TUNSETIFF, wanted)
    except OSError:
        os.close(device)
        raise
    return device, given[:16].rstrip(b"\0").decode()


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
