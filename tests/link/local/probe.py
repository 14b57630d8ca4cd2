"""A bot that tries all that bots must not do, and prints its successes as one line of JSON."""

import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import sys

SECRET, VICTIM, OUTSIDE = sys.argv[1], int(sys.argv[2]), sys.argv[3]
LIBC = ctypes.CDLL(None, use_errno=True)
KEPT: list[object] = []
NOBODY = 1_599_999_999  # the number of a user that no system has


def reads(path):
    with open(path, "rb") as file:
        return bool(file.read(1))


def succeeds(number, *arguments):
    if LIBC.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return True


def address(data):
    """The address of bytes, for a system call."""
    kept = ctypes.create_string_buffer(data)
    KEPT.append(kept)
    return ctypes.addressof(kept)


def done(action, *arguments):
    """Whether the system let it be done: else it raises."""
    action(*arguments)
    return True


def slows_a_user():
    """Whether the system takes the call. The user has no processes: root would slow down all of them."""
    try:
        return done(os.setpriority, os.PRIO_USER, NOBODY, 19)
    except ProcessLookupError:
        return True


def stops(descriptor):
    signal.pidfd_send_signal(descriptor, signal.SIGSTOP)
    return True


def descriptors(process):
    return any(reads(f"/proc/{process}/fd/{name}") for name in os.listdir(f"/proc/{process}/fd"))


def in_a_child(call, *arguments):
    child = os.fork()
    if not child:
        try:
            call(*arguments)
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as socket_:
        return socket_.sendto(b"x", ("127.0.0.1", 9)) == 1


def tcp(action):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as socket_:
        getattr(socket_, action)(("127.0.0.1", 0 if action == "bind" else int(sys.argv[4])))
        return True


def dials(path):
    with socket.socket(socket.AF_UNIX) as socket_:
        socket_.connect(path)
        return True


def takes(how, *arguments):
    """Whether a call takes what it is given for a file that everybody may read, such as a lock."""
    with open("/usr/bin/env", "rb") as file:
        how(file, *arguments)
    return True


def record(command):
    """A record lock for reading, of the whole file, by a command of fcntl."""
    return lambda: takes(fcntl.fcntl, command, struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0))


def watches(path):
    queue = LIBC.inotify_init()
    if LIBC.inotify_add_watch(queue, path.encode(), 0xFFF) < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return True


def own_file():
    """A file in its folder, which it may only read."""
    return os.open("probe.py", os.O_RDONLY)


def hears(protocol):
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol) as socket_:
        return done(socket_.bind, (0, 0))


def pipe():
    return fcntl.fcntl(os.pipe()[0], 1031, 1 << 20) >= 1 << 20


def memory_in_a_pipe():
    return succeeds(278, os.pipe()[1], address(struct.pack("PN", address(b"x"), 1)), 1, 0)


def splices():
    return os.splice(own_file(), os.pipe()[1], 1) == 1


def sends_a_file():
    one, other = socket.socketpair()
    KEPT.append(other)
    return os.sendfile(one.fileno(), own_file(), 0, 1) == 1


def tees():
    (read, write), (_, second) = os.pipe(), os.pipe()
    os.write(write, b"x")
    return LIBC.tee(read, second, ctypes.c_size_t(1), 0) == 1


def filters():
    """A filter of its own, which allows all."""
    child = os.fork()
    if not child:
        program = struct.pack("HxxxxxxP", 1, address(struct.pack("HBBI", 6, 0, 0, 0x7FFF0000)))
        LIBC.prctl(38, 1, 0, 0, 0)
        os._exit(LIBC.prctl(22, 2, ctypes.c_void_p(address(program)), 0, 0) != 0)
    return os.waitpid(child, 0)[1] == 0


def socket_filter():
    one, _ = socket.socketpair()
    program = struct.pack("HxxxxxxP", 1, address(struct.pack("HBBI", 6, 0, 0, 0xFFFF)))
    return done(one.setsockopt, socket.SOL_SOCKET, 26, program)


def thread_apart():
    """Starts a thread whose open files are its own; where that succeeds, it ends the child at once."""
    child = os.fork()
    if not child:
        begun = LIBC.syscall(56, 0x10900, ctypes.c_void_p(address(bytes(1 << 16)) + (1 << 15)), 0, 0, 0)
        os._exit(1 if begun < 0 else 0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 1


def queue():
    number = ctypes.c_long(0)
    return succeeds(206, 64, ctypes.addressof(number))


def named_pipe():
    return done(os.mkfifo, os.path.join(os.environ["HOME"], "named"))


def passes():
    one, _ = socket.socketpair()
    return done(socket.send_fds, one, [b"x"], [own_file()])


def buffer():
    one, _ = socket.socketpair()
    before = one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * before)
    return one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) > before


def writes(path):
    with open(path, "ab") as file:
        return file.write(b"x") == 1


TRIES = {
    "read the secret file": lambda: reads(SECRET),
    "read the secret through another's descriptors": lambda: descriptors(VICTIM),
    "read another's memory": lambda: reads(f"/proc/{VICTIM}/mem"),
    "read another's map": lambda: reads(f"/proc/{VICTIM}/maps"),
    "read another's environment": lambda: reads(f"/proc/{VICTIM}/environ"),
    "trace another": lambda: succeeds(101, 16, VICTIM, 0, 0),
    "take another's descriptor": lambda: succeeds(438, os.pidfd_open(VICTIM), 0, 0),
    "stop another": lambda: done(os.kill, VICTIM, signal.SIGSTOP),
    "stop another by its pidfd": lambda: stops(os.pidfd_open(VICTIM)),
    "slow another down": lambda: done(os.setpriority, os.PRIO_PROCESS, VICTIM, 19),
    "slow down a user": slows_a_user,
    "confine another": lambda: done(os.sched_setaffinity, VICTIM, {0}),
    "limit another": lambda: bool(resource.prlimit(VICTIM, resource.RLIMIT_CPU, (1, 1))),
    "write outside": lambda: writes(os.path.join(OUTSIDE, "planted")),
    "write over the secret file": lambda: writes(SECRET),
    "shorten the secret file": lambda: done(os.truncate, SECRET, 0),
    "remove the secret file": lambda: done(os.unlink, SECRET),
    "change the secret file's mode": lambda: done(os.chmod, SECRET, 0),
    "list outside": lambda: os.listdir(OUTSIDE) is not None,
    "write in its own folder": lambda: writes("planted"),
    "write in /tmp": lambda: writes("/tmp/arena-planted"),
    "write in /dev/shm": lambda: writes("/dev/shm/arena-planted"),
    "listen at TCP": lambda: tcp("bind"),
    "dial TCP": lambda: tcp("connect"),
    "send UDP": udp,
    "dial a service of this machine": lambda: dials(os.path.join(OUTSIDE, "night.league-control")),
    "dial an abstract socket": lambda: dials(f"\0arena-probe-{sys.argv[6]}"),
    "make a session of its own": lambda: in_a_child(os.setsid),
    "leave its process group": lambda: in_a_child(os.setpgid, 0, 0),
    "make a user namespace": lambda: succeeds(272, 0x10000000),
    "use io_uring": lambda: succeeds(425, 1, 0),
    "lock a file": lambda: takes(fcntl.flock, fcntl.LOCK_SH | fcntl.LOCK_NB),
    "lock a record": record(fcntl.F_SETLK),
    "lock a record of an open file": record(37),
    "lease a file": lambda: fcntl.fcntl(own_file(), 1024, fcntl.F_RDLCK) == 0,
    "watch a folder": lambda: fcntl.fcntl(os.open("/usr/lib", os.O_RDONLY), 1026, 1) == 0,
    "watch a file": lambda: watches("/usr/bin/env"),
    "watch outside": lambda: watches(OUTSIDE),
    "note something down on a file": lambda: done(os.setxattr, own_file(), "user.note", b"x"),
    "change a file's flags": lambda: done(fcntl.ioctl, own_file(), 0x40086602, struct.pack("Q", 0x80)),
    "hear messages of other programs": lambda: hears(2),
    "ask for the sockets of this machine": lambda: hears(4),
    "ask for its addresses": lambda: hears(0),
    "hold a tree of files": lambda: succeeds(467, -100, address(b"/usr"), 0, 0, 0),
    "change a file's flags by a later call": lambda: succeeds(
        469, -100, address(b"probe.py"), address(struct.pack("QIIII", 0x40, 0, 0, 0, 0)), 24, 0
    ),
    "enlarge a pipe": pipe,
    "enlarge a socket": buffer,
    "keep memory in a pipe": memory_in_a_pipe,
    "pass an open file": passes,
    "keep a page of a file in a pipe": splices,
    "keep a page of a file in a socket": sends_a_file,
    "keep a page of a pipe in another": tees,
    "filter its own system calls": filters,
    "filter a socket": socket_filter,
    "make a queue of files to read": queue,
    "make a named pipe": named_pipe,
    "make a set of rules": lambda: succeeds(444, address(struct.pack("Q", 1)), 8, 0),
    "start a thread with open files of its own": thread_apart,
    "give a thread open files of its own": lambda: succeeds(436, 900, 900, 2),
    "make a key": lambda: succeeds(248, address(b"user\0"), address(b"probe\0"), address(b"x"), 1, -2),
    "make a rule for its memory": lambda: succeeds(238, 0, 0, 0),
    "change what its programs are": lambda: succeeds(135, 0x0040000),
    "hide from its supervisor": lambda: LIBC.prctl(4, 0, 0, 0, 0) == 0,
    "share memory with others": lambda: succeeds(29, 0, 4096, 0o1666),
    "become root": lambda: done(os.setuid, 0) and os.geteuid() == 0,
    "read /etc/shadow": lambda: reads("/etc/shadow"),
    "read the home of its user": lambda: os.listdir(sys.argv[5]) is not None,
    "see a secret in its environment": lambda: any("probe-secret" in value for value in os.environ.values()),
}


def outcome(action):
    try:
        return bool(action())
    except OSError:
        return False


could = [name for name, action in TRIES.items() if outcome(action)]
sys.stdout.write(json.dumps(could) + "\n")
sys.stdout.flush()
if sys.argv[7] != "none" and not outcome(lambda: done(os.kill, os.getppid(), signal.SIGSTOP)):
    sys.stdout.write("its supervisor could not be stopped\n")
