"""Requests as Chat Completions takes them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.dialects.chat import NAMES, chunk, decode, function, streamed
from toolcrib.chat import ChatRequest, NamedTool, Settings
from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.errors import ConfigurationError
from toolcrib.messages import (
    AssistantMessage,
    Audio,
    Document,
    Image,
    Message,
    SystemMessage,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    UserMessage,
)
from toolcrib.schema.names import WireNames
from toolcrib.tools.definition import ToolDefinition

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = ToolDefinition("weather", "Tells the weather.", CITY)


def encoded(*messages: Message) -> list[dict[str, Any]]:
    return DIALECT.encode_messages(messages, NAMES)


def body(*messages: Message, model: str = "m", **request: Any) -> dict[str, Any]:
    return DIALECT.encode(ChatRequest(messages or (UserMessage("Hi"),), **request), model, NAMES)


def called(arguments: str, **keys: Any) -> AssistantMessage:
    return AssistantMessage("", (ToolCall("a", "f", arguments, **keys),))


def sent_arguments(arguments: str) -> str:
    [message] = encoded(called(arguments))
    sent: str = message["tool_calls"][0]["function"]["arguments"]
    return sent


def test_a_round_is_encoded_message_by_message() -> None:
    assert encoded(
        SystemMessage("Be brief."),
        UserMessage("Weather?"),
        AssistantMessage("", (ToolCall("a", "weather", '{"city": "Paris"}'),)),
        ToolResult("a", "weather", (Text("sunny"),)),
        AssistantMessage("Sunny."),
    ) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "a",
                    "type": "function",
                    "function": {"name": "weather", "arguments": '{"city": "Paris"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "sunny"},
        {"role": "assistant", "content": "Sunny."},
    ]


def test_text_beside_calls_is_kept() -> None:
    [message] = encoded(AssistantMessage("One moment.", (ToolCall("a", "f", "{}"),)))
    assert (message["content"], len(message["tool_calls"])) == ("One moment.", 1)


def test_an_answer_that_is_empty_is_an_empty_text() -> None:
    assert encoded(AssistantMessage()) == [{"role": "assistant", "content": ""}]


def test_a_refusal_is_what_the_assistant_said() -> None:
    assert encoded(AssistantMessage(refusal="No.")) == [{"role": "assistant", "content": "No."}]


def test_calls_that_the_provider_ran_itself_are_not_sent() -> None:
    assert encoded(called("{}", server_side=True)) == [{"role": "assistant", "content": ""}]


def test_attributes_of_a_result_are_never_sent() -> None:
    result = ToolResult("a", "f", (Text("x"),), attributes={"secret": 1})
    assert encoded(result) == [{"role": "tool", "tool_call_id": "a", "content": "x"}]


def test_names_are_legal_on_the_wire_also_those_that_were_never_offered() -> None:
    names = WireNames(["a.b"])
    message = AssistantMessage("", (ToolCall("1", "a.b", "{}"), ToolCall("2", "x y", "{}")))
    [sent] = DIALECT.encode_messages([message], names)
    assert [call["function"]["name"] for call in sent["tool_calls"]] == ["a_b", "x_y"]


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ('{"x": 1.10}', '{"x": 1.10}'),
        ("", "{}"),
        ("  ", "{}"),
        ("null", "{}"),
        ('{"x": "cut', "{}"),
        ("[1]", "{}"),
        ("42", "{}"),
        ("not JSON", "{}"),
        ('{"x": NaN}', "{}"),
        ('{"x": 1.10, "y": [true, null, "é"],}', '{"x":1.10,"y":[true,null,"\\u00e9"]}'),
        ('```json\n{"x": 1}\n```', '{"x":1}'),
        ('"{\\"x\\": 1}"', '{"x":1}'),
        ("[" * 5000, "{}"),
    ],
)
def test_arguments_of_old_calls_are_always_an_object(written: str, sent: str) -> None:
    assert sent_arguments(written) == sent
    assert isinstance(json.loads(sent), dict)


def test_a_custom_call_goes_back_as_one() -> None:
    custom = {"id": "c", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    message = decode({"content": None, "tool_calls": [custom]}, "tool_calls").message
    assert encoded(message)[0]["tool_calls"] == [custom]


@pytest.mark.parametrize(
    "kept",
    [
        {"reasoning_content": "hm"},
        {"reasoning_content": ""},
        {"reasoning": "hm", "reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]},
        {"extra_content": {"google": {"thought_signature": "s"}}},
        {"thinking_blocks": [{"type": "thinking", "thinking": "hm", "signature": "s"}]},
    ],
)
def test_what_a_vendor_wants_to_see_again_goes_back(kept: dict[str, Any]) -> None:
    calls = [function("f", "{}", extra_content={"google": {"thought_signature": "t"}})]
    message = {"role": "assistant", "content": None, **kept, "tool_calls": calls}
    assert encoded(decode(message, "tool_calls").message) == [message]
    reply, _ = streamed([chunk(message), chunk(finish="tool_calls")])
    assert encoded(reply.message) == [message]


def test_parts_with_thoughts_go_back_unless_the_text_was_changed() -> None:
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "2+2"}]},
        {"type": "text", "text": "4"},
    ]
    message = decode({"content": content}).message
    assert encoded(message)[0]["content"] == content
    changed = AssistantMessage("[redacted]", extras=message.extras)
    assert encoded(changed)[0]["content"] == "[redacted]"


def test_what_other_dialects_kept_is_not_sent() -> None:
    message = AssistantMessage("x", thinking=(Thinking("hm", "s"),), extras={"gemini": {"a": 1}})
    assert encoded(message) == [{"role": "assistant", "content": "x"}]


@pytest.mark.parametrize("kept", [{"role": "system", "tool_calls": []}, "text", None])
def test_a_stored_history_cannot_overwrite_a_message(kept: Any) -> None:
    message = AssistantMessage("x", extras={"openai-chat": kept})
    assert encoded(message) == [{"role": "assistant", "content": "x"}]


PIXEL = b"\x89PNG"
PIXEL_URL = "data:image/png;base64," + base64.b64encode(PIXEL).decode()


@pytest.mark.parametrize(
    ("part", "sent"),
    [
        (Text("x"), {"type": "text", "text": "x"}),
        (Image(PIXEL), {"type": "image_url", "image_url": {"url": PIXEL_URL}}),
        (
            Image(url="https://x/y.png"),
            {"type": "image_url", "image_url": {"url": "https://x/y.png"}},
        ),
        (Audio(b"abc"), {"type": "input_audio", "input_audio": {"data": "YWJj", "format": "wav"}}),
        (
            Audio(b"abc", "audio/mpeg"),
            {"type": "input_audio", "input_audio": {"data": "YWJj", "format": "mp3"}},
        ),
        (
            Document(b"abc", name="a.pdf"),
            {
                "type": "file",
                "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,YWJj"},
            },
        ),
        (
            Document(url="https://x/a.pdf"),
            {"type": "file", "file": {"filename": "document", "file_data": "https://x/a.pdf"}},
        ),
        (
            Document(b"abc", media_type="text/plain", name="a.txt"),
            {"type": "text", "text": "a.txt:\nabc"},
        ),
    ],
)
def test_parts_of_a_user_message(part: Any, sent: dict[str, Any]) -> None:
    [message] = encoded(UserMessage((Text("Look:"), part)))
    assert message == {"role": "user", "content": [{"type": "text", "text": "Look:"}, sent]}


def test_a_picture_of_nothing_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"pass data=\.\.\. or url="):
        encoded(UserMessage((Image(),)))


def test_pictures_of_parallel_results_follow_the_last_result() -> None:
    sent = encoded(
        AssistantMessage("", (ToolCall("a", "f", "{}"), ToolCall("b", "g", "{}"))),
        ToolResult("a", "f", (Text("A chart:"), Image(PIXEL))),
        ToolResult("b", "g", (Text("done"),)),
        UserMessage("And?"),
    )
    assert [message["role"] for message in sent] == ["assistant", "tool", "tool", "user", "user"]
    assert sent[1]["content"] == "A chart:\n[image: see the message after the tool results]"
    assert sent[3]["content"] == [
        {"type": "text", "text": "The image in the result of tool 'f' (call a):"},
        {"type": "image_url", "image_url": {"url": PIXEL_URL}},
    ]
    assert sent[4]["content"] == "And?"


def test_a_picture_of_the_last_result_ends_the_messages() -> None:
    sent = encoded(called("{}"), ToolResult("a", "f", (Image(PIXEL),)))
    assert [message["role"] for message in sent] == ["assistant", "tool", "user"]


def test_a_result_without_parts_is_an_empty_text() -> None:
    assert encoded(ToolResult("a", "f", ()))[0]["content"] == ""


def test_a_body_says_no_more_than_it_must() -> None:
    assert body() == {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


def test_instructions_come_first_and_messages_last() -> None:
    whole = body(instructions="Be brief.", settings=Settings(extra_body={"top_k": 5}))
    assert whole["messages"][0] == {"role": "system", "content": "Be brief."}
    assert list(whole)[-1] == "messages"
    assert whole["top_k"] == 5


def test_settings_are_spelled_as_the_provider_does() -> None:
    settings = Settings(
        max_tokens=9, temperature=0.0, top_p=0.5, seed=0, stop=("a", "b"), parallel_tool_calls=False
    )
    whole = body(settings=settings, tools=(WEATHER,))
    del whole["tools"], whole["messages"]
    assert whole == {
        "model": "m",
        "max_tokens": 9,
        "temperature": 0.0,
        "top_p": 0.5,
        "seed": 0,
        "stop": ["a", "b"],
        "parallel_tool_calls": False,
    }


@pytest.mark.parametrize("model", ["gpt-5-mini", "o3", "openai/o4-mini"])
def test_reasoning_models_of_openai_count_completion_tokens(model: str) -> None:
    whole = body(settings=Settings(max_tokens=9), model=model)
    assert whole["max_completion_tokens"] == 9
    assert "max_tokens" not in whole


def test_further_keys_win_over_settings() -> None:
    settings = Settings(temperature=1.0, extra_body={"temperature": 0.5})
    assert body(settings=settings)["temperature"] == 0.5


def test_a_stream_asks_for_usage() -> None:
    whole = body(stream=True)
    assert (whole["stream"], whole["stream_options"]) == (True, {"include_usage": True})


def test_nothing_about_tools_is_said_without_tools() -> None:
    whole = body(tool_choice="required", settings=Settings(parallel_tool_calls=True))
    assert list(whole) == ["model", "messages"]


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("none", "none"),
        ("required", "required"),
        (NamedTool("weather"), {"type": "function", "function": {"name": "weather"}}),
    ],
)
def test_a_tool_choice_is_sent(choice: Any, sent: Any) -> None:
    assert body(tools=(WEATHER,), tool_choice=choice)["tool_choice"] == sent


def test_a_free_choice_is_left_out() -> None:
    assert "tool_choice" not in body(tools=(WEATHER,))


def test_a_tool_is_its_name_description_and_schema() -> None:
    assert DIALECT.encode_tools([WEATHER], NAMES) == [
        {
            "type": "function",
            "function": {
                "name": "weather",
                "description": "Tells the weather.",
                "parameters": CITY,
            },
        }
    ]


def test_a_tool_without_schema_takes_an_empty_object() -> None:
    [tool] = DIALECT.encode_tools([ToolDefinition("now")], NAMES)
    assert tool["function"] == {"name": "now", "parameters": {"type": "object", "properties": {}}}


def test_a_strict_tool_is_projected() -> None:
    [tool] = DIALECT.encode_tools([ToolDefinition("f", None, CITY, strict=True)], NAMES)
    assert tool["function"] == {
        "name": "f",
        "parameters": {**CITY, "additionalProperties": False},
        "strict": True,
    }


def test_a_strict_tool_without_schema_takes_a_closed_object() -> None:
    [tool] = DIALECT.encode_tools([ToolDefinition("now", strict=True)], NAMES)
    assert tool["function"]["parameters"] == {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }


OPEN = {"type": "object", "properties": {"tags": {"type": "object"}}}


def test_a_tool_that_asks_to_be_strict_and_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"'f' cannot be strict: /tags: an open dict"):
        DIALECT.encode_tools([ToolDefinition("f", None, OPEN, strict=True)], NAMES)


def test_the_wish_for_strict_tools_passes_over_those_that_cannot_be() -> None:
    tools = [ToolDefinition("f", None, OPEN), WEATHER]
    first, second = DIALECT.encode_tools(tools, NAMES, strict=True)
    assert first["function"] == {"name": "f", "parameters": OPEN}
    assert second["function"]["strict"] is True


def test_a_tool_that_will_not_be_strict_wins_over_the_wish() -> None:
    [tool] = DIALECT.encode_tools(
        [ToolDefinition("f", None, CITY, strict=False)], NAMES, strict=True
    )
    assert tool["function"]["strict"] is False
    assert tool["function"]["parameters"] == CITY


def test_an_answer_is_held_to_its_schema_strictly_where_it_can_be() -> None:
    held = body(response_schema=CITY)["response_format"]
    assert held == {
        "type": "json_schema",
        "json_schema": {
            "name": "answer",
            "schema": {**CITY, "additionalProperties": False},
            "strict": True,
        },
    }


@pytest.mark.parametrize(
    "schema", [OPEN, {"anyOf": [CITY, OPEN]}, {"anyOf": [CITY, {**CITY, "title": "T"}]}]
)
def test_an_answer_is_held_to_its_schema_as_it_is_elsewhere(schema: dict[str, Any]) -> None:
    held = body(response_schema=schema)["response_format"]["json_schema"]
    assert held == {"name": "answer", "schema": schema}


def test_the_same_request_always_has_the_same_bytes() -> None:
    request = ChatRequest((UserMessage("Hi"), called("{}")), "Be brief.", (WEATHER,))
    first = json.dumps(DIALECT.encode(request, "m", NAMES))
    assert first == json.dumps(DIALECT.encode(request, "m", NAMES))
