"""What a scripted model says: pieces of a reply, and steps made of them."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, assert_never

from toolcrib.chat import (
    ChatReply,
    ChatRequest,
    Delta,
    FinishReason,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallReady,
    Usage,
)
from toolcrib.messages import AssistantMessage, Thinking, ToolCall

__all__ = [
    "Call",
    "Piece",
    "Say",
    "Step",
    "StepLike",
    "Think",
    "as_step",
    "call",
    "fail",
    "say",
    "steps_reply",
    "think",
    "turn",
]


@dataclass(frozen=True, slots=True)
class Say:
    """A piece of a reply's text, in the fragments in which it is streamed."""

    fragments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Think:
    """A thought before the answer, in the fragments in which it is streamed."""

    fragments: tuple[str, ...]
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the reply asks for; without an `id` the model makes one up."""

    name: str
    fragments: tuple[str, ...]
    id: str | None = None
    cut_off: bool = False
    server_side: bool = False
    extras: Mapping[str, Any] = field(default_factory=dict)


Piece: TypeAlias = Say | Think | Call


@dataclass(frozen=True, slots=True)
class Step:
    """One answer of the model: a reply, or an error after what was streamed of a reply."""

    pieces: tuple[Piece, ...] = ()
    finish_reason: FinishReason | None = None
    usage: Usage = Usage()
    refusal: str | None = None
    deltas: tuple[Delta, ...] | None = None
    """What is streamed, when the pieces shall not decide it."""
    error: BaseException | None = None
    whole: ChatReply | None = None
    """The reply word for word, in place of one made from the pieces."""


StepLike: TypeAlias = (
    "Step | Piece | str | ChatReply | BaseException | Sequence[Piece | str]"
    " | Callable[[ChatRequest], StepLike | Awaitable[StepLike]]"
)
"""What a script may hold; a function is called (and awaited) with the request, and gives the step."""


def say(*fragments: str) -> Say:
    """A text. One fragment is streamed word by word, several are streamed as they are."""
    return Say(_fragments(fragments))


def think(*fragments: str, signature: str | None = None) -> Think:
    """A thought, streamed as a text is."""
    return Think(_fragments(fragments), signature)


def call(
    name: str,
    arguments: Mapping[str, Any] | str | None = None,
    *,
    id: str | None = None,
    fragments: Iterable[str] | None = None,
    cut_off: bool = False,
    server_side: bool = False,
    extras: Mapping[str, Any] | None = None,
) -> Call:
    """A call. `arguments` is an object, or the very text that the model writes, however wrong.

    `fragments` gives that text in the pieces in which it is streamed, in place of `arguments`.
    """
    if fragments is not None:
        if arguments is not None:
            raise TypeError("Pass `arguments` or `fragments` to call(), not both.")
        pieces = tuple(fragments)
    else:
        text = arguments if isinstance(arguments, str) else _argument_text(arguments)
        half = (len(text) + 1) // 2
        pieces = tuple(piece for piece in (text[:half], text[half:]) if piece)
    return Call(name, pieces, id, cut_off, server_side, dict(extras or {}))


def turn(
    *pieces: Piece | str,
    finish_reason: FinishReason | None = None,
    usage: Usage = Usage(),
    refusal: str | None = None,
    deltas: Iterable[Delta] | None = None,
) -> Step:
    """One reply of several pieces, such as a text and two calls.

    Without a `finish_reason` it is `refusal`, `length` (a call is cut off), `tool_calls` or `stop`,
    whichever fits first. `deltas` is exactly what is streamed, for orders that pieces cannot say.
    """
    chosen = None if deltas is None else tuple(deltas)
    return Step(tuple(map(_piece, pieces)), finish_reason, usage, refusal, chosen)


def fail(error: BaseException, *pieces: Piece | str) -> Step:
    """The model raises `error`; when it streams, the deltas of `pieces` come before that."""
    return Step(tuple(map(_piece, pieces)), error=error)


def as_step(made: object) -> Step:
    """What stands in a script, or what a function of a script gave, as a step."""
    match made:
        case Step():
            return made
        case ChatReply():
            return Step(_pieces_of(made.message), whole=made)
        case Say() | Think() | Call() | str():
            return turn(made)
        case BaseException():
            return fail(made)
        case list() | tuple():
            return turn(*made)
        case _:
            raise TypeError(
                f"A script cannot hold {made!r:.80}; write say(...), call(...), turn(...), "
                "fail(...), a ChatReply, an exception, or a function of the request."
            )


def steps_reply(step: Step, number: int, model: str) -> tuple[tuple[Delta, ...], ChatReply]:
    """The deltas and the reply of a step; `number` counts requests and makes call ids unlike."""
    deltas: list[Delta] = []
    text: list[str] = []
    thinking: list[Thinking] = []
    calls: list[ToolCall] = []
    for piece in step.pieces:
        match piece:
            case Say():
                text.extend(piece.fragments)
                deltas.extend(map(TextDelta, piece.fragments))
            case Think():
                thinking.append(Thinking("".join(piece.fragments), piece.signature))
                deltas.extend(map(ThinkingDelta, piece.fragments))
            case Call():
                made_up = f"call_{number}_{len(calls)}"
                made = _tool_call(piece, made_up if piece.id is None else piece.id)
                deltas.extend(_call_deltas(len(calls), made, piece.fragments))
                calls.append(made)
            case _:
                assert_never(piece)
    message = AssistantMessage("".join(text), tuple(calls), tuple(thinking), step.refusal)
    finished = step.whole or ChatReply(
        message, step.finish_reason or _finish_reason(message), step.usage, model=model
    )
    return tuple(deltas) if step.deltas is None else step.deltas, finished


def _tool_call(piece: Call, id: str) -> ToolCall:
    arguments = "".join(piece.fragments)
    return ToolCall(id, piece.name, arguments, piece.cut_off, piece.server_side, piece.extras)


def _call_deltas(index: int, made: ToolCall, fragments: Sequence[str]) -> list[Delta]:
    deltas: list[Delta] = [ToolCallDelta(index, made.id, made.name, "")]
    deltas.extend(ToolCallDelta(index, None, None, fragment) for fragment in fragments)
    if not made.cut_off:
        deltas.append(ToolCallReady(index, made))
    return deltas


def _finish_reason(message: AssistantMessage) -> FinishReason:
    if message.refusal is not None:
        return "refusal"
    if any(one.cut_off for one in message.tool_calls):
        return "length"
    return "tool_calls" if message.tool_calls else "stop"


def _pieces_of(message: AssistantMessage) -> tuple[Piece, ...]:
    pieces: list[Piece] = [think(one.text, signature=one.signature) for one in message.thinking]
    if message.text:
        pieces.append(say(message.text))
    pieces.extend(
        call(
            one.name,
            one.arguments,
            id=one.id,
            cut_off=one.cut_off,
            server_side=one.server_side,
            extras=one.extras,
        )
        for one in message.tool_calls
    )
    return tuple(pieces)


def _piece(piece: Piece | str) -> Piece:
    if isinstance(piece, str):
        return say(piece)
    if isinstance(piece, Say | Think | Call):
        return piece
    raise TypeError(f"A reply is made of texts, say(), think() and call(), not of {piece!r:.80}.")


def _fragments(fragments: tuple[str, ...]) -> tuple[str, ...]:
    if len(fragments) == 1:
        return tuple(re.findall(r"\S+\s*|\s+", fragments[0]))
    return fragments


def _argument_text(arguments: Mapping[str, Any] | None) -> str:
    return json.dumps({} if arguments is None else dict(arguments), ensure_ascii=False)
