"""Functions over toolsets: merged, filtered, renamed, prefixed, mapped. Each also takes a list of tools."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

from toolcrib.errors import ConfigurationError
from toolcrib.tools.context import RunContext
from toolcrib.tools.definition import ToolDefinition
from toolcrib.tools.listing import as_toolsets
from toolcrib.tools.methods import as_tools
from toolcrib.tools.tool import DerivedTool, Tool
from toolcrib.tools.toolset import StaticToolset
from toolcrib.tools.toolset_base import Toolset, same_name_twice

__all__ = [
    "ToolsetFunction",
    "ToolsetLike",
    "dynamic_toolset",
    "filtered",
    "mapped",
    "merged",
    "prefixed",
    "renamed",
]

ToolsetLike: TypeAlias = Toolset | Iterable[Any]
"""A toolset, or a list of whatever may stand in `tools=[…]`."""

ToolsetFunction: TypeAlias = Callable[[RunContext], Iterable[Any] | Awaitable[Iterable[Any]]]
"""Gives whatever may stand in `tools=[…]`; give the same objects while nothing has changed."""


def dynamic_toolset(function: ToolsetFunction, *, name: str | None = None) -> Toolset:
    """A toolset that asks `function(context)`, sync or async, before every model call."""
    return _FunctionToolset(function, name or str(getattr(function, "__name__", "dynamic")))


def merged(*toolsets: ToolsetLike, name: str | None = None) -> Toolset:
    """All tools of several toolsets, in order; a name from two of them is refused with both origins."""
    return _Merged([_as_toolset(one) for one in toolsets], name)


def filtered(toolset: ToolsetLike, predicate: Callable[[ToolDefinition], bool]) -> Toolset:
    """Only the tools whose definition `predicate` accepts."""
    return _Changed(_as_toolset(toolset), lambda one: one if predicate(one) else None)


def mapped(toolset: ToolsetLike, change: Callable[[ToolDefinition], ToolDefinition]) -> Toolset:
    """Every definition as `change` gives it; the tools run as before.

    A changed input schema narrows: arguments have to fit it, and then the original as well.
    """
    return _Changed(_as_toolset(toolset), change)


def prefixed(toolset: ToolsetLike, prefix: str) -> Toolset:
    """Every tool as `prefix_name`."""
    return _Changed(_as_toolset(toolset), lambda one: replace(one, name=f"{prefix}_{one.name}"))


def renamed(toolset: ToolsetLike, names: Mapping[str, str]) -> Toolset:
    """The tools under other names: `{"old": "new"}`. All others keep theirs.

    Raises `ConfigurationError` for two tools of one new name, here or when the tools are listed, and
    when a toolset that is not dynamic has no tool of an old name.
    """
    if len(set(names.values())) < len(names):
        raise ConfigurationError(f"renamed(...) gives one name to two tools: {dict(names)!r}.")
    return _Renamed(_as_toolset(toolset), dict(names))


class _FunctionToolset(Toolset):
    dynamic = True

    def __init__(self, function: ToolsetFunction, name: str) -> None:
        self.name = name
        self._function = function
        self._last: tuple[tuple[Any, ...], list[Tool | Toolset]] = ((), [])

    async def tools(self, context: RunContext) -> Sequence[Tool]:
        listed = self._function(context)
        items = await listed if inspect.isawaitable(listed) else listed
        found: list[Tool] = []
        for one in self._known(items):
            found.extend(await one.tools(context) if isinstance(one, Toolset) else [one])
        return found

    def _known(self, items: Any) -> list[Tool | Toolset]:
        """The items as tools; plain functions are not made into tools again every round."""
        if isinstance(items, list | tuple):
            kept, tools = self._last
            if _same(kept, items):
                return tools
            tools = as_tools(items)
            self._last = (tuple(items), tools)
            return tools
        return as_tools(items)


class _Merged(Toolset):
    def __init__(self, parts: Sequence[Toolset], name: str | None) -> None:
        self.name = name or " + ".join(part.name for part in parts) or "nothing"
        self.dynamic = any(part.dynamic for part in parts)
        self._parts = tuple(parts)
        self._last: tuple[Tool, ...] = ()

    async def tools(self, context: RunContext) -> Sequence[Tool]:
        found = [tool for part in self._parts for tool in await part.tools(context)]
        # Runs share this toolset, so what is given back is never read from `self` again.
        last = self._last
        if not _same(last, found):
            same_name_twice(found)
            self._last = last = tuple(found)
        return last


class _Changed(Toolset):
    """The tools of another toolset under other definitions, or without some of them."""

    def __init__(
        self, inner: Toolset, change: Callable[[ToolDefinition], ToolDefinition | None]
    ) -> None:
        self.name = inner.name
        self.dynamic = inner.dynamic
        self._inner = inner
        self._change = change
        self._last: tuple[tuple[Tool, ...], tuple[Tool, ...]] = ((), ())
        # Each keeps its original alive, so an id found here is never that of another tool.
        self._made: WeakValueDictionary[int, DerivedTool] = WeakValueDictionary()

    async def tools(self, context: RunContext) -> Sequence[Tool]:
        originals = await self._inner.tools(context)
        before, after = self._last
        if not _same(before, originals):
            self.check(originals)
            after = tuple(one for tool in originals if (one := self._derived(tool)) is not None)
            same_name_twice(after)
            self._last = (tuple(originals), after)
        return after

    def check(self, originals: Sequence[Tool]) -> None:
        """A place to refuse what cannot be changed."""

    def _derived(self, tool: Tool) -> Tool | None:
        changed = self._change(tool.definition)
        if changed is None or changed is tool.definition:
            return None if changed is None else tool
        known = self._made.get(id(tool))
        if known is None or known.definition != changed:
            known = self._made[id(tool)] = DerivedTool(tool, changed)
        return known


class _Renamed(_Changed):
    def __init__(self, inner: Toolset, names: Mapping[str, str]) -> None:
        super().__init__(
            inner, lambda one: replace(one, name=names[one.name]) if one.name in names else one
        )
        self._names = names
        if isinstance(inner, StaticToolset):
            self.check(inner.listed)

    def check(self, originals: Sequence[Tool]) -> None:
        there = [tool.name for tool in originals]
        unknown = [name for name in self._names if name not in there]
        # The tools of a dynamic toolset may still come.
        if unknown and not self.dynamic:
            raise ConfigurationError(
                f"renamed(...) names tools that are not there: {unknown!r}. There are {there!r}; write "
                '{"old": "new"}.'
            )


def _same(before: Sequence[Any], now: Sequence[Any]) -> bool:
    return before is now or (
        len(before) == len(now) and all(a is b for a, b in zip(before, now, strict=True))
    )


def _as_toolset(given: ToolsetLike) -> Toolset:
    if isinstance(given, Toolset):
        return given
    parts = as_toolsets(given) or (StaticToolset([]),)
    return parts[0] if len(parts) == 1 else _Merged(parts, None)
