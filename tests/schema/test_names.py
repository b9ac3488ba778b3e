"""Tool names on the wire, and back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from toolcrib.schema.names import WireNames

LEGAL = re.compile(r"[A-Za-z0-9_-]{1,64}")


def test_a_legal_name_keeps_itself() -> None:
    names = WireNames(["web_search", "get-time", "A1"])
    assert [names.to_wire(one) for one in ("web_search", "get-time", "A1")] == [
        "web_search",
        "get-time",
        "A1",
    ]
    assert names.from_wire("web_search") == "web_search"


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("Utilities.get_time", "Utilities_get_time"),
        ("über/größe", "_ber_gr__e"),
        ("天气", "__"),
        ("x" * 100, "x" * 64),
    ],
)
def test_another_name_is_changed_and_comes_back(name: str, wire: str) -> None:
    names = WireNames([name])
    assert names.to_wire(name) == wire
    assert names.from_wire(wire) == name


def test_names_that_would_be_the_same_stay_apart() -> None:
    listed = ["a.b", "a/b", "a_b", "a b"]
    names = WireNames(listed)
    wires = [names.to_wire(name) for name in listed]
    assert wires == ["a_b_2", "a_b_3", "a_b", "a_b_4"]
    assert [names.from_wire(wire) for wire in wires] == listed


def test_a_made_up_name_does_not_take_another_tools_name() -> None:
    names = WireNames(["a.b", "a/b", "a_b_2"])
    assert [names.to_wire(name) for name in ("a.b", "a/b", "a_b_2")] == ["a_b", "a_b_3", "a_b_2"]


def test_the_real_name_of_a_tool_is_understood_too() -> None:
    assert WireNames(["a.b"]).from_wire("a.b") == "a.b"


def test_a_name_that_was_never_sent_comes_back_as_it_is() -> None:
    assert WireNames(["a.b"]).from_wire("plugin.func") == "plugin.func"


def test_a_name_that_is_no_longer_listed_is_legal_on_the_wire() -> None:
    assert WireNames().to_wire("plugin.func") == "plugin_func"
    assert WireNames().to_wire("") == "_"


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.text(st.sampled_from("ab_./é"), min_size=1, max_size=70), max_size=12))
def test_every_name_is_legal_its_own_and_comes_back(listed: list[str]) -> None:
    names = WireNames(listed)
    wires = {names.to_wire(name): name for name in listed}
    assert len(wires) == len(set(listed))
    for wire, name in wires.items():
        assert LEGAL.fullmatch(wire)
        assert names.from_wire(wire) == name
    again = WireNames(listed)
    assert [again.to_wire(name) for name in listed] == [names.to_wire(name) for name in listed]
