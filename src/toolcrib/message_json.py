"""Messages as JSON text and back: the form in which conversations are stored.

Whatever has its default is left out, bytes are base64, and the same messages always give the same
text. Text that was written before a key existed loads; a key that nobody knows is refused.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

from toolcrib.errors import ConfigurationError
from toolcrib.messages import (
    AssistantMessage,
    Audio,
    Document,
    Image,
    Message,
    Part,
    SystemMessage,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    UserMessage,
)

__all__ = [
    "json_data",
    "json_text",
    "message_from_dict",
    "message_to_dict",
    "messages_from_json",
    "messages_to_json",
]

M = TypeVar("M")


def messages_to_json(messages: Iterable[Message]) -> str:
    """The messages as one JSON array. Raises `ConfigurationError` for attributes or extras that JSON
    cannot hold, naming where they stand."""
    return json_text(
        [_written(message, f"messages[{place}]") for place, message in enumerate(messages)]
    )


def messages_from_json(text: str | bytes) -> list[Message]:
    """What `messages_to_json` wrote. Raises `ConfigurationError` naming the message and key at fault."""
    try:
        data = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"Stored messages must be JSON text: {error}.") from error
    if not isinstance(data, list):
        raise ConfigurationError("Stored messages must be a JSON array of messages.")
    return [
        _read_tagged(_MESSAGES, entry, f"messages[{place}]") for place, entry in enumerate(data)
    ]


def message_to_dict(message: Message) -> dict[str, Any]:
    """One message as plain JSON data."""
    return _written(message, "message")


def message_from_dict(data: Mapping[str, Any]) -> Message:
    """What `message_to_dict` gave. Raises `ConfigurationError` naming the key at fault."""
    message: Message = _read_tagged(_MESSAGES, data, "message")
    return message


def json_text(data: Any) -> str:
    """Plain JSON data as compact text that is valid UTF-8 when encoded."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # lone surrogates survive as escapes only
        return json.dumps(data, separators=(",", ":"))
    return text


Convert: TypeAlias = Callable[[Any, str], Any]
"""A value and where it stands, to its other form. Raises `ConfigurationError`."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Form:
    """How the value of one field is written and read."""

    write: Convert
    read: Convert


def _wrong(where: str, wanted: str, value: Any) -> ConfigurationError:
    return ConfigurationError(f"{where} must be {wanted}, not {value!r:.80}.")


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise _wrong(where, "a text", value)
    return value


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(where, "true or false", value)
    return value


def _base64(value: Any, where: str) -> str:
    if not isinstance(value, bytes | bytearray):
        raise _wrong(where, "bytes", value)
    return base64.b64encode(value).decode()


def _bytes(value: Any, where: str) -> bytes:
    try:
        return base64.b64decode(_text(value, where), validate=True)
    except (binascii.Error, ValueError) as error:
        raise _wrong(where, "base64 text", value) from error


def _list(value: Any, where: str) -> list[Any] | tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise _wrong(where, "a list", value)
    return value


def json_data(value: Any, where: str) -> dict[str, Any]:
    """An object as plain JSON data. Raises `ConfigurationError` naming what JSON cannot hold, and where."""
    if not isinstance(value, Mapping):
        raise _wrong(where, "an object", value)
    try:
        return {
            _text(key, f"a key of {where}"): _plain(value[key], f"{where}.{key}") for key in value
        }
    except RecursionError:
        raise ConfigurationError(f"{where} is nested too deeply, or holds itself.") from None


def _plain(value: Any, where: str) -> Any:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if value - value != 0:
            raise _wrong(where, "a finite number", value)
        return value
    if isinstance(value, Mapping):
        return json_data(value, where)
    if isinstance(value, list | tuple):
        return [_plain(item, f"{where}[{place}]") for place, item in enumerate(value)]
    raise _wrong(where, "plain JSON data", value)


def _many(kind: type[Any]) -> _Form:
    def write(value: Any, where: str) -> list[Any]:
        return [_written(one, f"{where}[{n}]") for n, one in enumerate(_list(value, where))]

    def read(value: Any, where: str) -> tuple[Any, ...]:
        return tuple(_read(kind, one, f"{where}[{n}]") for n, one in enumerate(_list(value, where)))

    return _Form(write, read)


def _write_parts(value: Any, where: str) -> list[Any]:
    return [_written(part, f"{where}[{n}]") for n, part in enumerate(_list(value, where))]


def _read_parts(value: Any, where: str) -> tuple[Part, ...]:
    return tuple(
        _read_tagged(_PARTS, part, f"{where}[{n}]") for n, part in enumerate(_list(value, where))
    )


def _write_content(value: Any, where: str) -> Any:
    return value if isinstance(value, str) else _write_parts(value, where)


def _read_content(value: Any, where: str) -> Any:
    return value if isinstance(value, str) else _read_parts(value, where)


_TEXT = _Form(_text, _text)
_FLAG = _Form(_flag, _flag)
_BYTES = _Form(_base64, _bytes)
_DATA = _Form(json_data, json_data)
_PART_LIST = _Form(_write_parts, _read_parts)
_CONTENT = _Form(_write_content, _read_content)

_FORMS: dict[type[Any], dict[str, _Form]] = {
    Text: {"text": _TEXT},
    Image: {"data": _BYTES, "url": _TEXT, "media_type": _TEXT},
    Audio: {"data": _BYTES, "media_type": _TEXT},
    Document: {"data": _BYTES, "url": _TEXT, "media_type": _TEXT, "name": _TEXT},
    Thinking: {"text": _TEXT, "signature": _TEXT},
    ToolCall: {
        "id": _TEXT,
        "name": _TEXT,
        "arguments": _TEXT,
        "cut_off": _FLAG,
        "server_side": _FLAG,
        "extras": _DATA,
    },
    SystemMessage: {"text": _TEXT},
    UserMessage: {"content": _CONTENT},
    AssistantMessage: {
        "text": _TEXT,
        "tool_calls": _many(ToolCall),
        "thinking": _many(Thinking),
        "refusal": _TEXT,
        "extras": _DATA,
    },
    ToolResult: {
        "call_id": _TEXT,
        "name": _TEXT,
        "content": _PART_LIST,
        "is_error": _FLAG,
        "attributes": _DATA,
    },
}


@dataclasses.dataclass(frozen=True, slots=True)
class _Union:
    """Classes that are told apart by the value of one key."""

    what: str
    key: str
    kinds: Mapping[str, type[Any]]


_MESSAGES = _Union(
    "message",
    "role",
    {
        "system": SystemMessage,
        "user": UserMessage,
        "assistant": AssistantMessage,
        "tool": ToolResult,
    },
)
_PARTS = _Union(
    "content part",
    "kind",
    {"text": Text, "image": Image, "audio": Audio, "document": Document},
)
_TAGS: dict[type[Any], tuple[str, str]] = {
    kind: (union.key, tag) for union in (_MESSAGES, _PARTS) for tag, kind in union.kinds.items()
}


def _default(one: dataclasses.Field[Any]) -> Any:
    if one.default_factory is not dataclasses.MISSING:
        return one.default_factory()
    return one.default


def _written(value: Any, where: str) -> dict[str, Any]:
    kind = type(value)
    forms = _FORMS.get(kind)
    if forms is None:
        raise _wrong(where, "a message or a part of one", value)
    data: dict[str, Any] = {}
    if kind in _TAGS:
        key, tag = _TAGS[kind]
        data[key] = tag
    for one in dataclasses.fields(kind):
        held = getattr(value, one.name)
        if one.name in forms and held != _default(one):
            data[one.name] = forms[one.name].write(held, f"{where}.{one.name}")
    return data


def _read_tagged(union: _Union, data: Any, where: str) -> Any:
    if not isinstance(data, Mapping):
        raise _wrong(where, "an object", data)
    tag = data.get(union.key)
    kind = union.kinds.get(tag) if isinstance(tag, str) else None
    if kind is None:
        known = ", ".join(map(repr, union.kinds))
        raise _wrong(f"{where}.{union.key}", f"one of {known}", tag)
    return _read(kind, {key: value for key, value in data.items() if key != union.key}, where)


def _read(kind: type[M], data: Any, where: str) -> M:
    if not isinstance(data, Mapping):
        raise _wrong(where, "an object", data)
    forms = _FORMS[kind]
    for key in data:
        if key not in forms:
            raise ConfigurationError(f"{where} has no key {key!r}; known are {', '.join(forms)}.")
    values: dict[str, Any] = {}
    for one in dataclasses.fields(kind):  # type: ignore[arg-type]
        if one.name not in forms:
            continue
        default = _default(one)
        if one.name not in data:
            if default is dataclasses.MISSING:
                raise ConfigurationError(f"{where} needs the key {one.name!r}.")
        elif data[one.name] is not None or default is not None:
            values[one.name] = forms[one.name].read(data[one.name], f"{where}.{one.name}")
    return kind(**values)
