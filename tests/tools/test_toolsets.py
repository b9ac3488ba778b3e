"""Toolsets, and the functions over them."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.tools.calling import call, run_context
from toolcrib.errors import ConfigurationError, ToolArgumentsError
from toolcrib.tools.context import RunContext
from toolcrib.tools.definition import ToolDefinition
from toolcrib.tools.function import tool
from toolcrib.tools.tool import Tool
from toolcrib.tools.toolset import StaticToolset, Toolset
from toolcrib.tools.wrappers import (
    dynamic_toolset,
    filtered,
    mapped,
    merged,
    prefixed,
    renamed,
)


@tool
def read_file(path: str) -> str:
    return path


@tool
def write_file(path: str, text: str = "") -> str:
    return path + text


@tool(name="read_file")
def other_read_file(path: str) -> str:
    return path


def list_files() -> list[str]:
    return []


FILES = StaticToolset([read_file, write_file], name="files")


class Growing(Toolset):
    """Names one more tool each time."""

    dynamic = True
    name = "growing"

    def __init__(self) -> None:
        self.listed: list[Tool] = []

    async def tools(self, context: RunContext) -> Sequence[Tool]:
        number = len(self.listed)
        self.listed = [*self.listed, tool(lambda: None, name=f"t{number}")]
        return self.listed


async def listed(toolset: Toolset) -> Sequence[Tool]:
    return await toolset.tools(run_context())


async def names(toolset: Toolset) -> list[str]:
    return [one.name for one in await listed(toolset)]


WRAPPERS: dict[str, Callable[[Any], Toolset]] = {
    "merged": lambda inner: merged(inner),
    "merged with more": lambda inner: merged(inner, [list_files]),
    "filtered": lambda inner: filtered(inner, lambda one: True),
    "prefixed": lambda inner: prefixed(inner, "gh"),
    "renamed": lambda inner: renamed(inner, {}),
    "mapped": lambda inner: mapped(inner, lambda one: replace(one, description="other")),
}
each = pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)


async def test_a_static_toolset_lists_its_tools() -> None:
    assert await names(FILES) == ["read_file", "write_file"]
    assert not FILES.dynamic


def test_a_static_toolset_refuses_a_name_twice_with_both_origins() -> None:
    with pytest.raises(ConfigurationError, match=r"read_file.*other_read_file"):
        StaticToolset([read_file, other_read_file])


async def test_a_static_toolset_takes_functions_and_refuses_toolsets() -> None:
    assert await names(StaticToolset([list_files])) == ["list_files"]
    with pytest.raises(ConfigurationError, match=r"'files'.*merged"):
        StaticToolset([FILES])


@each
async def test_an_unchanged_list_comes_back_as_the_same_object(
    wrap: Callable[[Any], Toolset],
) -> None:
    toolset = wrap(FILES)
    assert await listed(toolset) is await listed(toolset)


@each
async def test_an_equal_list_of_the_same_tools_counts_as_unchanged(
    wrap: Callable[[Any], Toolset],
) -> None:
    toolset = wrap(dynamic_toolset(lambda context: [read_file, write_file]))
    assert await listed(toolset) is await listed(toolset)


@each
async def test_tools_that_stay_keep_their_identity_when_others_come(
    wrap: Callable[[Any], Toolset],
) -> None:
    toolset = wrap(Growing())
    first = list(await listed(toolset))
    second = await listed(toolset)
    assert len(second) == len(first) + 1
    assert all(any(one is again for again in second) for one in first)


@each
@pytest.mark.parametrize("inner", [FILES, Growing()], ids=["static", "dynamic"])
def test_a_wrapper_is_dynamic_when_what_it_wraps_is(
    wrap: Callable[[Any], Toolset], inner: Toolset
) -> None:
    assert wrap(inner).dynamic is inner.dynamic


@each
async def test_a_wrapper_takes_a_list_as_well(wrap: Callable[[Any], Toolset]) -> None:
    assert len(await listed(wrap([read_file, StaticToolset([write_file])]))) in (2, 3)


async def test_merged_keeps_the_order() -> None:
    assert await names(merged([list_files], FILES)) == ["list_files", "read_file", "write_file"]
    assert await names(merged()) == []


async def test_merged_refuses_a_name_from_two_with_both_origins() -> None:
    with pytest.raises(ConfigurationError, match=r"read_file.*other_read_file"):
        await listed(merged(FILES, [other_read_file]))


async def test_filtered_drops_what_the_predicate_refuses() -> None:
    assert await names(filtered(FILES, lambda one: one.name.startswith("read"))) == ["read_file"]


async def test_prefixed_names_every_tool_anew_and_runs_it_as_before() -> None:
    (read, _) = await listed(prefixed(FILES, "gh"))
    assert read.name == "gh_read_file"
    assert call(read, '{"path": "a"}') == "a"
    assert read.origin == read_file.origin
    with pytest.raises(ToolArgumentsError, match="tool 'gh_read_file'"):
        read.read("{}")


async def test_renamed_goes_from_old_to_new() -> None:
    assert await names(renamed(FILES, {"read_file": "cat"})) == ["cat", "write_file"]


async def test_renamed_may_swap_names() -> None:
    swapped = renamed(FILES, {"read_file": "write_file", "write_file": "read_file"})
    assert await names(swapped) == ["write_file", "read_file"]
    assert call((await listed(swapped))[0], '{"path": "a"}') == "a"


async def test_renamed_refuses_what_cannot_be() -> None:
    with pytest.raises(ConfigurationError, match=r"'cat'.*\"old\": \"new\""):
        renamed(FILES, {"cat": "read_file"})
    with pytest.raises(ConfigurationError, match="one name to two"):
        renamed(FILES, {"read_file": "x", "write_file": "x"})
    with pytest.raises(ConfigurationError, match="Two tools are named"):
        await listed(renamed(FILES, {"read_file": "write_file"}))
    with pytest.raises(ConfigurationError, match="not there"):
        await listed(renamed(prefixed(FILES, "gh"), {"read_file": "cat"}))


async def test_renamed_waits_for_the_tools_of_a_dynamic_toolset() -> None:
    toolset = renamed(Growing(), {"t1": "second"})
    assert await names(toolset) == ["t0"]
    assert await names(toolset) == ["t0", "second"]


async def test_an_illegal_new_name_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="blanks"):
        await listed(prefixed(FILES, "my files"))


async def test_mapped_changes_what_the_model_sees() -> None:
    toolset = mapped(FILES, lambda one: replace(one, description=f"{one.name}!"))
    assert [one.definition.description for one in await listed(toolset)] == [
        "read_file!",
        "write_file!",
    ]


async def test_mapped_may_narrow_what_is_accepted() -> None:
    def only_text_files(one: ToolDefinition) -> ToolDefinition:
        properties = {"path": {"type": "string", "pattern": "\\.txt$"}}
        return replace(one, input_schema={**(one.input_schema or {}), "properties": properties})

    (read, *_) = await listed(mapped([read_file], only_text_files))
    assert call(read, '{"path": "a.txt"}') == "a.txt"
    with pytest.raises(ToolArgumentsError):
        read.read('{"path": "/etc/passwd"}')


async def test_wrappers_stack() -> None:
    toolset = prefixed(renamed(filtered(FILES, lambda one: True), {"read_file": "cat"}), "gh")
    assert await names(toolset) == ["gh_cat", "gh_write_file"]


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_a_function_makes_a_dynamic_toolset(kind: str) -> None:
    def choose(context: RunContext) -> list[Any]:
        return [list_files, FILES] if context.deps == "admin" else [list_files]

    async def choose_async(context: RunContext) -> list[Any]:
        return choose(context)

    toolset = dynamic_toolset(choose if kind == "sync" else choose_async)
    assert toolset.dynamic
    assert toolset.name in ("choose", "choose_async")
    assert [one.name for one in await toolset.tools(run_context(deps="admin"))] == [
        *("list_files", "read_file", "write_file")
    ]
    assert await names(toolset) == ["list_files"]


async def test_plain_functions_of_a_dynamic_toolset_become_tools_once() -> None:
    toolset = dynamic_toolset(lambda context: [list_files])
    assert (await listed(toolset))[0] is (await listed(toolset))[0]


async def test_a_dynamic_toolset_refuses_what_is_no_tool() -> None:
    with pytest.raises(ConfigurationError, match="no tool"):
        await listed(dynamic_toolset(lambda context: [None]))
    with pytest.raises(ConfigurationError, match="must be a list"):
        await listed(dynamic_toolset(lambda context: None))  # type: ignore[arg-type, return-value]


async def test_derived_tools_do_not_outlive_their_use() -> None:
    once = StaticToolset([tool(lambda: None, name="once")])
    inner: list[Toolset] = [once]
    toolset = prefixed(dynamic_toolset(lambda context: inner), "gh")
    gone = weakref.ref((await listed(toolset))[0])
    inner[:] = []
    del once
    await listed(toolset)
    gc.collect()
    assert gone() is None


def test_a_toolset_shows_its_name() -> None:
    assert repr(FILES) == "<StaticToolset 'files'>"
    assert merged(FILES, Growing()).name == "files + growing"
    assert merged(FILES, name="all").name == "all"
