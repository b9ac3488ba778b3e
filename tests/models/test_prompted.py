"""A model that only reads and writes text uses tools like any other."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.servers import completion, serve
from toolcrib import (
    Agent,
    AssistantMessage,
    Image,
    Message,
    Text,
    ToolCall,
    ToolDefinition,
    ToolError,
    ToolResult,
    UserMessage,
    tool,
)
from toolcrib.chat import ChatModel, ChatReply, ChatRequest, Delta, NamedTool, TextDelta, ToolChoice
from toolcrib.models import OpenAIChat, PromptedTools
from toolcrib.models.prompted import Example
from toolcrib.testing import ScriptedModel


@tool(effect="read")
def get_weather(city: str, days: int = 1) -> str:
    """Get the weather of a city."""
    if city == "Atlantis":
        raise ToolError("No such city.")
    return f"rain in {city}"


CALL = '{"tool": "get_weather", "arguments": {"city": "Oslo"}}'
WEATHER = get_weather.definition
NOW = ToolDefinition("now")
TREE = ToolDefinition(
    "plant",
    None,
    {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/Tree"}},
        "$defs": {
            "Tree": {
                "type": "object",
                "properties": {"child": {"$ref": "#/$defs/Tree"}, "all": {"$ref": "#"}},
            }
        },
    },
)


async def asked(request: ChatRequest, **options: Any) -> ChatRequest:
    """What the model behind is asked."""
    model = ScriptedModel().say("hm")
    async for _ in PromptedTools(model, **options).reply(request):
        pass
    return model.requests[0]


async def test_a_run_calls_tools_and_answers() -> None:
    model = ScriptedModel().say(CALL).say('{"answer": "It rains."}')
    outcome = await Agent(PromptedTools(model), tools=[get_weather]).run("Weather in Oslo?")
    assert (outcome.stop, outcome.content) == ("answered", "It rains.")
    (execution,) = outcome.tool_executions
    assert execution.value == "rain in Oslo"
    told = [
        message.text
        for message in model.requests[1].messages
        if isinstance(message, UserMessage | AssistantMessage)
    ]
    assert told == ["Weather in Oslo?", CALL, "Tool get_weather returned: rain in Oslo"]


async def test_a_mistake_is_explained_in_the_next_turn() -> None:
    model = ScriptedModel().say(CALL.replace("Oslo", "Atlantis")).say('{"answer": "None."}')
    await Agent(PromptedTools(model), tools=[get_weather]).run("Weather?")
    last = model.requests[1].messages[-1]
    assert isinstance(last, UserMessage)
    assert last.text == "Tool get_weather failed: No such city."


async def test_an_unknown_tool_is_a_call_all_the_same_so_that_the_model_is_taught() -> None:
    model = ScriptedModel().say(CALL.replace("get_weather", "get_wether")).say("Sorry.")
    outcome = await Agent(PromptedTools(model), tools=[get_weather]).run("Weather?")
    assert [execution.fault for execution in outcome.tool_executions] == ["unknown_tool"]


async def test_the_catalogue_stands_in_the_instructions() -> None:
    request = ChatRequest([UserMessage("hi")], instructions="Be brief.", tools=(WEATHER, NOW, TREE))
    instructions = (await asked(request)).instructions
    assert instructions is not None
    lines = instructions.splitlines()
    assert lines[0] == "Be brief."
    (weather,) = [line for line in lines if line.startswith("- get_weather: ")]
    assert "Get the weather of a city." in weather
    assert "(optional: days)" in weather
    assert "- now: arguments: {}" in lines
    assert any(line.startswith("- plant: ") and '"$defs"' in line for line in lines)


def branches(schema: Any) -> list[str]:
    alternatives = schema.get("anyOf", [schema])
    return [one["properties"].get("tool", {"const": "answer"})["const"] for one in alternatives]


CHOICES: list[tuple[ToolChoice, list[str]]] = [
    ("auto", ["get_weather", "now", "answer"]),
    ("required", ["get_weather", "now"]),
    ("none", ["answer"]),
    (NamedTool("now"), ["now"]),
]


@pytest.mark.parametrize(("choice", "expected"), CHOICES)
async def test_the_schema_allows_what_the_choice_allows(
    choice: ToolChoice, expected: list[str]
) -> None:
    request = ChatRequest([UserMessage("hi")], tools=(WEATHER, NOW), tool_choice=choice)
    sent = await asked(request)
    assert (sent.tools, sent.tool_choice) == ((), "auto")
    assert branches(sent.response_schema) == expected


async def test_references_hold_where_a_schema_has_moved_to() -> None:
    sent = await asked(ChatRequest([UserMessage("hi")], tools=(WEATHER, TREE)))
    schema = json.loads(json.dumps(sent.response_schema))

    def follow(reference: str) -> Any:
        found = schema
        for step in reference.removeprefix("#/").split("/"):
            found = found[step]
        return found

    arguments = schema["anyOf"][1]["properties"]["arguments"]
    root = follow(arguments["$ref"])
    tree = follow(root["properties"]["tree"]["$ref"])
    assert follow(tree["properties"]["child"]["$ref"]) is tree
    assert follow(tree["properties"]["all"]["$ref"]) is root


async def test_a_typed_answer_has_its_place_in_the_schema() -> None:
    wanted = {"type": "object", "properties": {"sky": {"type": "string"}}}
    request = ChatRequest([UserMessage("hi")], tools=(NOW,), response_schema=wanted)
    sent = await asked(request)
    assert sent.response_schema is not None
    assert sent.response_schema["anyOf"][-1]["properties"]["answer"] == wanted
    model = ScriptedModel().say('{"answer": {"sky": "grey"}}')
    items = [item async for item in PromptedTools(model).reply(request)]
    assert isinstance(items[-1], ChatReply)
    assert items[-1].message.text == '{"sky": "grey"}'


async def test_answers_can_be_bounded_and_the_schema_left_out() -> None:
    request = ChatRequest([UserMessage("hi")], tools=(NOW,))
    bounded = await asked(request, longest_answer=200)
    assert bounded.response_schema is not None
    answer = bounded.response_schema["anyOf"][-1]["properties"]["answer"]
    assert answer == {"type": "string", "maxLength": 200}
    assert (await asked(request, constrain=False)).response_schema is None


async def test_examples_come_before_the_conversation() -> None:
    examples = [
        Example("Weather in Paris?", "Sun.", "get_weather", {"city": "Paris"}, "sun in Paris"),
        Example("In Camelot?", "I cannot tell.", "get_weather", {}, "No.", failed=True),
        Example("Hello!", "Hello!"),
    ]
    sent = await asked(ChatRequest([UserMessage("hi")], tools=(WEATHER,)), examples=examples)
    assert [message.text for message in sent.messages if not isinstance(message, ToolResult)] == [
        "Weather in Paris?",
        '{"tool": "get_weather", "arguments": {"city": "Paris"}}',
        "Tool get_weather returned: sun in Paris",
        '{"answer": "Sun."}',
        "In Camelot?",
        '{"tool": "get_weather", "arguments": {}}',
        "Tool get_weather failed: No.",
        '{"answer": "I cannot tell."}',
        "Hello!",
        '{"answer": "Hello!"}',
        "hi",
    ]


PAST: Sequence[Message] = (
    UserMessage("hi"),
    AssistantMessage(
        "Let me see.", (ToolCall("1", "now", '{"a": 1.0}'), ToolCall("2", "now", "{oops"))
    ),
    ToolResult("1", "now", (Text("noon"), Image(url="https://example.org/sun.png"))),
    ToolResult("2", "now", (Text("wrong"),), is_error=True),
)


async def test_calls_at_once_are_a_list_and_their_results_one_turn() -> None:
    sent = await asked(ChatRequest(PAST, tools=(NOW,)))
    spoken, told = sent.messages[-2:]
    assert spoken == AssistantMessage(
        'Let me see.\n[{"tool": "now", "arguments": {"a": 1.0}}, {"tool": "now", "arguments": {}}]'
    )
    assert told == UserMessage(
        (
            Text("Tool now returned: noon"),
            Image(url="https://example.org/sun.png"),
            Text("Tool now failed: wrong"),
        )
    )


async def test_the_past_is_told_in_words_even_when_no_tool_is_left() -> None:
    sent = await asked(ChatRequest(PAST))
    assert not any(isinstance(message, ToolResult) for message in sent.messages)
    assert branches(sent.response_schema) == ["answer"]


async def test_a_request_that_is_not_about_tools_goes_on_as_it_is() -> None:
    request = ChatRequest((UserMessage("hi"),), instructions="Be brief.")
    assert await asked(request) == request


async def test_calls_of_a_model_that_can_call_are_left_alone() -> None:
    model = ScriptedModel().call("now", {"a": 1})
    request = ChatRequest([UserMessage("hi")], tools=(NOW,))
    items = [item async for item in PromptedTools(model).reply(request)]
    assert isinstance(items[-1], ChatReply)
    assert [one.arguments for one in items[-1].message.tool_calls] == ['{"a": 1}']


async def test_a_call_that_was_cut_off_is_not_run() -> None:
    model = ScriptedModel().turn(CALL[:-9], finish_reason="length")
    outcome = await Agent(PromptedTools(model), tools=[get_weather]).run("Weather?")
    assert outcome.stop == "limit:length"
    assert [one.state for one in outcome.tool_executions] in ([], ["not_run"])


# Streams


async def streamed(*fragments: str) -> tuple[list[Delta], ChatReply]:
    model = ScriptedModel().say(*fragments)
    request = ChatRequest([UserMessage("hi")], tools=(WEATHER,), stream=True)
    *deltas, reply = [item async for item in PromptedTools(model).reply(request)]
    assert isinstance(reply, ChatReply)
    return [delta for delta in deltas if not isinstance(delta, ChatReply)], reply


def shown(deltas: list[Delta]) -> list[str]:
    return [delta.text for delta in deltas if isinstance(delta, TextDelta)]


async def test_an_answer_in_json_is_shown_as_it_grows() -> None:
    deltas, reply = await streamed('{"ans', 'wer": "It', " rai", 'ns.\\n"', "}")
    assert shown(deltas) == ["It", " rai", "ns.\n"]
    assert reply.message.text == "It rains.\n"


async def test_a_plain_answer_is_shown_as_it_grows() -> None:
    deltas, reply = await streamed("It", " rains", ".")
    assert shown(deltas) == ["It", " rains", "."]
    assert reply.message.text == "It rains."


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CALL, ""),
        (f"```json\n{CALL}\n```", ""),
        (f"Let me see. <tool_call>{CALL}</tool_call>", "Let me see."),
        (f"<think>Hm.</think>{CALL}", ""),
        (f"Sure! {CALL}", "Sure!"),
        (f"Of course:\n\n```json\n{CALL}\n```\n", "Of course:"),
        (f'{{"answer": "Hold on.", {CALL[1:]}', "Hold on."),
    ],
)
async def test_a_call_is_never_shown_as_text(text: str, words: str, size: int) -> None:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    deltas, reply = await streamed(*pieces)
    assert "".join(shown(deltas)) == words == reply.message.text
    (call,) = reply.message.tool_calls
    kinds = [type(delta).__name__ for delta in deltas if not isinstance(delta, TextDelta)]
    assert kinds == ["ToolCallDelta", "ToolCallReady"]
    assert (call.name, call.arguments) == ("get_weather", '{"city": "Oslo"}')


@pytest.mark.parametrize(
    "text",
    [
        "a < b",
        "a <tool",
        "  hi  ",
        "[1, 2]",
        "`x`",
        '{"a": 1}',
        "<p>",
        "see {",
        'see {"a": 1} there',
        "so:\n```py\nx = {}\n```",
        f"Shall I? {CALL}",
        f"You could write {CALL}.",
    ],
)
@pytest.mark.parametrize("size", [1, 4])
async def test_whatever_is_an_answer_is_shown_whole(text: str, size: int) -> None:
    deltas, reply = await streamed(*[text[at : at + size] for at in range(0, len(text), size)])
    assert "".join(shown(deltas)) == reply.message.text == text


async def test_it_works_over_the_wire() -> None:
    with serve(completion(CALL), completion('{"answer": "It rains."}')) as server:
        model: ChatModel = PromptedTools(OpenAIChat("small", base_url=server.url))
        async with Agent(model, tools=[get_weather]) as agent:
            assert (await agent.run("Weather?")).content == "It rains."
    first = server.requests[0].json
    assert "tools" not in first
    assert first["response_format"]["json_schema"]["schema"]["anyOf"]
    assert [one["role"] for one in server.requests[1].json["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
