"""Streamed Chat Completions chunks → deltas and one reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolcrib.chat import (
    ChatReply,
    Delta,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallReady,
    Usage,
)
from toolcrib.dialects.openai_chat.errors import (
    broken_off,
    error_in,
    error_of_groq,
    unreadable,
)
from toolcrib.dialects.openai_chat.extras import kept_of
from toolcrib.dialects.openai_chat.fragments import OpenCall, OpenCalls
from toolcrib.dialects.openai_chat.reply import (
    finished,
    metadata_of,
    split_content,
    thinking_in,
    usage_of,
)
from toolcrib.schema.names import WireNames

__all__ = ["OpenAIChatStream"]


class OpenAIChatStream:
    """Puts one streamed reply together; see `StreamDecoder`."""

    def __init__(self, names: WireNames) -> None:
        self._names = names
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._refusal: list[str] = []
        self._thinks_in_parts = False
        self._calls = OpenCalls()
        self._extras: dict[str, Any] = {}
        self._metadata: dict[str, Any] = {}
        self._usage = Usage()
        self._raw: str | None = None
        self._choice: int | None = None
        self._model: Any = None
        self._id: Any = None
        self._begun = False

    def feed(self, event: Mapping[str, Any]) -> Sequence[Delta]:
        """See `StreamDecoder`. Raises `ModelError` for an error before anything that can be used."""
        problem = event.get("error")
        if event.get("usage") or event.get("x_groq"):
            self._count(event)
            problem = problem or error_of_groq(event)
        if self._id is None:
            self._id, self._model = event.get("id"), event.get("model")
            self._metadata.update(metadata_of(event))
        deltas: list[Delta] = []
        choices = event.get("choices")
        if isinstance(choices, list) and choices:
            for choice in choices:
                if isinstance(choice, dict):
                    problem = self._take_choice(choice, deltas) or problem
        elif not problem and choices is None:
            problem = event if error_in(event) else None
        if problem:
            self._fail(problem)
        return deltas

    def finish(self, *, broken: bool = False) -> ChatReply:
        """See `StreamDecoder`. Raises `ModelError` when nothing that can be used came."""
        calls = [call for call in self._calls.opened if not call.is_empty()]
        if not self._begun:
            raise broken_off() if broken else unreadable({})
        if broken and self._raw is None and not self._usable():
            raise broken_off()
        text, thinking = "".join(self._text), "".join(self._thinking)
        if self._thinks_in_parts:
            self._extras["content"] = _content(text, thinking)
        return finished(
            text=text,
            calls=[call.call(self._names) for call in calls],
            thinking=thinking,
            refusal="".join(self._refusal),
            extras=self._extras,
            raw=self._raw,
            broken=broken or "error" in self._metadata,
            usage=self._usage,
            model=self._model,
            id=self._id,
            metadata=self._metadata,
        )

    def _take_choice(self, choice: Mapping[str, Any], deltas: list[Delta]) -> Any:
        """What one choice adds, and the error that it tells. Other answers than the first are left."""
        index = choice.get("index")
        if type(index) is int and index != self._choice:
            if self._choice is not None:
                return None
            self._choice = index
        self._begun = True
        delta = choice.get("delta")
        if delta is None:
            delta = choice.get("message")
        if delta and isinstance(delta, dict):
            self._take(delta, deltas)
        raw = choice.get("finish_reason")
        if raw and isinstance(raw, str):
            self._raw = raw
            self._announce(deltas)
            if "usage" in choice:
                self._count(choice)
        return choice.get("error")

    def _count(self, event: Mapping[str, Any]) -> None:
        usage = usage_of(event)
        if usage.tokens:
            self._usage = usage

    def _take(self, delta: Mapping[str, Any], deltas: list[Delta]) -> None:
        content = delta.get("content")
        if content:
            if isinstance(content, str):
                self._text.append(content)
                deltas.append(TextDelta(content))
            else:
                self._take_parts(content, deltas)
        if (fragments := delta.get("tool_calls")) and isinstance(fragments, list):
            self._calls.event += 1
            for fragment in fragments:
                if isinstance(fragment, dict):
                    self._take_call(fragment, deltas)
        if len(delta) > 1 or not content:
            self._take_rest(delta, deltas)

    def _take_parts(self, content: Any, deltas: list[Delta]) -> None:
        text, thinking, refusal = split_content(content)
        if text:
            self._text.append(text)
            deltas.append(TextDelta(text))
        if thinking:
            self._thinks_in_parts = True
            self._think(thinking, deltas)
        if refusal:
            self._refusal.append(refusal)

    def _take_rest(self, delta: Mapping[str, Any], deltas: list[Delta]) -> None:
        """Refusal, thoughts, the old `function_call`, and what the vendor wants to see again."""
        if (refusal := delta.get("refusal")) and isinstance(refusal, str):
            self._refusal.append(refusal)
        legacy = delta.get("function_call")
        if isinstance(legacy, dict) and any(legacy.values()):
            self._calls.event += 1
            self._take_call({"function": legacy}, deltas)
        if kept := kept_of(delta):
            for key, value in kept.items():
                _gather(self._extras, key, value)
            if thinking := thinking_in(kept):
                self._think(thinking, deltas)

    def _think(self, thinking: str, deltas: list[Delta]) -> None:
        self._thinking.append(thinking)
        deltas.append(ThinkingDelta(thinking))

    def _take_call(self, fragment: Mapping[str, Any], deltas: list[Delta]) -> None:
        opened = self._calls.opened
        before = len(opened)
        call, text = self._calls.take(fragment)
        if before and len(opened) > before:
            self._announce_whole(opened[:-1], deltas)
        name = self._names.from_wire(call.name) if call.name else None
        if call.id or name or text:
            deltas.append(ToolCallDelta(call.place, call.id or None, name, text))

    def _announce_whole(self, calls: list[OpenCall], deltas: list[Delta]) -> None:
        """Calls whose text has its end, now that another has begun: nothing can follow."""
        for call in calls:
            if not call.ready and call.is_whole():
                call.ready = True
                deltas.append(ToolCallReady(call.place, call.call(self._names)))

    def _announce(self, deltas: list[Delta]) -> None:
        for call in self._calls.opened:
            if call.ready or call.is_empty():
                continue
            if call.is_whole() or not call.arguments.strip():
                call.ready = True
                deltas.append(ToolCallReady(call.place, call.call(self._names)))

    def _fail(self, problem: Any) -> None:
        """A finish reason wins over an error, and what came before it is kept."""
        if self._raw in (None, "error") and not self._usable():
            raise error_in({"error": problem}) or unreadable({"error": problem})
        self._metadata["error"] = problem

    def _usable(self) -> bool:
        return bool(
            self._text or self._refusal or any(not c.is_empty() for c in self._calls.opened)
        )


def _gather(extras: dict[str, Any], key: str, value: Any) -> None:
    """Texts are joined, lists grow, and the newest of anything else stays."""
    held = extras.get(key)
    if isinstance(value, str) and isinstance(held, str):
        extras[key] = held + value
    elif isinstance(value, list):
        pieces = held if isinstance(held, list) else []
        for piece in value:
            _add_detail(pieces, piece)
        extras[key] = pieces
    else:
        extras[key] = value


def _add_detail(pieces: list[Any], piece: Any) -> None:
    last = pieces[-1] if pieces else None
    if (
        isinstance(last, dict)
        and isinstance(piece, dict)
        and piece.get("type") in ("reasoning.text", "reasoning.summary")
        and all(last.get(key) == piece.get(key) for key in ("type", "index"))
    ):
        for key, value in piece.items():
            if key in ("text", "summary") and isinstance(held := last.get(key), str):
                last[key] = held + value if isinstance(value, str) else held
            elif value is not None:
                last[key] = value
    else:
        pieces.append(dict(piece) if isinstance(piece, dict) else piece)


def _content(text: str, thinking: str) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": [{"type": "text", "text": thinking}]}
    ]
    return [*parts, {"type": "text", "text": text}] if text else parts
