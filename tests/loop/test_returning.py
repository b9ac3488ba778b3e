"""Immediate return: the whole table, without and with errors."""

import pytest

from toolcrib.loop.returning import returns_immediately, round_returns
from toolcrib.messages import ToolCall, ToolResult
from toolcrib.tools.definition import ReturnBehavior
from toolcrib.tools.execution import ToolExecution

L, I, F = ReturnBehavior.TO_MODEL, ReturnBehavior.IMMEDIATE, ReturnBehavior.IMMEDIATE_IF_LAST  # noqa: E741
LETTERS = {"L": L, "I": I, "F": F}

WITHOUT_ERRORS = [
    ("L", False),
    ("L L", False),
    ("I", True),
    ("I I", True),
    ("L I", False),
    ("I L", False),
    ("F", True),
    ("F F", True),
    ("L F", True),
    ("F L", False),
    ("I F", True),
    ("F I", True),
    ("L I F", True),
    ("L F I", False),
    ("I L F", True),
    ("I F L", False),
    ("F L I", False),
    ("F I L", False),
]
WITH_ERRORS = [
    "Le",
    "Ie",
    "Fe",
    "Ie I",
    "I Ie",
    "Le F",
    "L Fe",
    "Fe L",
    "Ie F",
    "I Fe",
    "Le I F",
    "L Ie F",
    "L I Fe",
]


def _row(row: str) -> tuple[list[ReturnBehavior], list[bool]]:
    cells = row.split()
    return [LETTERS[cell[0]] for cell in cells], [cell.endswith("e") for cell in cells]


@pytest.mark.parametrize(("row", "returns"), WITHOUT_ERRORS)
def test_a_round_without_errors_returns_by_the_table(row: str, returns: bool) -> None:
    assert returns_immediately(*_row(row)) is returns


@pytest.mark.parametrize("row", WITH_ERRORS)
def test_a_round_with_an_error_always_goes_back_to_the_model(row: str) -> None:
    assert returns_immediately(*_row(row)) is False


def test_a_round_without_calls_does_not_return() -> None:
    assert returns_immediately([], []) is False


def _execution(*, returns_now: bool = False, is_error: bool = False) -> ToolExecution:
    result = ToolResult("c", "t", (), is_error)
    return ToolExecution(ToolCall("c", "t", "{}"), result=result, returns_now=returns_now)


def test_a_tool_that_says_return_now_ends_the_round_whatever_the_others_are() -> None:
    assert round_returns([_execution(), _execution(returns_now=True), _execution()]) is True


def test_return_now_waits_while_a_sibling_failed() -> None:
    assert round_returns([_execution(returns_now=True), _execution(is_error=True)]) is False
