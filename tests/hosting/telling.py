"""A process that tells the host three lines."""

import os
import sys

os.write(int(sys.argv[sys.argv.index("--tell") + 1]), b"one\ntwo\nth")
os.write(int(sys.argv[sys.argv.index("--tell") + 1]), b"ree\n")
