"""``python -m rescorla``: the command line."""

import sys

from rescorla.cli import main

if __name__ == "__main__":
    sys.exit(main())
