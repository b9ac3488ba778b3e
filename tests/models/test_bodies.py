"""Bodies that are put together piece by piece are the bodies that would be written whole."""

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from toolcrib import (
    AssistantMessage,
    Image,
    Message,
    SystemMessage,
    Text,
    ToolCall,
    ToolDefinition,
    ToolResult,
    UserMessage,
)
from toolcrib.chat import ChatRequest
from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.messages import History, HistoryView
from toolcrib.models.bodies import Bodies
from toolcrib.schema.names import WireNames


class Counted:
    """Bodies in the dialect, and how many messages had to be encoded for them."""

    def __init__(self) -> None:
        self.messages = 0
        self.heads = 0
        self.bodies = Bodies(self._body, self._messages)

    def _body(self, request: ChatRequest, names: WireNames) -> dict[str, Any]:
        self.heads += 1
        return DIALECT.encode(request, "m", names)

    def _messages(self, messages: Sequence[Message], names: WireNames) -> list[dict[str, Any]]:
        self.messages += len(messages)
        return DIALECT.encode_messages(messages, names)

    def text(self, request: ChatRequest) -> bytes:
        return self.bodies.body(request)[0]


def whole(request: ChatRequest) -> Any:
    names = WireNames(tool.name for tool in request.tools)
    return json.loads(json.dumps(DIALECT.encode(request, "m", names)))


def a_round(number: int, results: int = 1) -> list[Message]:
    calls = tuple(ToolCall(f"c{number}.{n}", "look.up", "{}") for n in range(results))
    answers = [ToolResult(one.id, one.name, (Text(f"result {one.id}"),)) for one in calls]
    return [AssistantMessage("", calls), *answers]


TOOLS = (ToolDefinition("look.up"),)
MORE_TOOLS = (*TOOLS, ToolDefinition("look_up"))

_TEXTS = st.text(max_size=8)
_PICTURE = Image(b"\x89PNG")
_MESSAGES = st.one_of(
    st.builds(UserMessage, _TEXTS),
    st.builds(SystemMessage, _TEXTS),
    st.builds(AssistantMessage, _TEXTS),
    st.builds(lambda id_: AssistantMessage("", (ToolCall(id_, "look.up", '{"a": 1}'),)), _TEXTS),
    st.builds(lambda id_, text: ToolResult(id_, "look.up", (Text(text),)), _TEXTS, _TEXTS),
    st.builds(lambda id_: ToolResult(id_, "look.up", (_PICTURE, Text("x"))), _TEXTS),
)
_STEPS = st.lists(
    st.one_of(
        st.lists(_MESSAGES, max_size=4),
        st.tuples(st.integers(0, 30), _MESSAGES),
        st.lists(st.integers(0, 30), min_size=2, max_size=4),
        st.just("tools"),
    ),
    max_size=12,
)


@settings(max_examples=examples(150), deadline=None)
@given(_STEPS)
def test_a_body_says_the_same_as_one_that_is_encoded_whole(steps: list[Any]) -> None:
    counted = Counted()
    history = History([UserMessage("hello")])
    tools: tuple[ToolDefinition, ...] = TOOLS
    for step in steps:
        ranges: tuple[tuple[int, int], ...] = ()
        match step:
            case "tools":
                tools = MORE_TOOLS
            case (int(), message) if not isinstance(message, int):
                history.replace(step[0] % len(history), message)
            case [int(), *_]:
                places = sorted(place % (len(history) + 1) for place in step)
                ranges = tuple(zip(places[::2], places[1::2], strict=False))
            case _:
                history.extend(step)
        view = HistoryView(history, ranges) if ranges else history.view()
        request = ChatRequest(view, instructions="Be brief.", tools=tools)
        assert json.loads(counted.text(request)) == whole(request)


def test_each_message_is_encoded_once() -> None:
    counted, history = Counted(), History([UserMessage("hello")])
    for number in range(50):
        history.extend(a_round(number, results=3))
        counted.text(ChatRequest(history.view(), tools=TOOLS))
    assert counted.messages == len(history) == 201
    assert counted.heads == 1


def test_a_request_begins_with_the_bytes_of_the_one_before() -> None:
    counted, history = Counted(), History([UserMessage("hello")])
    before = b""
    for number in range(10):
        body = counted.text(ChatRequest(history.view(), instructions="Be brief.", tools=TOOLS))
        assert body.startswith(before)
        before = body.removesuffix(b"]}")
        history.extend(a_round(number, results=2))


def test_what_is_replaced_is_encoded_anew() -> None:
    counted, history = Counted(), History([UserMessage("hello"), *a_round(0)])
    counted.text(ChatRequest(history.view()))
    history.replace(2, ToolResult("c0.0", "look.up", (Text("undone"),)))
    body = json.loads(counted.text(ChatRequest(history.view())))
    assert body["messages"][-1]["content"] == "undone"


def test_a_name_that_is_spelled_differently_from_now_on_is_so_everywhere() -> None:
    counted, history = Counted(), History([UserMessage("hello"), *a_round(0)])

    def said(tools: tuple[ToolDefinition, ...]) -> str:
        body = json.loads(counted.text(ChatRequest(history.view(), tools=tools)))
        name: str = body["messages"][1]["tool_calls"][0]["function"]["name"]
        return name

    assert (said(TOOLS), said(MORE_TOOLS), said(TOOLS)) == ("look_up", "look_up_2", "look_up")


def test_a_view_of_the_past_is_not_disturbed_by_what_came_after_it() -> None:
    counted, history = Counted(), History([UserMessage("hello")])
    early = ChatRequest(history.view())
    history.extend(a_round(0, results=3))
    late = ChatRequest(history.view())
    half = ChatRequest(history.view(0, 3))
    for request in (late, early, half, late):
        assert json.loads(counted.text(request)) == whole(request)


def test_a_plain_list_of_messages_is_encoded_whole() -> None:
    counted = Counted()
    request = ChatRequest([UserMessage("hello"), *a_round(0)])
    assert json.loads(counted.text(request)) == whole(request)


def test_no_messages_at_all_are_an_empty_list() -> None:
    counted = Counted()
    for request in (ChatRequest([]), ChatRequest(History().view(), instructions="Be brief.")):
        assert json.loads(counted.text(request)) == whole(request)


def test_different_histories_do_not_mix() -> None:
    counted = Counted()
    histories = [History([UserMessage(f"hello {number}")]) for number in range(3)]
    for number in range(3):
        for history in histories:
            history.extend(a_round(number))
            request = ChatRequest(history.view())
            assert json.loads(counted.text(request)) == whole(request)
