"""Bounds of a run, and rounds that repeat."""

import pytest

from toolcrib.errors import ConfigurationError
from toolcrib.loop.limits import Limits, Repeats, Tally
from toolcrib.messages import ToolCall


@pytest.mark.parametrize(
    "wrong",
    [
        {"model_calls": -1},
        {"seconds": float("nan")},
        {"repeat": 0},
        {"tokens": "many"},
        {"tool_calls": True},
        {"result_bytes": 10},
    ],
)
def test_a_bound_that_makes_no_sense_is_refused_by_name(wrong: dict) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        Limits(**wrong)


def test_none_switches_a_bound_off() -> None:
    assert Tally(model_calls=10**6, tokens=10**9).exhausted(Limits(model_calls=None)) is None


def test_the_bound_that_is_reached_is_named() -> None:
    assert Tally(model_calls=50).exhausted(Limits()) == "model_calls"
    assert Tally(model_calls=1, tokens=100).exhausted(Limits(tokens=100)) == "tokens"
    assert Tally(model_calls=49).exhausted(Limits()) is None


def _calls(*arguments: str, name: str = "t") -> tuple[ToolCall, ...]:
    return tuple(ToolCall(f"id{n}", name, text) for n, text in enumerate(arguments))


def test_the_same_calls_in_a_row_are_counted() -> None:
    repeats = Repeats()
    assert [repeats.seen(_calls('{"a": 1}')) for _ in range(4)] == [1, 2, 3, 4]


def test_ids_blanks_and_the_order_of_keys_make_no_difference() -> None:
    repeats = Repeats()
    repeats.seen((ToolCall("x", "t", '{"a": 1, "b": 2}'),))
    assert repeats.seen((ToolCall("y", "t", '{"b":2,"a":1}'),)) == 2
    assert repeats.seen((ToolCall("z", "t", '{"b":1,"a":2}'),)) == 1


def test_another_call_starts_the_count_again() -> None:
    repeats = Repeats()
    repeats.seen(_calls("{}"))
    assert repeats.seen(_calls("{}", "{}")) == 1
    assert repeats.seen(_calls("{}", name="u")) == 1
    assert repeats.seen(_calls('{"a": 1}', name="u")) == 1


def test_broken_argument_texts_are_compared_as_texts() -> None:
    repeats = Repeats()
    repeats.seen(_calls('{"a": '))
    assert repeats.seen(_calls('{"a": ')) == 2
    assert repeats.seen(_calls('{"a":')) == 1


def test_values_that_python_calls_equal_are_not_the_same_call() -> None:
    for other in ('{"a": true}', '{"a": 1.0}'):
        repeats = Repeats()
        repeats.seen(_calls('{"a": 1}'))
        assert repeats.seen(_calls(other)) == 1


def test_numbers_too_long_to_compare_disturb_nobody() -> None:
    repeats, digits = Repeats(), "9" * 5_000
    repeats.seen(_calls(f'{{"a": {digits}, "b": 1}}'))
    assert repeats.seen(_calls(f'{{"b": 1, "a": {digits}}}')) == 1
