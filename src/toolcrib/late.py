"""Modules that whatever waits needs, loaded when a run needs them: they would be a quarter of the import.

What decides never imports this: an import contract holds it to that.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from toolcrib.lazy import Lazy

__all__ = ["anyio", "asyncio", "futures", "logging"]

if TYPE_CHECKING:
    import asyncio
    import logging
    from concurrent import futures

    import anyio
else:
    anyio = Lazy(lambda: import_module("anyio"))
    asyncio = Lazy(lambda: import_module("asyncio"))
    futures = Lazy(lambda: import_module("concurrent.futures"))
    logging = Lazy(lambda: import_module("logging"))
