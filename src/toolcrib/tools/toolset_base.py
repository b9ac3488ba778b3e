"""What every toolset is: a name, and a way to ask which tools there are."""

from __future__ import annotations

from collections.abc import Sequence

from toolcrib.tools.catalog import name_clash
from toolcrib.tools.context import RunContext
from toolcrib.tools.tool import Tool

__all__ = ["Toolset", "same_name_twice"]


class Toolset:
    """Base of all toolsets. A subclass gives `tools`, and a `name` for people.

    A `dynamic` one is asked before every model call, any other once per run. Give the same list back
    when nothing has changed: whoever asks compares by identity first.
    """

    name: str = "toolset"
    dynamic: bool = False

    async def tools(self, context: RunContext) -> Sequence[Tool]:
        """The tools for the next model call of this run."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


def same_name_twice(tools: Sequence[Tool]) -> None:
    """Raise `ConfigurationError` with both origins when two tools have one name."""
    seen: dict[str, Tool] = {}
    for tool in tools:
        known = seen.setdefault(tool.name, tool)
        if known is not tool:
            raise name_clash(tool.name, known.origin, tool.origin)
