from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolcrib.errors import ToolArgumentsError
from toolcrib.schema.arguments import ArgumentReader
from toolcrib.schema.exact import exact_reading
from toolcrib.schema.parameters import Parameter

PARAMETERS = (
    Parameter("count", "count", int, required=True, nullable=False),
    Parameter("when-to", "when_to", str, False, False, make_default=lambda: "now"),
    Parameter("sure", "sure", bool | None, False, True),
    Parameter("tags", "tags", list[str], False, False, make_default=list),
    Parameter("unit", "unit", Literal["c", "f"], False, False, make_default=lambda: "c"),
)
EXACT = exact_reading(PARAMETERS)
assert EXACT is not None


def read_in_full(text: str) -> Any:
    """What the whole reading gives without a repair; None where there is more to it."""
    reader = ArgumentReader("t", None, PARAMETERS)
    try:
        values, repairs = reader.read_closely(text)
    except ToolArgumentsError:
        return None
    return None if repairs else values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"count":1}', (1, "now", None, [], "c")),
        ('{"count": 1, "when-to": "x", "sure": true, "tags": [], "unit": "f"}', (1, "x", True, [], "f")),
        ('{"sure":null,"count":2}', (2, "now", None, [], "c")),
        (' {"tags":["\\u00e9"],"count":3}\n', (3, "now", None, ["é"], "c")),
    ],
)  # fmt: skip
def test_a_text_that_is_right_is_read_with_its_defaults_in_order(
    text: str, values: tuple[Any, ...]
) -> None:
    assert EXACT is not None
    names = [one.python_name for one in PARAMETERS]
    read = EXACT(text)
    assert read == dict(zip(names, values, strict=True))
    assert list(read or ()) == names
    assert read_in_full(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        '{"count":1}x',
        '{"count":1',
        '{"count":"1"}',
        '{"count":1.0}',
        '{"count":1e0}',
        '{"count":true}',
        '{"count":-0}',
        '{"count":null}',
        '{"count":1,"count":1}',
        '{"count" :1,"c\\u006funt":1}',
        '{"count":1,"sure":1}',
        '{"count":1,"tags":"a"}',
        '{"count":1,"tags":null}',
        '{"count":1,"unit":"F"}',
        '{"count":1,"when_to":"x"}',
        '{"count":1,"more":2}',
        '{"count":1,"when-to":"\\ud800"}',
        '{"count":1,"when-to":"\ud800"}',
        '{"count":1,"when-to":"a\nb"}',
        '{"count":' + "9" * 5_000 + "}",
        '{"tags":[]}',
        '\ufeff{"count":1}',
    ],
    ids=lambda text: repr(text)[:40],
)
def test_a_text_that_needs_a_closer_look_is_left_to_the_whole_reading(text: str) -> None:
    assert EXACT is not None
    assert EXACT(text) is None


@pytest.mark.parametrize("annotation", [float, dict, Any, list[float], int | str, Literal[1]])
def test_a_type_that_says_more_has_no_fast_path(annotation: Any) -> None:
    assert exact_reading([Parameter("x", "x", annotation, True, False)]) is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from("cf"),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
OBJECTS = st.dictionaries(
    st.sampled_from([one.name for one in PARAMETERS]) | st.text(max_size=3), VALUES, max_size=5
)
TEXTS = OBJECTS.map(json.dumps) | st.tuples(OBJECTS, st.booleans()).map(
    lambda one: json.dumps(one[0], ensure_ascii=one[1], indent=1)
)


@given(TEXTS, st.integers(0, 200), st.sampled_from(["", ":", '"', "1", "\\", "0", " ", "\x00"]))
@example('{"count":1}', 200, "")
def test_what_is_read_fast_is_what_the_whole_reading_gives(text: str, at: int, put: str) -> None:
    assert EXACT is not None
    text = text[:at] + put + text[at:]
    read = EXACT(text)
    if read is not None:
        full = read_in_full(text)
        assert (read, list(map(type, read.values()))) == (full, list(map(type, full.values())))
