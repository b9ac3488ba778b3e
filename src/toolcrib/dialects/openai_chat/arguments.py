"""Argument texts of calls: what came, whether it is whole, and what may be sent again."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import PydanticSerializationError, from_json, to_json

from toolcrib.schema.json_text import JsonTextError, read_json
from toolcrib.schema.numbers import NumberText

__all__ = ["arguments_text", "is_whole", "json_text", "sendable_arguments"]


def arguments_text(arguments: Any) -> str:
    """What came as arguments, as a text: an object becomes its JSON text, nothing the empty one."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else json_text(arguments)


def json_text(value: Any) -> str:
    """A value that came as JSON, as JSON again; halves of characters stay escaped."""
    try:
        return to_json(value).decode()
    except PydanticSerializationError:
        return json.dumps(value)


def is_whole(text: str) -> bool:
    """Whether the text is one JSON object that has its end."""
    try:
        return isinstance(from_json(text, allow_inf_nan=False), dict)
    except (ValueError, TypeError):  # the latter for halves of characters, which no tool is given
        return False


def sendable_arguments(text: str) -> str:
    """The arguments of an old call, as every server takes them: the text of one JSON object.

    A text that is one is sent as it is. What can be read with repairs is sent as it was read, and
    anything else as `{}`: servers refuse the whole request for it, and the model has been told of
    the fault in the call's result.
    """
    if is_whole(text):
        return text
    try:
        value = read_json(text).value if text else None
        if isinstance(value, str):  # a JSON text around the object
            value = read_json(value).value
    except (JsonTextError, RecursionError):
        value = None
    return _dumped(value) if isinstance(value, dict) else "{}"


def _dumped(value: Any) -> str:
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, dict):
        inside = (f"{json.dumps(key)}:{_dumped(item)}" for key, item in value.items())
        return "{" + ",".join(inside) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_dumped, value)) + "]"
    return json.dumps(value)
