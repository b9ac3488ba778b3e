"""What a person sees of a run, kind by kind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from toolcrib.agent import Agent
from toolcrib.cli.console import Screen, plain, shortened
from toolcrib.cli.conversation import Conversation
from toolcrib.cli.transcript import Transcript
from toolcrib.errors import ModelError
from toolcrib.loop.limits import Limits
from toolcrib.messages import Image, Text
from toolcrib.testing import ScriptedModel, call, say, think, turn
from toolcrib.tools.function import tool


@tool
def double(n: int) -> int:
    """Doubles."""
    return 2 * n


@tool
def crash() -> None:
    """Raises."""
    raise RuntimeError("it broke")


@tool
def long() -> str:
    """Says much."""
    return "x" * 2000


@tool
def picture() -> list[Any]:
    """A picture."""
    return [Text("Look:"), Image(b"1234")]


@tool
async def steps() -> AsyncIterator[str]:
    """Tells how far it is."""
    yield "half way"
    yield "done"


@tool
def rings() -> str:
    """What a terminal would obey."""
    return "\x1b[2Jgone\x07"


TOOLS = [double, crash, long, picture, steps, rings]


def shown(
    script: list[Any], capsys: pytest.CaptureFixture[str], *, full: bool = False, **options: Any
) -> list[str]:
    screen = Screen()
    agent = Agent(ScriptedModel(script), tools=TOOLS, **options)
    with Conversation(agent, screen, Transcript(screen, full=full)) as conversation:
        conversation.ask("Go.")
    out: str = capsys.readouterr().out
    return out.splitlines()


def told(line: str) -> str:
    return line.partition("  (")[0]


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        ([say("Hel", "lo.\nYou.")], ["Hello.", "You.", "(1 request)"]),
        ([turn(think("Hm."), "Yes.")], ["Hm.", "Yes.", "(1 request)"]),
        ([turn()], ["(1 request)"]),
        (
            [turn("Let me see.", call("double", {"n": 2})), "4"],
            ["Let me see.", '→ double {"n": 2}', "← double: 4", "4", "(2 requests)"],
        ),
        (
            [turn(refusal="I will not.")],
            ["(refused: I will not.)", "(stopped: refused: I will not.)"],
        ),
        (
            [call("steps"), "ok"],
            ["→ steps {}", "  … steps: half way", "← steps: done", "ok", "(2 requests)"],
        ),
        (
            [call("picture"), "ok"],
            ["→ picture {}", "← picture: Look:", "[image image/png, 4 bytes]"],
        ),
        (
            [call("crash"), "ok"],
            ["→ crash {}", "✗ crash: Tool 'crash' failed: RuntimeError: it broke"],
        ),
        ([call("rings"), "ok"], ["→ rings {}", "← rings: \ufffd[2Jgone\ufffd"]),
    ],
)
def test_each_kind_of_event_is_shown(
    script: list[Any], lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    seen = shown(script, capsys)
    assert [told(line) for line in seen[: len(lines)]] == lines


def test_a_call_that_was_never_started_is_shown_as_the_model_wrote_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen = shown([call("dubble", "{'n': 2}"), "oh"], capsys)
    assert seen[0] == "→ dubble {'n': 2}"
    assert seen[1].startswith("✗ dubble: ")


def test_a_repair_is_shown_between_call_and_result(capsys: pytest.CaptureFixture[str]) -> None:
    seen = shown([call("double", {"n": "2"}), "4"], capsys)
    assert seen[0] == '→ double {"n": 2}'
    assert seen[1].startswith("  ~ n: ")
    assert told(seen[2]) == "← double: 4"


@pytest.mark.parametrize(("full", "length"), [(False, 600), (True, 2100)])
def test_a_long_result_is_cut_unless_all_is_wanted(
    full: bool, length: int, capsys: pytest.CaptureFixture[str]
) -> None:
    line = shown([call("long"), "ok"], capsys, full=full)[1]
    assert length - 100 < len(line) < length
    assert ("more characters" in line) is not full


def test_a_limit_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    seen = shown([call("double", {"n": 1})], capsys, limits=Limits(model_calls=1))
    assert any(line.startswith("(stopped: limit:model_calls") for line in seen)


def test_a_failure_is_told_and_the_question_may_be_asked_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = ScriptedModel().fail(ModelError("The server is busy.")).say("Now.")
    screen = Screen()
    with Conversation(Agent(model), screen, Transcript(screen)) as conversation:
        assert conversation.ask("Go.") is False
        assert "Error: ModelError: The server is busy." in capsys.readouterr().out
        assert conversation.ask("Go.") is True
    assert len(model.requests[1].messages) == 1
    assert model.closed == 1


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("plain Grüße 🌍\n\ttab", "plain Grüße 🌍\n\ttab"),
        ("\x1b]0;title\x07", "\ufffd]0;title\ufffd"),
        ("a\r\nb\rc", "a\nb\ufffdc"),
        ("\u202egnp.exe", "\ufffdgnp.exe"),
        ("\x9b31m", "\ufffd31m"),
    ],
)
def test_what_a_terminal_would_obey_is_replaced(text: str, clean: str) -> None:
    assert plain(text) == clean


def test_shortening_says_how_much_is_missing() -> None:
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdef", 2) == "ab… (4 more characters)"
