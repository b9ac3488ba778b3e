"""What a model answered is recorded without secrets, and replayed to the same requests only."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.testing.test_scripted_model import items_of, reply_of
from toolcrib.chat import ChatModel, ChatReply, ChatRequest, NamedTool, Settings, Usage
from toolcrib.errors import ConfigurationError, ModelError, QuotedCall
from toolcrib.messages import (
    AssistantMessage,
    Image,
    Message,
    SystemMessage,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from toolcrib.testing import (
    Recorder,
    Replay,
    RequestChanged,
    ScriptedModel,
    ScriptExhausted,
    UnusedSteps,
    call,
    say,
    think,
    turn,
)
from toolcrib.tools.definition import ToolDefinition

ADD = ToolDefinition("add", "Adds.", {"type": "object", "properties": {"a": {"type": "integer"}}})


async def answers(model: ChatModel, requests: Sequence[ChatRequest]) -> list[ChatReply]:
    items = [item for request in requests async for item in model.reply(request)]
    return [item for item in items if isinstance(item, ChatReply)]


def growing(*messages: Message, **more: Any) -> list[ChatRequest]:
    """One request per assistant's turn, each with all messages so far."""
    ends = [n for n, message in enumerate(messages) if not isinstance(message, AssistantMessage)]
    return [ChatRequest(messages[: n + 1], tools=(ADD,), **more) for n in ends]


CONVERSATION = growing(
    UserMessage("One and two?"),
    AssistantMessage("", (ToolCall("call_0_0", "add", '{"a": 1}'),)),
    ToolResult("call_0_0", "add", (Text("3"), Image(b"\x89PNG"))),
    instructions="Be brief.",
    tool_choice=NamedTool("add"),
    response_schema={"type": "object"},
    settings=Settings(temperature=0.0, stop=("x",), extra_body={"k": 1}),
)
REPLIES = [
    turn(think("Hm.", signature="s"), "So: ", call("add", {"a": 1}), usage=Usage(7, 2)),
    ChatReply(AssistantMessage("3"), "stop", Usage(9, 1), "end", "m-1", "r-2", {"tier": "x"}),
]


async def test_a_replay_gives_the_very_replies_that_were_recorded(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "it.json"
    recorder = Recorder(ScriptedModel(REPLIES, name="real"), path)
    recorded = await answers(recorder, CONVERSATION)
    with Replay(path) as replay:
        assert replay.name == "real"
        assert await answers(replay, CONVERSATION) == recorded


async def test_a_recording_serves_streaming_requests_too(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    await reply_of(Recorder(ScriptedModel(REPLIES), path))
    *deltas, last = await items_of(Replay(path), stream=True)
    assert deltas
    assert last.message.tool_calls[0].name == "add"


async def test_the_file_has_the_same_bytes_each_time_and_no_message_twice(tmp_path: Path) -> None:
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path in paths:
        await answers(Recorder(ScriptedModel(REPLIES), path), CONVERSATION)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].read_text().count("One and two?") == 1
    assert sorted(os.listdir(tmp_path)) == ["a.json", "b.json"]


async def test_what_ends_between_requests_is_remembered_as_ended(tmp_path: Path) -> None:
    requests = [
        ChatRequest((UserMessage("a"),), "Be brief.", (ADD,), "required"),
        ChatRequest((UserMessage("b"),)),
        ChatRequest((UserMessage("b"),), "Be brief."),
    ]
    recorder = Recorder(ScriptedModel(["1", "2", "3"]), tmp_path / "it.json")
    await answers(recorder, requests)
    with Replay(tmp_path / "it.json") as replay:
        assert [one.message.text for one in await answers(replay, requests)] == ["1", "2", "3"]


async def test_errors_of_the_model_are_recorded(tmp_path: Path) -> None:
    error = ModelError(
        "Busy",
        status=429,
        code="rate",
        retryable=True,
        retry_after=2.5,
        request_id="r",
        excerpt="{}",
        quoted_calls=[QuotedCall("f", "{")],
    )
    path = tmp_path / "it.json"
    with pytest.raises(ModelError):
        await reply_of(Recorder(ScriptedModel([error]), path))
    with pytest.raises(ModelError, match="Busy") as caught:
        await reply_of(Replay(path))
    assert vars(caught.value) == vars(error)


async def test_other_exceptions_are_not_recorded(tmp_path: Path) -> None:
    recorder = Recorder(ScriptedModel([KeyError("bug"), "fine"]), tmp_path / "it.json")
    with pytest.raises(KeyError):
        await reply_of(recorder)
    assert (await reply_of(recorder)).message.text == "fine"
    with Replay(tmp_path / "it.json") as replay:
        await reply_of(replay)


async def test_answers_that_come_in_another_order_are_replayed_to_their_requests(
    tmp_path: Path,
) -> None:
    path = tmp_path / "it.json"
    questions = [[UserMessage("a")], [UserMessage("b")]]

    def echo(request: ChatRequest) -> Any:
        return say(f"re: {request.messages[0].text}")  # type: ignore[union-attr]

    recorder = Recorder(ScriptedModel(forever=echo), path)
    for messages in questions:
        await reply_of(recorder, messages=messages)
    with Replay(path) as replay:
        for messages in reversed(questions):
            said = (await reply_of(replay, messages=messages)).message.text
            assert said == f"re: {messages[0].text}"


async def test_a_changed_request_is_shown_as_a_difference(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    await reply_of(Recorder(ScriptedModel(["x"]), path), messages=[UserMessage("Old words")])
    replay = Replay(path)
    with pytest.raises(RequestChanged) as caught:
        await reply_of(replay, messages=[SystemMessage("New rule"), UserMessage("Old words")])
    assert '+   "text": "New rule"' in str(caught.value)
    assert "Old words" in str(caught.value)
    assert "--toolcrib-record" in str(caught.value)
    with pytest.raises(RequestChanged):
        replay.check()


async def test_a_long_difference_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    await reply_of(Recorder(ScriptedModel(["x"]), path))
    with pytest.raises(RequestChanged, match=r"\.\.\. and \d+ more lines") as caught:
        await reply_of(Replay(path), messages=[UserMessage(str(n)) for n in range(500)])
    assert len(str(caught.value).splitlines()) < 70


async def test_too_many_and_too_few_requests_are_complained_about(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    await reply_of(Recorder(ScriptedModel(["x"]), path))
    replay = Replay(path)
    with pytest.raises(UnusedSteps, match="holds 1 answers, and 1 of them"):
        replay.check()
    await reply_of(replay)
    with pytest.raises(ScriptExhausted, match="round 1"):
        await reply_of(replay)


SECRETS = {
    "key": "sk-proj-abcdefghijklmnop1234",
    "password": "hunter2-is-long",
    "pin": "hunter-pin",
    "url": "correct-horse",
    "bearer": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
}
LEAKY = [
    SystemMessage(f"Use the key {SECRETS['key']} and postgres://me:{SECRETS['url']}@db/x."),
    UserMessage(f"curl -H 'Authorization: Bearer {SECRETS['bearer']}'"),
    AssistantMessage(
        "",
        (
            ToolCall(
                "c", "login", json.dumps({"password": SECRETS["password"], "pin": 4711, "n": 1})
            ),
        ),
    ),
    ToolResult(
        "c",
        "login",
        (Text(json.dumps({"ok": True, "pin": SECRETS["pin"], "tokens": 7})),),
        attributes={"api_key": SECRETS["key"]},
    ),
]


async def test_secrets_are_removed_and_the_replay_still_fits(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    real = turn(f"Your key is {SECRETS['key']}.", call("f", {"token": SECRETS["bearer"], "n": 3}))
    await answers(Recorder(ScriptedModel([real]), path), [ChatRequest(LEAKY)])
    text = path.read_text()
    for secret in (*SECRETS.values(), "4711"):
        assert secret not in text
    with Replay(path) as replay:
        (reply,) = await answers(replay, [ChatRequest(LEAKY)])
    assert reply.message.text == "Your key is [redacted]."
    assert json.loads(reply.message.tool_calls[0].arguments) == {"token": "[redacted]", "n": 3}


async def test_what_is_taken_out_may_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "it.json"

    def without_date(text: str) -> str:
        return text.replace("Monday", "[day]").replace("Tuesday", "[day]")

    recorder = Recorder(ScriptedModel(["x"]), path, redact=without_date)
    await reply_of(recorder, messages=[UserMessage("It is Monday.")])
    with Replay(path, redact=without_date) as replay:
        await reply_of(replay, messages=[UserMessage("It is Tuesday.")])
    assert "Monday" not in path.read_text()


async def test_what_a_model_does_not_see_makes_no_difference(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    messages = [
        AssistantMessage("", (ToolCall("c", "f", "{}"),)),
        ToolResult("c", "f", (), attributes={"row": object()}),
    ]
    request = ChatRequest(messages, tools=(replace(ADD, metadata={"team": "a"}),))
    await answers(Recorder(ScriptedModel(["x"]), path), [request])
    assert "team" not in path.read_text()
    with Replay(path) as replay:
        await answers(replay, [replace(request, tools=(replace(ADD, effect="read"),), stream=True)])


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"model": "m", "exchanges": [{"request": {}}]}', "\x00"]
)
def test_a_file_that_is_no_recording_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "it.json").write_text(text)
    with pytest.raises(ConfigurationError, match=r"it\.json' is not a recording"):
        Replay(tmp_path / "it.json")


def test_a_missing_recording_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="--toolcrib-record"):
        Replay(tmp_path / "none.json")


async def test_closing_a_recorder_closes_the_model_behind(tmp_path: Path) -> None:
    model = ScriptedModel()
    await Recorder(model, tmp_path / "it.json").close()
    assert model.closed == 1


async def test_recordings_show_their_file_and_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    recorder = Recorder(ScriptedModel(["one", "two"], name="real"), path)
    await answers(recorder, growing(UserMessage("a"), AssistantMessage("one"), UserMessage("b")))
    replay = Replay(path)
    assert repr(recorder).startswith("<Recorder of <ScriptedModel 'real': ")
    assert repr(str(path)) in repr(recorder)
    assert repr(replay) == f"<Replay of {str(path)!r}: 2 of 2 left>"
