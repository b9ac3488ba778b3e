"""Where the library logs: under `toolcrib.*`, silent unless the program configures logging."""

from __future__ import annotations

from toolcrib.late import logging

__all__ = ["logger"]


def logger(name: str) -> logging.Logger:
    """The logger `toolcrib.<name>`."""
    library = logging.getLogger("toolcrib")
    if not library.handlers:
        library.addHandler(logging.NullHandler())
    return library.getChild(name)
