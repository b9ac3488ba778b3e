"""Whatever may stand in `tools=[…]`: functions, tools, toolsets, and objects with `@tool` methods."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MethodType, ModuleType
from typing import Any

from toolcrib.errors import ConfigurationError
from toolcrib.tools.function import FunctionTool, tool
from toolcrib.tools.tool import Tool
from toolcrib.tools.toolset_base import Toolset, same_name_twice

__all__ = ["as_tools", "tools_of"]


def as_tools(items: Iterable[Any]) -> list[Tool | Toolset]:
    """Turn what an author lists into tools and toolsets, in order; the same thing twice counts once.

    Raises `ConfigurationError` for anything else, saying what to write, and for two tools of one name.
    """
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise ConfigurationError(f"tools must be a list, not {_shown(items)}; write tools=[...].")
    found: list[Tool | Toolset] = []
    seen: set[int] = set()
    kept = list(items)  # alive while their ids are compared
    for item in kept:
        if id(item) not in seen:
            seen.add(id(item))
            found.extend(_as_tools(item))
    same_name_twice([one for one in found if isinstance(one, Tool)])
    return found


def tools_of(thing: object) -> list[FunctionTool[Any, Any]]:
    """All `@tool` methods of an object, its base classes' first, each bound to it.

    An overridden method counts once, in its most derived version, and only if that version is a
    tool. Raises `ConfigurationError` when there are none, or two have one name.
    """
    if isinstance(thing, type):
        raise ConfigurationError(
            f"'{thing.__name__}' is a class; pass an object: {thing.__name__}(...)."
        )
    found = _methods(thing)
    if not found:
        raise ConfigurationError(
            f"{_shown(thing)} has no methods decorated with @tool; {_instead(thing)}."
        )
    same_name_twice(found)
    return found


def _as_tools(item: Any) -> list[Tool | Toolset]:
    if isinstance(item, MethodType) and isinstance(item.__func__, FunctionTool):
        # From Python 3.13 on, a class method over a tool is bound by Python itself.
        return [item.__func__.bound_to(item.__self__)]
    if isinstance(item, Tool):
        return [_ready(item)]
    if isinstance(item, Toolset):
        return [item]
    if isinstance(item, type):
        return [*tools_of(item)]  # refuses, with the words for classes
    if item is None or isinstance(item, str | bytes | Mapping | ModuleType):
        raise ConfigurationError(
            f"{_shown(item)} is no tool; list functions, tools, toolsets, or objects with @tool methods."
        )
    methods = _methods(item)
    if methods:
        same_name_twice(methods)
        return [*methods]
    if isinstance(item, Collection | Iterator):
        raise ConfigurationError(
            f"{_shown(item)} is a collection inside tools=[...]; write tools=[*those, ...]."
        )
    if callable(item):
        return [_ready(tool(item))]
    return [*tools_of(item)]  # refuses, with the words for objects without tools


def _ready(one: Tool) -> Tool:
    if isinstance(one, FunctionTool) and one.needs_object:
        raise ConfigurationError(
            f"Tool '{one.name}' ({one.origin}) is a method without an object; list the object, or "
            "object.method."
        )
    return one


def _methods(thing: object) -> list[FunctionTool[Any, Any]]:
    attributes: dict[str, Any] = {}
    for base in reversed(type(thing).__mro__):
        # A name keeps its first place and takes its most derived value.
        attributes.update(vars(base))
    found: list[FunctionTool[Any, Any]] = []
    for attribute in attributes.values():
        inner = getattr(attribute, "__func__", attribute)
        if not isinstance(inner, FunctionTool):
            continue
        if isinstance(attribute, classmethod):
            found.append(inner.bound_to(type(thing)))
        else:
            found.append(inner.__get__(thing, type(thing)))
    return found


def _instead(thing: object) -> str:
    # Agents and toolboxes are built of tools, so they are known here by their looks only.
    if callable(getattr(thing, "as_tool", None)):
        return "list the tool that its as_tool() gives"
    if type(thing).__name__ == "Toolbox":
        return "list the tools that it was made of"
    return "decorate those that the model may call"


def _shown(thing: object) -> str:
    if thing is None:
        return "None"
    if isinstance(thing, str | bytes):
        return repr(thing[:40])
    return f"an object of type '{type(thing).__name__}'"
