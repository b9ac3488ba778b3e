"""Fragments of streamed calls → whole calls, however a server numbers, names and repeats them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcrib.dialects.openai_chat.arguments import arguments_text, is_whole
from toolcrib.dialects.openai_chat.extras import CALL_KEYS, under_name
from toolcrib.messages import ToolCall
from toolcrib.schema.names import WireNames

__all__ = ["OpenCall", "OpenCalls"]


class OpenCall:
    """One call that is still being written; `place` counts the calls of the reply from 0."""

    __slots__ = ("_joined", "event", "extras", "id", "index", "name", "pieces", "place", "ready")

    def __init__(self, place: int, index: int | None, id: str) -> None:
        self.place = place
        self.event = 0
        """The last event that said something of it."""
        self.index = index
        self.id = id
        self.name = ""
        self.pieces: list[str] = []
        self.extras: dict[str, Any] = {}
        self.ready = False
        self._joined = ""

    @property
    def arguments(self) -> str:
        """The argument text so far."""
        if self.pieces:
            self._joined += "".join(self.pieces)
            self.pieces.clear()
        return self._joined

    def is_whole(self) -> bool:
        """Whether the argument text is a JSON object that has its end: nothing can follow it."""
        return is_whole(self.arguments)

    def is_empty(self) -> bool:
        """Whether it is only a shell, as some servers send beside real calls."""
        return not (self.id or self.name or self.arguments)

    def call(self, names: WireNames) -> ToolCall:
        """The call as it stands."""
        name = names.from_wire(self.name)
        return ToolCall(self.id, name, self.arguments, False, False, under_name(self.extras))


class OpenCalls:
    """The calls of one streamed reply.

    OpenAI numbers calls by `index` and sends id and name once. Others leave the index out, use one
    index for all calls, repeat id or name in every fragment, make a new id for every fragment, or
    send no id at all. A fragment begins a new call when nothing else can be meant.
    """

    __slots__ = ("_by_index", "event", "opened")

    def __init__(self) -> None:
        self.opened: list[OpenCall] = []
        self.event = 0
        """Counts the events, for what stands in one and the same."""
        self._by_index: dict[int, OpenCall] = {}

    def take(self, fragment: Mapping[str, Any]) -> tuple[OpenCall, str]:
        """Add a fragment; the call that it belongs to, and the argument text that it adds."""
        function = fragment.get("function")
        if not isinstance(function, dict):
            function = fragment  # some servers leave the layer out
        name, arguments = function.get("name"), function.get("arguments")
        is_custom = False
        if not name and isinstance(custom := fragment.get("custom"), dict):
            name, added = custom.get("name"), custom.get("input")
            is_custom = bool(name or added)
            arguments = added or arguments
        text = arguments if isinstance(arguments, str) else arguments_text(arguments)
        wire_name = name if isinstance(name, str) else ""
        id = "" if (given := fragment.get("id")) is None else str(given)
        call = self._find(fragment.get("index"), id, wire_name, text)
        if id and wire_name and self._is_told_again(call, id, wire_name, text):
            return call, ""
        call.event = self.event
        if wire_name and wire_name != call.name:
            call.name = wire_name if wire_name.startswith(call.name) else call.name + wire_name
        if text:
            call.pieces.append(text)
        for key in CALL_KEYS:
            if fragment.get(key):
                call.extras[key] = fragment[key]
        if is_custom:
            call.extras["type"] = "custom"
        return call, text

    def _find(self, index: Any, id: str, name: str, text: str) -> OpenCall:
        index = index if type(index) is int else None
        current = self._current(index)
        if not (id or name):
            return current or self._open(index, id)
        if current is None:
            return self._open(index, id)
        if id and current.id and id != current.id:
            other = self._other(index, id)
            if other is not None:
                return other
            # Only a name, or arguments behind a whole text, tell a new call from a new id.
            if name or (text.strip() and current.is_whole()):
                return self._open(index, id)
            return current
        if name and current.name:
            if id and self._is_told_again(current, id, name, text):
                return current
            # Two names in one event are two calls: a name in pieces comes in several.
            here = current.event == self.event
            if here or _begins(current, index, name, text, same_id=bool(id)):
                return self._open(index, id)
        if id:
            current.id = id
        return current

    def _is_told_again(self, call: OpenCall, id: str, name: str, text: str) -> bool:
        """Whether a later event only repeats a whole call: running it twice could do harm."""
        return (
            call.event != self.event
            and (call.id, call.name) == (id, name)
            and text == call.arguments
            and call.is_whole()
        )

    def _current(self, index: int | None) -> OpenCall | None:
        if index is not None:
            return self._by_index.get(index)
        return self.opened[-1] if self.opened else None

    def _other(self, index: int | None, id: str) -> OpenCall | None:
        """An earlier call of that id under the same index (or under none)."""
        same = (call for call in reversed(self.opened) if call.id == id and call.index == index)
        return next(same, None)

    def _open(self, index: int | None, id: str) -> OpenCall:
        call = OpenCall(len(self.opened), index, id)
        self.opened.append(call)
        if index is not None:
            self._by_index[index] = call
        return call


def _begins(current: OpenCall, index: int | None, name: str, text: str, *, same_id: bool) -> bool:
    """Whether a fragment that names a tool is a new call rather than more of the current one."""
    if current.is_whole():
        # The name once more, with nothing to add, is only repeated.
        return bool(text.strip()) or name != current.name
    if name == current.name or same_id:
        return False
    # Another name, and no id: the rest of a name that came in pieces, or a call of its own.
    return index is None or bool(current.arguments.strip())
