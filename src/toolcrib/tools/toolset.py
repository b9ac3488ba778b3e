"""A toolset lists tools: always the same ones, or others from round to round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolcrib.errors import ConfigurationError
from toolcrib.tools.context import RunContext
from toolcrib.tools.methods import as_tools
from toolcrib.tools.tool import Tool
from toolcrib.tools.toolset_base import Toolset

__all__ = ["StaticToolset", "Toolset"]


class StaticToolset(Toolset):
    """Always the same tools: functions, tools, or objects with `@tool` methods.

    Raises `ConfigurationError` for anything else, and when two have one name.
    """

    def __init__(self, tools: Iterable[Any], name: str = "tools") -> None:
        self.name = name
        found: list[Tool] = []
        for one in as_tools(tools):
            if isinstance(one, Toolset):
                raise ConfigurationError(
                    f"The toolset {one.name!r} cannot stand in a StaticToolset; write merged(...)."
                )
            found.append(one)
        self.listed: tuple[Tool, ...] = tuple(found)

    async def tools(self, context: RunContext) -> Sequence[Tool]:
        return self.listed
