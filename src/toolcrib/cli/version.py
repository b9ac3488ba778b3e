"""`toolcrib version`: which toolcrib runs, on which Python."""

from __future__ import annotations

import platform

from toolcrib._version import __version__
from toolcrib.cli.console import Screen

__all__ = ["version"]


def version() -> int:
    """Print the version of toolcrib, and of the Python that runs it."""
    Screen().say(
        f"toolcrib {__version__} (Python {platform.python_version()}, {platform.system()})"
    )
    return 0
