"""What counts as a call in a text, what does not, and what is never guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcrib.models.prompted_text import read_said

TOOLS = {"get_weather", "now"}
OSLO = ("get_weather", '{"city": "Oslo"}')
CALL = '{"tool": "get_weather", "arguments": {"city": "Oslo"}}'

CALLS = {
    "bare": (CALL, [OSLO]),
    "named": ('{"name": "get_weather", "arguments": {"city": "Oslo"}}', [OSLO]),
    "parameters": ('{"name": "get_weather", "parameters": {"city": "Oslo"}}', [OSLO]),
    "arguments first": ('{"arguments": {"city": "Oslo"}, "name": "get_weather"}', [OSLO]),
    "with blanks around": (f"\n\n  {CALL}\n", [OSLO]),
    "in a fence": (f"```json\n{CALL}\n```", [OSLO]),
    "in a fence without a language": (f"```\n{CALL}\n```", [OSLO]),
    "in a fence that does not end": (f"```json\n{CALL}", [OSLO]),
    "before junk": (f"{CALL} {CALL[:9]}}}}} and so on", [OSLO]),
    "before prose": (f"{CALL}\nI have looked it up.", [OSLO]),
    "one below the other": (f'{CALL}\n{{"name": "now", "arguments": {{}}}}', [OSLO, ("now", "{}")]),
    "in a list": (f'[{CALL}, {{"tool": "now", "arguments": {{}}}}]', [OSLO, ("now", "{}")]),
    "in tags": (f"<tool_call>\n{CALL}\n</tool_call>", [OSLO]),
    "in tags twice": (f"<tool_call>{CALL}</tool_call><tool_call>{CALL}</tool_call>", [OSLO, OSLO]),
    "in a tag that does not end": (f"<tool_call>{CALL}", [OSLO]),
    "after thoughts": (f"<think>I could ask {{}}.</think>\n{CALL}", [OSLO]),
    "with its reason": ('{"thought": "hm", "tool": "now", "arguments": {}}', [("now", "{}")]),
    "arguments as text": ('{"name": "now", "arguments": "{\\"a\\": 1}"}', [("now", '{"a": 1}')]),
    "arguments null": ('{"tool": "now", "arguments": null}', [("now", "null")]),
    "no arguments": ('{"tool": "now"}', [("now", "{}")]),
    "as an API would": (
        '{"tool_calls": [{"id": "1", "type": "function", "function": '
        '{"name": "now", "arguments": "{}"}}]}',
        [("now", "{}")],
    ),
    "numbers as they were written": (
        '{"tool": "pay", "arguments": {"sum": 1.10, "x": 1e400}}',
        [("pay", '{"sum": 1.10, "x": 1e400}')],
    ),
    "an unknown tool": ('{"tool": "fly", "arguments": {}}', [("fly", "{}")]),
    "arguments beside the tool": (
        '{"tool": "get_weather", "city": "Oslo"}',
        [OSLO],
    ),
    "quotes that are no JSON, between tags": (
        "<tool_call>{'name': 'now'}</tool_call>",
        [("now", "{'name': 'now'}")],
    ),
    "a call in Python, between tags": (
        '<tool_call>get_weather(city="Oslo")</tool_call>',
        [("get_weather", 'get_weather(city="Oslo")')],
    ),
    "arguments that are wrong": (
        '{"tool": "now", "arguments": {"a": 1,}}',
        [("now", '{"a": 1,}')],
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_is_read_from_text(name: str) -> None:
    text, expected = CALLS[name]
    said = read_said(text, TOOLS)
    assert [(call.name, call.arguments) for call in said.calls] == expected
    assert not any(call.cut_off for call in said.calls)
    assert said.text == ""


BEFORE = {
    f"Sure! {CALL}": "Sure!",
    f"I'll look it up.\n\n{CALL}\n": "I'll look it up.",
    f"I would call this:\n{CALL}": "I would call this:",
    f"Of course:\n```json\n{CALL}\n```": "Of course:",
    f"Sure: ```\n{CALL}```": "Sure:",
}


@pytest.mark.parametrize("text", BEFORE)
def test_one_whole_call_that_is_all_the_rest_of_a_reply_is_meant(text: str) -> None:
    said = read_said(text, TOOLS)
    assert [(call.name, call.arguments) for call in said.calls] == [OSLO]
    assert said.text == BEFORE[text]
    assert not read_said(text, TOOLS, cut=True).calls


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "get_weather", "arguments": {"city": "Oslo"}, "answer": "Let me see."}',
        '{"answer": "Let me see.", "name": "get_weather", "arguments": {"city": "Oslo"}}',
        '{"tool": "get_weather", "arguments": {"city": "Oslo"}, "answer": null}',
    ],
)
def test_a_call_with_an_answer_in_it_is_a_call(text: str) -> None:
    said = read_said(text, TOOLS)
    assert [(call.name, call.arguments) for call in said.calls] == [OSLO]
    assert said.text == ("" if "null" in text else "Let me see.")


def test_a_call_without_its_last_brace_was_cut_off() -> None:
    (call,) = read_said(CALL[:-1], TOOLS).calls
    assert (call.name, call.arguments) == OSLO
    assert call.cut_off


PROSE = [
    "<tool_call>hm</tool_call>",
    "<tool_call>now or get_weather</tool_call>",
    '{"name": "now", "age": 3}',
    '{"tool": "hammer", "weight": 3}',
    f"Shall I do this? {CALL}",
    f"First {{x}}, then {CALL}",
    f"Sure! {CALL} {CALL}",
    f"Sure! [{CALL}]",
    f"Sure! {CALL[:-1]}",
    f"Sure! {CALL} Done.",
    'Sure! {"tool": "fly", "arguments": {}}',
    'Sure! {"tool": "now"}',
    'Sure! {"tool": "now", "arguments": "{}"}',
    '{"tool": "fly", "arguments": {}, "answer": "Up."}',
    '{"tool": ["now"], "arguments": {}, "answer": "Up."}',
    '{"tool": "now", "arguments": null, "answer": "Noon."}',
    '{"tool": "now", "answer": "Noon."}',
    '{"tool": "now", "arguments": {}, "answer": "Noon.", "more": 1}',
    "Hello!",
    f"You could write {CALL}.",
    f"For example:\n```json\n{CALL}\n```\nShall I?",
    '{"name": "Bob", "age": 3}',
    '{"name": "Bob"}',
    '{"name": "get_weather", "description": "Weather.", "parameters": {"type": "object"}}',
    '{"tool": "", "arguments": {}}',
    '{"tool": 1, "arguments": {}}',
    '{"tool": "now", "arguments": [1]}',
    '[{"city": "Oslo"}, {"city": "Paris"}]',
    "[1, 2]",
    "[",
    "{",
    "{}",
    "",
    "```",
    "<tool_call>",
    "<tool_call>soon</tool_call>",
    "Use <tool_call> tags.",
]


@pytest.mark.parametrize("text", PROSE)
def test_text_that_asks_for_nothing_is_no_call(text: str) -> None:
    said = read_said(text, TOOLS)
    assert (said.calls, said.text) == ((), text)


ANSWERS = {
    '{"answer": "It rains."}': "It rains.",
    '```json\n{"answer": "It rains."}\n```': "It rains.",
    '{"answer": "It rains."} {"answer"': "It rains.",
    '{"answer": "It rai': "It rai",
    '{"answer": "a\\nb \\"c\\""}': 'a\nb "c"',
    '{"answer": {"sky": "grey"}}': '{"sky": "grey"}',
    '{"answer": ""}': "",
    '{"tool": null, "arguments": {}, "answer": "It rains."}': "It rains.",
    '{"tool": "", "answer": "It rains."}': "It rains.",
    "<think>Hm.</think>It rains.": "It rains.",
}


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_is_taken_out_of_its_json(text: str) -> None:
    said = read_said(text, TOOLS)
    assert (said.calls, said.text) == ((), ANSWERS[text])


def test_words_beside_tags_are_kept() -> None:
    said = read_said(f"Let me see. <tool_call>{CALL}</tool_call>", TOOLS)
    assert said.text == "Let me see."
    assert len(said.calls) == 1


def test_thoughts_are_told_apart() -> None:
    assert read_said(f"<think> Hm. </think>{CALL}", TOOLS).thoughts == "Hm."


@pytest.mark.parametrize("end", range(len('{"tool": "get_weather", "a'), len(CALL)))
@pytest.mark.parametrize("wrap", ["{}", "```json\n{}", "<tool_call>{}", "[{}"])
def test_a_call_that_was_cut_off_is_marked_and_never_completed(end: int, wrap: str) -> None:
    said = read_said(wrap.replace("{}", CALL[:end]), TOOLS, cut=True)
    (call,) = said.calls
    assert call.name == "get_weather"
    assert call.cut_off
    assert OSLO[1].startswith(call.arguments) or call.arguments == CALL[24 + 13 : end]


@pytest.mark.parametrize(
    "text", ['{"tool": "now", "arg', '{"tool": "now", "arguments": {"a": 1}, "b']
)
def test_a_call_that_stops_where_more_was_meant_is_not_run(text: str) -> None:
    (call,) = read_said(text, TOOLS).calls
    assert call.cut_off


def test_arguments_that_stop_are_left_as_they_are_for_whoever_reads_them() -> None:
    (call,) = read_said('{"tool": "now", "arguments": {"a": "b', TOOLS).calls
    assert call.arguments == '{"a": "b'


@given(st.text('{}[]":, \n`<>/tolcarguments_name1\\', max_size=60), st.booleans())
def test_any_text_is_read_without_complaint(text: str, cut: bool) -> None:
    read_said(text, TOOLS, cut=cut)


def test_deep_nesting_is_no_reason_to_fall_over() -> None:
    for text in ("[" * 100_000, '{"tool": "now", "arguments": ' + '{"a":' * 100_000):
        read_said(text, TOOLS)
