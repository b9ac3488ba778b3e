"""Docstrings are taken apart without losing a word."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcrib.schema.docstring import read_docstring

GOOGLE = """Get the weather.

    Looks it up every time.

    Args:
        city: name of the city
        days (int, optional): how many days
            ahead. Defaults to 3.

    Returns:
        a sentence
"""
NUMPY = """Get the weather.

    Parameters
    ----------
    city : str
        name of the city
    days : int, optional
        how many days
        ahead

    Returns
    -------
    str
        a sentence
"""
SPHINX = """Get the weather.

    :param city: name of the city
    :type city: str
    :param int days: how many days
        ahead
    :returns: a sentence
"""


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_each_style_gives_a_text_for_each_parameter(text: str) -> None:
    said = read_docstring(text, ["city", "days"])
    assert list(said.parameters) == ["city", "days"]
    assert said.parameters["city"] == "name of the city"
    assert said.parameters["days"].split()[:4] == ["how", "many", "days", "ahead"] or (
        said.parameters["days"].startswith("how many days\nahead")
    )


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_the_parameters_leave_the_description_and_the_rest_stays(text: str) -> None:
    description = read_docstring(text, ["city", "days"]).description
    assert description is not None
    assert description.startswith("Get the weather.")
    assert "a sentence" in description
    for gone in ("city", "Args", "Parameters", ":param", "how many"):
        assert gone not in description


def test_an_entry_that_is_no_parameter_stays_in_the_description() -> None:
    said = read_docstring("Go.\n\nArgs:\n    x: how far\n    speed: no longer used\n", ["x"])
    assert said.parameters == {"x": "how far"}
    assert said.description == "Go.\n\nspeed: no longer used"


def test_a_block_that_is_no_list_of_parameters_stays_as_it_is() -> None:
    text = "Go.\n\nArgs:\n    just some prose without any colon at all\n"
    said = read_docstring(text, ["x"])
    assert said.parameters == {}
    assert said.description is not None
    assert "just some prose without any colon at all" in said.description


def test_a_list_inside_an_entry_belongs_to_the_entry() -> None:
    text = """Set the mode.

    Args:
        mode: one of

            fast: quick and rough
            slow: exact
        level: how loud
    """
    said = read_docstring(text, ["mode", "level"])
    whole = f"{said.description} {said.parameters}"
    for word in ("quick and rough", "exact", "how loud", "one of"):
        assert word in whole
    assert said.parameters["level"] == "how loud"


def test_several_blocks_are_all_read() -> None:
    text = "Go.\n\nArgs:\n    a: first\n\nKeyword Args:\n    b: second\n"
    assert read_docstring(text, ["a", "b"]).parameters == {"a": "first", "b": "second"}


def test_what_is_said_twice_of_a_parameter_is_kept_twice() -> None:
    text = ":param a: first\n:param a: second"
    assert read_docstring(text, ["a"]).parameters == {"a": "first\nsecond"}


def test_two_names_in_one_numpy_entry_share_its_text() -> None:
    text = "Move.\n\nParameters\n----------\nx, y : int\n    where to\n"
    assert read_docstring(text, ["x", "y"]).parameters == {"x": "where to", "y": "where to"}


def test_the_word_args_in_a_sentence_begins_no_block() -> None:
    text = "Run it.\n\nThe args: they are passed on.\nParameters of the machine stay."
    assert read_docstring(text, ["args"]).description == text


@pytest.mark.parametrize("text", [None, "", "   \n  "])
def test_an_empty_docstring_says_nothing(text: str | None) -> None:
    assert read_docstring(text, ["a"]) == (None, {})


def test_a_docstring_of_nothing_but_parameters_leaves_no_description() -> None:
    assert read_docstring("Args:\n    a: first", ["a"]) == (None, {"a": "first"})


_HEADINGS = [
    *("Args:", "Arguments:", "Keyword Args:", "Returns:", "Note:", "Parameters", "Returns", "----"),
    *("----------", ""),
]
_FORMS = [
    *("NAME: TEXT", "NAME (int): TEXT", "NAME : int", ":param NAME: TEXT", ":param int NAME: TEXT"),
    *("NAME", "NAME:", "TEXT: NAME: MORE", ":returns: TEXT", "- TEXT", "NAME, beta : int"),
]
_NAMES = ["alpha", "beta", "gamma"]


@st.composite
def docstrings(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A text that looks more or less like a docstring, and its words, each different."""
    words: list[str] = []

    def prose() -> str:
        words.append(f"word{len(words)}")
        return words[-1]

    def entry() -> str:
        name = draw(st.sampled_from([*_NAMES, prose()]))
        form = draw(st.sampled_from(_FORMS))
        return form.replace("NAME", name).replace("TEXT", prose()).replace("MORE", prose())

    lines = []
    for _ in range(draw(st.integers(1, 12))):
        kind = draw(st.sampled_from(["heading", "entry", "entry", "prose"]))
        line = {
            "heading": lambda: draw(st.sampled_from(_HEADINGS)),
            "entry": entry,
            "prose": lambda: f"{prose()} {prose()}",
        }[kind]()
        lines.append(" " * 4 * draw(st.integers(0, 2)) + line)
    text = "\n".join(lines)
    return text, [word for word in words if re.search(rf"\b{word}\b", text)]


@given(docstrings())
def test_no_word_is_lost_whatever_the_docstring_looks_like(case: tuple[str, list[str]]) -> None:
    text, words = case
    said = read_docstring(text, _NAMES)
    left = f"{said.description}\n" + "\n".join(said.parameters.values())
    assert [word for word in words if not re.search(rf"\b{word}\b", left)] == []
    assert set(said.parameters) <= set(_NAMES)
