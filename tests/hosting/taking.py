"""A program that reserves so many bytes of memory, and touches none of them: `python -m ... BYTES`."""

import mmap
import sys


def main() -> None:
    """Reserves the memory."""
    try:
        mmap.mmap(-1, int(sys.argv[1]), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError as error:
        raise MemoryError from error


if __name__ == "__main__":
    main()
