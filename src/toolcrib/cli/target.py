"""Finds what `module:thing` means, and the tools in it."""

from __future__ import annotations

import asyncio
import difflib
import importlib
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from toolcrib.agent import Agent
from toolcrib.cli.console import UsageProblem
from toolcrib.errors import ConfigurationError
from toolcrib.toolbox import Toolbox
from toolcrib.tools.catalog import Catalog, Listed
from toolcrib.tools.context import RunContext
from toolcrib.tools.listing import as_toolsets
from toolcrib.tools.tool import Tool

__all__ = ["find", "listed_tools", "tools_in"]


def find(target: str) -> Any:
    """What `module:thing` names; the current directory is importable.

    Raises `UsageProblem` saying what is wrong where, without a traceback.
    """
    name, colon, path = target.partition(":")
    if not name or not colon or not path:
        raise UsageProblem(
            f"{target!r} names nothing: write MODULE:THING, such as shop.tools:get_price."
        )
    if name.endswith(".py") or "/" in name or "\\" in name:
        dotted = name.removesuffix(".py").replace("\\", "/").strip("./").replace("/", ".")
        raise UsageProblem(f"{name!r} is a file; name the module: {dotted}:{path}")
    found: Any = _module(name)
    for step in path.split("."):
        try:
            found = getattr(found, step)
        except AttributeError:
            raise UsageProblem(
                f"{_described(found, name)} has no {step!r}.{_nearest(found, step)}"
            ) from None
        except Exception as error:
            raise _broken(f"Reading {step!r} of {name!r}", error) from error
    return found


def tools_in(thing: Any) -> list[Any]:
    """What is found at a target, as a list that `Agent(tools=...)` takes."""
    if isinstance(thing, Agent):
        return list(thing.toolsets)
    if isinstance(thing, Toolbox):
        return [one.tool for one in thing.tools.available]
    if isinstance(thing, list | tuple | set | frozenset):
        return list(thing)
    return [thing]


def listed_tools(targets: Iterable[str]) -> tuple[Listed, ...]:
    """The tools of all targets, in order. Raises `UsageProblem` for what is no tool."""
    things = [(target, find(target)) for target in targets]
    return asyncio.run(_catalog(things)).available


async def _catalog(things: Iterable[tuple[str, Any]]) -> Catalog:
    context = RunContext("command line")
    catalog = Catalog.EMPTY
    for target, thing in things:
        try:
            for toolset in as_toolsets(tools_in(thing)):
                catalog = catalog.grown(toolset, await toolset.tools(context))
        except ConfigurationError as error:
            raise UsageProblem(f"{target}: {error}") from error
        except Exception as error:
            raise _broken(f"Asking {target} for its tools", error) from error
    return catalog


def _module(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise _broken(f"Importing {name!r}", error) from error
        raise UsageProblem(
            f"There is no module {error.name!r}, neither installed nor in {here}."
        ) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also a module that calls sys.exit()
        raise _broken(f"Importing {name!r}", error) from error


def _broken(doing: str, error: BaseException) -> UsageProblem:
    """What went wrong in somebody's code, and the deepest place of it."""
    kind = type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        return UsageProblem(
            f"{doing} failed: {kind}: {error.msg} ({error.filename}, line {error.lineno})."
        )
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<") and frame.filename != importlib.__file__
    ]
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if len(frames) > 1 else ""
    return UsageProblem(f"{doing} failed: {kind}: {error}{place}.")


def _described(found: Any, name: str) -> str:
    if isinstance(found, ModuleType):
        return f"Module {found.__name__!r} ({getattr(found, '__file__', None) or 'built in'})"
    return f"What is found in {name!r}, a {type(found).__name__},"


def _nearest(found: Any, step: str) -> str:
    names = [name for name in dir(found) if not name.startswith("_")]
    close = difflib.get_close_matches(step, names, n=3, cutoff=0.5)
    if not close and isinstance(found, ModuleType):
        close = [name for name in names if isinstance(getattr(found, name, None), Tool)][:5]
    return f" Did you mean {', '.join(close)}?" if close else ""
