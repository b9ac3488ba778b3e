"""What a model wrote as text → the calls that it meant, or the answer that it is."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic_core import from_json

from toolcrib.messages import ToolCall

__all__ = ["TAG", "Said", "begun_answer", "read_said"]

TAG = "<tool_call>"
_END_TAG = "</tool_call>"
_FENCE = re.compile(r"```[A-Za-z_]*[ \t]*\n?")
_THOUGHTS = re.compile(r"<think>(.*?)</think>", re.DOTALL)
_OPENED_FENCE = re.compile(r"```[A-Za-z_]*\Z")
_BETWEEN = re.compile(r"[\s,;]*")
_BLANKS = re.compile(r"\s*")

_ANSWER = re.compile(r'\s*\{\s*"answer"\s*:\s*"')
_NAMES = ("tool", "name")
_ARGUMENTS = ("arguments", "parameters")
_CALLING = frozenset((*_NAMES, *_ARGUMENTS))
_DEEPEST = 4
"""How deep wrappers and lists around a call may go."""
_BESIDE = {"id", "type", "thought", "reason", "reasoning"}
"""What models write beside a call, without meaning anything else by it."""


@dataclass(frozen=True, slots=True)
class Said:
    """A text, taken apart."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    thoughts: str = ""


@dataclass(frozen=True, slots=True)
class _Field:
    value: Any
    text: str
    whole: bool = True


class _Unreadable(Exception):
    """The JSON breaks off or goes wrong; holds the fields of an object up to there, and the rest."""

    def __init__(self, fields: Mapping[str, _Field], rest: str) -> None:
        super().__init__()
        self.fields = fields
        self.rest = rest.strip().removesuffix("```")


def read_said(text: str, tools: Collection[str], *, cut: bool = False) -> Said:
    """Take a reply apart; `cut` says that it did not come to its end.

    A call is JSON that opens the reply (bare, or in a fence), or stands between `<tool_call>` tags
    anywhere. JSON inside of prose is prose: a model that explains a call does not ask for it. Only
    where one whole call of a tool that there is ends the reply, after words that ask nothing, is it
    meant: small models cannot but say "Sure!" first.
    """
    thoughts = ""
    if (thought := _THOUGHTS.match(text.lstrip())) is not None:
        thoughts, text = thought[1].strip(), text.lstrip()[thought.end() :]
    stripped = text.strip()
    if TAG in stripped:
        return _tagged(stripped, tools, thoughts, cut=cut)
    if (fence := _FENCE.match(stripped)) is not None:
        stripped = stripped[fence.end() :]
    if stripped[:1] in ("{", "["):
        calls = tuple(_calls(stripped, tools, cut=cut))
        if calls:
            return Said(_answer_beside(stripped), calls, thoughts)
        answer = _answer(stripped)
        if answer is not None:
            return Said(answer, (), thoughts)
    elif not cut and (ending := _ending_call(stripped, tools)) is not None:
        return Said(*ending, thoughts)
    return Said(text if not thoughts else text.strip(), (), thoughts)


def _tagged(text: str, tools: Collection[str], thoughts: str, *, cut: bool) -> Said:
    before, *blocks = text.split(TAG)
    calls: list[ToolCall] = []
    said = [before]
    for number, block in enumerate(blocks, 1):
        inside, ended, after = block.partition(_END_TAG)
        is_cut = cut and not ended and number == len(blocks)
        found = list(_calls(inside.strip(), tools, cut=is_cut)) or _meant(inside.strip(), tools)
        calls += found
        said.append(after if found else TAG + block)
    return Said("".join(said).strip(), tuple(calls), thoughts)


def _meant(inside: str, tools: Collection[str]) -> list[ToolCall]:
    """What stands between the tags of a call and is none: told to the model as what it is.

    Only where it names one tool; otherwise nobody could say of which tool the arguments are wrong.
    """
    named = [name for name in tools if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", inside)]
    return [ToolCall("", named[0], inside)] if len(named) == 1 else []


def _answer(text: str) -> str | None:
    try:
        fields, _ = _object(text, 0)
    except _Unreadable as broken:
        fields = dict(broken.fields)
    if not fields:
        return begun_answer(text)
    # "tool": null beside an answer says that none is called
    if {name for name in fields if name not in _CALLING or fields[name].value} - {"answer"}:
        return None
    if "answer" not in fields:
        return None
    value = fields["answer"].value
    return value if isinstance(value, str) else fields["answer"].text


def _answer_beside(text: str) -> str:
    """The answer that a model wrote into its call: what it says while it calls."""
    try:
        fields, _ = _object(text, 0) if text.startswith("{") else ({}, 0)
    except _Unreadable:
        return ""
    said = fields["answer"].value if "answer" in fields else ""
    return said if isinstance(said, str) else ""


def _ending_call(text: str, tools: Collection[str]) -> tuple[str, tuple[ToolCall, ...]] | None:
    """What is said before a call that is all the rest, and the call."""
    at = text.find("{")
    before = text[: max(at, 0)].rstrip()
    if not before or "?" in before:
        return None
    rest = text[at:]
    if (fence := _OPENED_FENCE.search(before)) is not None:
        before, rest = before[: fence.start()], rest.removesuffix("```")
    try:
        fields, end = _object(rest, 0)
    except _Unreadable:
        return None
    call = None if rest[end:].strip() else _call(fields, tools)
    if call is None or not _is_exact(fields, call.name, tools):
        return None
    return before.strip(), (call,)


def _is_exact(fields: Mapping[str, _Field], name: Any, tools: Collection[str]) -> bool:
    """Whether it calls a tool that there is, with an object of arguments: nothing else has that shape."""
    given = [fields[key].value for key in _ARGUMENTS if key in fields]
    return name in tools and bool(given) and isinstance(given[0], dict)


def begun_answer(text: str) -> str | None:
    """The answer as far as it has come, if `text` is the beginning of `{"answer": "..."}`."""
    if _ANSWER.match(text) is None:
        return None
    try:
        value = from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return None
    answer = value.get("answer", "")
    return answer if isinstance(answer, str) else None


def _calls(text: str, tools: Collection[str], *, cut: bool) -> Iterator[ToolCall]:
    """The calls at the beginning of `text`, one after another, or in lists; junk ends them."""
    at = 0
    while at < len(text):
        found, at = _calls_at(text, at, tools, cut=cut)
        if not found:
            return
        yield from found
        blanks = _BETWEEN.match(text, at)
        at = blanks.end() if blanks else at


def _calls_at(
    text: str, at: int, tools: Collection[str], *, cut: bool, depth: int = 0
) -> tuple[list[ToolCall], int]:
    """The call or the list of calls at `at`, if there is one, and where it ends."""
    opening = text[at : at + 1]
    if opening not in ("{", "[") or depth > _DEEPEST:
        return [], at
    if opening == "[":
        return _list_at(text, at, tools, cut=cut, depth=depth)
    try:
        fields, end = _object(text, at)
    except _Unreadable as broken:
        call = _broken_call(broken, tools, cut=cut)
        return ([] if call is None else [call]), len(text)
    for wrapper in ("tool_calls", "tool_call", "function", "function_call"):
        if wrapper in fields and isinstance(fields[wrapper].value, dict | list):
            inside = fields[wrapper].text
            return _calls_at(inside, 0, tools, cut=False, depth=depth + 1)[0], end
    call = _call(fields, tools)
    return ([] if call is None else [call]), end


def _list_at(
    text: str, at: int, tools: Collection[str], *, cut: bool, depth: int
) -> tuple[list[ToolCall], int]:
    calls: list[ToolCall] = []
    at = _skip(text, at + 1)
    while at < len(text) and text[at] != "]":
        found, at = _calls_at(text, at, tools, cut=cut, depth=depth + 1)
        if not found:
            return [], len(text)  # a list of something else
        calls += found
        blanks = _BETWEEN.match(text, at)
        at = blanks.end() if blanks else at
    return calls, at + 1


def _call(fields: Mapping[str, _Field], tools: Collection[str]) -> ToolCall | None:
    key = next((name for name in _NAMES if name in fields), None)
    holder = next((name for name in _ARGUMENTS if name in fields), None)
    if key is None:
        return None
    name = fields[key].value
    if not isinstance(name, str) or not name.strip():
        return None
    others = [one for one in fields if one not in (key, holder, "answer", *_BESIDE)]
    if others:
        # arguments beside the name of a tool that there is: nothing else says "tool"
        if key != "tool" or holder is not None or "answer" in fields or name not in tools:
            return None
        given = ", ".join(f"{json.dumps(one)}: {fields[one].text}" for one in others)
        return ToolCall("", name, f"{{{given}}}")
    if "answer" in fields and not _is_exact(fields, name, tools):
        return None
    if holder is None:
        # without arguments it may be data, such as a name
        return ToolCall("", name, "{}") if name in tools else None
    held = fields[holder]
    if held.value is not None and not isinstance(held.value, dict | str):
        return None
    text = held.value if isinstance(held.value, str) else held.text
    return ToolCall("", name.strip(), text)


def _broken_call(broken: _Unreadable, tools: Collection[str], *, cut: bool) -> ToolCall | None:
    """A call whose JSON breaks off, or is wrong, somewhere in it: never completed by guessing."""
    call = _call(broken.fields, tools)
    if call is None:
        return None
    holder = next((name for name in _ARGUMENTS if name in broken.fields), None)
    if holder is None:
        return replace(call, arguments="", cut_off=True)
    if broken.fields[holder].whole:
        return replace(call, cut_off=True)
    text = broken.fields[holder].text.rstrip().removesuffix("```").rstrip()
    # the last brace is that of the call, if what it holds only went wrong
    return replace(call, arguments=text if cut else text.removesuffix("}"), cut_off=cut)


def _object(text: str, at: int) -> tuple[dict[str, _Field], int]:
    """The fields of the JSON object at `at`, with their texts, and where it ends."""
    fields: dict[str, _Field] = {}
    at = _skip(text, at + 1)
    if text[at : at + 1] == "}":
        return fields, at + 1
    while True:
        key, at = _value(text, at, fields)
        at = _skip(text, at)
        if not isinstance(key, str) or text[at : at + 1] != ":":
            raise _Unreadable(fields, text[at:])
        start = _skip(text, at + 1)
        try:
            value, at = _value(text, start, fields)
        except _Unreadable:
            if text[start : start + 1] == "{":
                fields[key] = _Field({}, text[start:], whole=False)
            raise
        fields[key] = _Field(value, text[start:at])
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            return fields, at + 1
        if text[at : at + 1] != ",":
            raise _Unreadable(fields, text[at:])
        at = _skip(text, at + 1)


_DECODER = json.JSONDecoder(strict=False)


def _value(text: str, at: int, fields: Mapping[str, _Field]) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        raise _Unreadable(fields, text[at:]) from None


def _skip(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at
