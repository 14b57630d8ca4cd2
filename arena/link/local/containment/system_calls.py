"""The system calls that contained programs have, with their numbers on the families of processors."""

from __future__ import annotations

Numbers = tuple[int | None, int | None]
"""A call's numbers on x86_64 and aarch64; None where it does not exist."""

ALLOWED: dict[str, Numbers] = {
    # files
    "read": (0, 63), "write": (1, 64), "open": (2, None), "openat": (257, 56), "openat2": (437, 437),
    "creat": (85, None), "close": (3, 57), "close_range": (436, 436), "stat": (4, None), "fstat": (5, 80),
    "lstat": (6, None), "newfstatat": (262, 79), "statx": (332, 291), "statfs": (137, 43),
    "fstatfs": (138, 44), "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439),
    "lseek": (8, 62), "pread64": (17, 67), "pwrite64": (18, 68), "readv": (19, 65), "writev": (20, 66),
    "preadv": (295, 69), "pwritev": (296, 70), "preadv2": (327, 286), "pwritev2": (328, 287),
    "copy_file_range": (326, 285), "truncate": (76, 45), "ftruncate": (77, 46), "fallocate": (285, 47),
    "fadvise64": (221, 223), "readahead": (187, 213), "fsync": (74, 82), "fdatasync": (75, 83),
    "sync_file_range": (277, 84), "getdents": (78, None), "getdents64": (217, 61), "getcwd": (79, 17),
    "chdir": (80, 49), "fchdir": (81, 50), "umask": (95, 166), "mkdir": (83, None), "mkdirat": (258, 34),
    "rmdir": (84, None), "unlink": (87, None), "unlinkat": (263, 35), "rename": (82, None),
    "renameat": (264, 38), "renameat2": (316, 276), "link": (86, None), "linkat": (265, 37),
    "symlink": (88, None), "symlinkat": (266, 36), "readlink": (89, None), "readlinkat": (267, 78),
    "getxattr": (191, 8), "lgetxattr": (192, 9), "fgetxattr": (193, 10), "getxattrat": (464, 464),
    "listxattr": (194, 11), "llistxattr": (195, 12), "flistxattr": (196, 13), "listxattrat": (465, 465),
    "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "fcntl": (72, 25), "flock": (73, 32),
    "ioctl": (16, 29), "inotify_init": (253, None), "inotify_init1": (294, 26),
    "inotify_rm_watch": (255, 28),
    # waiting, pipes and sockets
    "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72),
    "epoll_create": (213, None), "epoll_create1": (291, 20), "epoll_ctl": (233, 21),
    "epoll_wait": (232, None), "epoll_pwait": (281, 22), "epoll_pwait2": (441, 441), "eventfd": (284, None),
    "eventfd2": (290, 19), "signalfd": (282, None), "signalfd4": (289, 74), "timerfd_create": (283, 85),
    "timerfd_settime": (286, 86), "timerfd_gettime": (287, 87), "pipe": (22, None), "pipe2": (293, 59),
    "socket": (41, 198), "socketpair": (53, 199), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242), "connect": (42, 203), "getsockname": (51, 204),
    "getpeername": (52, 205), "getsockopt": (55, 209), "setsockopt": (54, 208), "shutdown": (48, 210),
    "sendto": (44, 206), "recvfrom": (45, 207), "sendmsg": (46, 211), "recvmsg": (47, 212),
    "sendmmsg": (307, 269), "recvmmsg": (299, 243),
    # memory
    "mmap": (9, 222), "munmap": (11, 215), "mprotect": (10, 226), "mremap": (25, 216), "msync": (26, 227),
    "mincore": (27, 232), "madvise": (28, 233), "brk": (12, 214), "mlock": (149, 228), "mlock2": (325, 284),
    "mlockall": (151, 230), "munlock": (150, 229), "munlockall": (152, 231), "mseal": (462, 462),
    "pkey_alloc": (330, 289), "pkey_free": (331, 290), "pkey_mprotect": (329, 288),
    "get_mempolicy": (239, 236), "membarrier": (324, 283),
    # threads and processes
    "clone": (56, 220), "fork": (57, None), "vfork": (58, None), "execve": (59, 221),
    "execveat": (322, 281), "exit": (60, 93), "exit_group": (231, 94), "wait4": (61, 260),
    "waitid": (247, 95), "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131),
    "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424), "futex": (202, 98), "futex_wait": (455, 455),
    "futex_wake": (454, 454), "futex_waitv": (449, 449), "futex_requeue": (456, 456),
    "set_tid_address": (218, 96), "set_robust_list": (273, 99), "rseq": (334, 293),
    "arch_prctl": (158, None), "prctl": (157, 167), "getpid": (39, 172), "getppid": (110, 173),
    "gettid": (186, 178), "getpgid": (121, 155), "getpgrp": (111, None),
    "getsid": (124, 156), "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176),
    "getegid": (108, 177), "getresuid": (118, 148), "getresgid": (120, 150), "getgroups": (115, 158),
    "setuid": (105, 146), "setgid": (106, 144), "setreuid": (113, 145), "setregid": (114, 143),
    "setresuid": (117, 147), "setresgid": (119, 149), "setfsuid": (122, 151), "setfsgid": (123, 152),
    "setgroups": (116, 159), "capget": (125, 90), "getrlimit": (97, 163), "setrlimit": (160, 164),
    "prlimit64": (302, 261), "getrusage": (98, 165), "getpriority": (140, 141), "setpriority": (141, 140),
    "sched_yield": (24, 124), "sched_getaffinity": (204, 123), "sched_setaffinity": (203, 122),
    "sched_getattr": (315, 275), "sched_getparam": (143, 121), "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125), "sched_get_priority_min": (147, 126),
    "sched_rr_get_interval": (148, 127), "getcpu": (309, 168),
    # signals, time and the machine
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "rt_sigsuspend": (130, 133), "rt_sigtimedwait": (128, 137), "sigaltstack": (131, 132),
    "restart_syscall": (219, 128), "pause": (34, None), "alarm": (37, None), "getitimer": (36, 102),
    "setitimer": (38, 103), "timer_create": (222, 107), "timer_delete": (226, 111),
    "timer_getoverrun": (225, 109), "timer_gettime": (224, 108), "timer_settime": (223, 110),
    "nanosleep": (35, 101), "clock_nanosleep": (230, 115), "clock_gettime": (228, 113),
    "clock_getres": (229, 114), "gettimeofday": (96, 169), "time": (201, None), "times": (100, 153),
    "uname": (63, 160), "sysinfo": (99, 179), "getrandom": (318, 278),
}  # fmt: skip
"""The calls that CPython, Node, the JVM, Go, Ruby, PHP, Lua, SBCL and native programs were seen to need, and
their siblings. None of them makes an object of the system that nobody counts."""

OF_BUILDS: dict[str, Numbers] = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "lchown": (94, None), "fchown": (93, 55), "fchownat": (260, 54),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
    "setsid": (112, 157), "setpgid": (109, 154),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "setxattrat": (463, 463), "removexattrat": (466, 466), "mknod": (133, None), "mknodat": (259, 33),
}  # fmt: skip
"""Calls that builds need, but no bot: they change the attributes of this account's files, which Landlock does
not see, make pipes with names, whose content nobody counts, or make a new session, to which the scheduler
gives as much time as to any other. `setpgid` would take a process out of the group that is ended."""

INVALID: dict[str, Numbers] = {
    "sendfile": (40, 71), "splice": (275, 76), "tee": (276, 77),
}  # fmt: skip
"""Calls that keep pages of files in pipes and sockets, where nobody counts them, even of deleted files. They
seem to be impossible with the files at hand, so that libraries copy."""

UNKNOWN: dict[str, Numbers] = {
    "clone3": (435, 435), "memfd_create": (319, 279), "memfd_secret": (447, 447),
}  # fmt: skip
"""Calls that seem not to exist, so that libraries use others."""
