"""JSON text is read with its number literals; only repairs that cannot change its meaning are made."""

import pytest

from toolcrib.schema.json_text import DEEPEST, JsonTextError, read_json
from toolcrib.schema.numbers import NumberText


@pytest.mark.parametrize(
    ("text", "value", "notes"),
    [
        ('{"a": [1, 2, ], }', {"a": [1, 2]}, 1),
        ('{"a": "b,}",}', {"a": "b,}"}, 1),
        ('{"a": "b\nc\td"}', {"a": "b\nc\td"}, 1),
        ('\ufeff{"a": 1}', {"a": 1}, 1),
        ('```json\n{"a": 1}\n```', {"a": 1}, 1),
        ('```{"a": 1}```', {"a": 1}, 1),
        ('```json {"a": 1} ```', {"a": 1}, 1),
        ('  ```\n{"a": "```",}\n```  ', {"a": "```"}, 2),
        ('{"a": "say \\"hi\\",}"}', {"a": 'say "hi",}'}, 0),
    ],
)
def test_what_cannot_change_the_meaning_is_put_right(text: str, value: object, notes: int) -> None:
    found = read_json(text)
    assert found.value == value
    assert len(found.notes) == notes


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}\n\nDone.',
        '{"a": 1} {"a": 2}',
        "{'a': 1}",
        "{a: 1}",
        '{"a": True}',
        '{"a": None}',
        '{"a": .5}',
        '{"a": 01}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1, "a": 1}',
        '{"b": {"a": 1, "a": 2}}',
        '{"a": "C:\\dir"}',
        '{"a": "\x00"}',
        "[,]",
        "[1,,]",
        '{"a":,}',
        "// no\n{}",
        "```{'a': 1}```",
        '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```',
        'Here it is:\n```json\n{"a": 1}\n```',
        '{"a": 1' + "0" * 5_000 + "}",
    ],
)
def test_what_would_be_a_guess_is_refused(text: str) -> None:
    with pytest.raises(JsonTextError) as raised:
        read_json(text)
    assert not raised.value.cut_off
    assert raised.value.problem


@pytest.mark.parametrize(
    "text",
    [
        '{"a": ["b", "c"',
        '{"a": "b',
        '{"a": "b\\',
        '{"a": "b\\u00',
        '{"a": "b\\ud83d\\u',
        '{"a": tru',
        '{"a": -',
        '{"a": 1.',
        '{"a": 1e+',
        '{"a"',
        '{"a": 1,',
        "{",
        '```json\n{"a": 1',
    ],
)
def test_a_text_that_ends_too_early_is_known_as_cut_off(text: str) -> None:
    with pytest.raises(JsonTextError) as raised:
        read_json(text)
    assert raised.value.cut_off


def test_numbers_keep_their_text() -> None:
    found = read_json("[1.10, 1e3, 9007199254740993, -0, 12]").value
    assert found == ["1.10", "1e3", 9007199254740993, "-0", 12]
    assert [type(number) for number in found] == [NumberText, NumberText, int, NumberText, int]


def test_nesting_has_a_limit_that_brackets_in_texts_do_not_reach() -> None:
    assert read_json("[" * DEEPEST + "]" * DEEPEST).value
    assert read_json('["' + "[" * 1_000 + '", "\\"[", []]').value
    assert read_json("[" + "[]," * 1_000 + "[]]").value
    with pytest.raises(JsonTextError, match="nested"):
        read_json("[" * 100_000 + "]" * 100_000)


@pytest.mark.parametrize(
    "text",
    [
        '"' + '\\"' * 200_000,
        "{" + '"\\"' * 200_000,
        "```\n" + " " * 500_000,
        '["' + "\n" * 300_000,
        "[" + "1," * 200_000 + ",]",
    ],
)
def test_a_large_broken_text_is_refused_after_one_look(text: str) -> None:
    # Quadratic work on half a megabyte would take minutes, not fail.
    with pytest.raises(JsonTextError):
        read_json(text)
