"""Lets language models use tools safely: every wrong turn has one documented behaviour."""

from toolcrib._version import __version__

__all__ = ["__version__"]
