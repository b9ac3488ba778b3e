"""`python -m toolcrib`: hands over to the command line, or says how to install it."""

from __future__ import annotations

import sys
from collections.abc import Callable

__all__ = ["main"]

run: Callable[[list[str]], int] | None
try:
    from toolcrib.cli.app import run
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("cyclopts", "rich"):
        raise
    run = None


def main() -> int:
    """Run the command line with this process's arguments; gives the exit code."""
    if run is None:
        print(
            "The command line of toolcrib needs two more packages: pip install 'toolcrib[cli]'",
            file=sys.stderr,
        )
        return 2
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
