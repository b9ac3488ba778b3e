"""Request bodies that cost what is new in them: each message of a history is encoded once."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from pydantic_core import PydanticSerializationError, to_json

from toolcrib.chat import ChatRequest
from toolcrib.errors import ConfigurationError
from toolcrib.messages import History, HistoryView, Message, ToolResult
from toolcrib.schema.names import WireNames
from toolcrib.tools.definition import ToolDefinition

__all__ = ["Bodies"]

_HEADS = 16

EncodeBody: TypeAlias = Callable[[ChatRequest, WireNames], dict[str, Any]]
"""A whole body; asked without the messages of the conversation."""
EncodeMessages: TypeAlias = Callable[[Sequence[Message], WireNames], list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class _Head:
    """A body up to the messages of the conversation, and what it was made from."""

    request: ChatRequest
    names: WireNames
    renamed: Mapping[str, str]
    """The names that are spelled differently on the wire: encoded messages hold them too."""
    opening: bytes

    def fits(self, request: ChatRequest) -> bool:
        """Whether it opens this request too. What is costly to compare is compared by identity."""
        mine = self.request
        return (
            _same_tools(mine.tools, request.tools)
            and mine.settings is request.settings
            and mine.instructions == request.instructions
            and mine.response_schema is request.response_schema
            and mine.stream is request.stream
            and mine.tool_choice == request.tool_choice
        )


@dataclass(slots=True)
class _Encoded:
    """The messages of a history as far as they are encoded, each with a comma behind it."""

    generation: int
    renamed: Mapping[str, str]
    buffer: bytearray = field(default_factory=bytearray)
    offsets: list[int] = field(default_factory=lambda: [0])
    """Where each message begins, and the end; -1 inside of results that are encoded together."""


class Bodies:
    """Makes the bodies of one model's requests; any number of threads may ask at once.

    The messages stand last in a body, so that a request begins with the bytes of the one before it.
    What is encoded of a history lives as long as the history does.
    """

    def __init__(self, encode_body: EncodeBody, encode_messages: EncodeMessages) -> None:
        self._encode_body = encode_body
        self._encode_messages = encode_messages
        self._heads: list[_Head] = []
        self._encoded: WeakKeyDictionary[History, _Encoded] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def body(self, request: ChatRequest) -> tuple[bytes, WireNames]:
        """The body of a request, and the names that it uses."""
        with self._lock:
            head = self._head(request)
            pieces: list[bytes | memoryview] = [head.opening]
            messages = request.messages
            said = self._pieces(messages, head) if isinstance(messages, HistoryView) else None
            pieces += [self._encode(messages, head.names)] if said is None else said
            while len(pieces) > 1 and not pieces[-1]:
                pieces.pop()
            if pieces[-1][-1] == ord(","):
                pieces[-1] = pieces[-1][:-1]
            return b"".join((*pieces, b"]}")), head.names

    def _head(self, request: ChatRequest) -> _Head:
        for head in self._heads:
            if head.fits(request):
                return head
        names = WireNames(tool.name for tool in request.tools)
        renamed = {
            tool.name: wire
            for tool in request.tools
            if (wire := names.to_wire(tool.name)) != tool.name
        }
        # the conversation is not kept: a head may outlive it
        without = replace(request, messages=())
        body = self._encode_body(without, names)
        opening = body.pop("messages", [])
        start = _json(body)[:-1] + b',"messages":[' + _joined(opening)
        head = _Head(without, names, renamed, start)
        self._heads = [head, *self._heads[: _HEADS - 1]]
        return head

    def _pieces(self, view: HistoryView, head: _Head) -> list[bytes | memoryview] | None:
        """The encoded ranges of a view; None if a range begins or ends in between some results."""
        history, ranges = view.history, view.ranges
        encoded = self._encoded.get(history)
        if (
            encoded is None
            or encoded.generation != history.generation
            or encoded.renamed != head.renamed
        ):
            encoded = self._encoded[history] = _Encoded(history.generation, head.renamed)
        self._extend(encoded, history, max((stop for _, stop in ranges), default=0), head.names)
        pieces: list[bytes | memoryview] = []
        for number, (start, stop) in enumerate(ranges):
            if start >= stop:
                continue
            first, last = encoded.offsets[start], encoded.offsets[stop]
            if first < 0 or last < 0 or (number and isinstance(history[start], ToolResult)):
                return None
            pieces.append(memoryview(encoded.buffer)[first:last])
        return pieces

    def _extend(self, encoded: _Encoded, history: History, stop: int, names: WireNames) -> None:
        offsets, at = encoded.offsets, len(encoded.offsets) - 1
        if 0 < at < stop and _together(history, at):
            # More results of a reply whose other results are encoded: they go together.
            while at > 0 and _together(history, at):
                at -= 1
            del offsets[at + 1 :], encoded.buffer[offsets[at] :]
        while at < stop:
            end = at + 1
            while end < stop and _together(history, end):
                end += 1
            encoded.buffer += self._encode(history[at:end], names)
            offsets += [-1] * (end - at - 1)
            offsets.append(len(encoded.buffer))
            at = end

    def _encode(self, messages: Sequence[Message], names: WireNames) -> bytes:
        return _joined(self._encode_messages(messages, names))


def _together(history: History, index: int) -> bool:
    """Whether this message and the one before it are results, and so are encoded in one go."""
    return isinstance(history[index], ToolResult) and isinstance(history[index - 1], ToolResult)


def _same_tools(mine: Sequence[ToolDefinition], others: Sequence[ToolDefinition]) -> bool:
    if mine is others:
        return True
    return len(mine) == len(others) and all(a is b for a, b in zip(mine, others, strict=True))


def _joined(messages: Sequence[Mapping[str, Any]]) -> bytes:
    return b"".join([_json(message) + b"," for message in messages])


def _json(value: Any) -> bytes:
    try:
        return to_json(value)
    except PydanticSerializationError:
        pass
    try:
        # with lone surrogates, which only escapes can say
        return json.dumps(value, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"The request cannot be written as JSON: {error}.") from error
