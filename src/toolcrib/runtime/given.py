"""What a program hands in, checked at the border: conversations, inputs, policies."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, get_args

from toolcrib.errors import ConfigurationError
from toolcrib.loop.error_policy import ErrorPolicy
from toolcrib.loop.pairing import paired
from toolcrib.messages import Message, Part, UserMessage
from toolcrib.runtime.hooks import Hooks

__all__ = ["Input", "check_policies", "conversation", "items_of"]

Input: TypeAlias = str | UserMessage | Sequence[Part] | None
"""What the user says; None when the messages that are handed in end with it already."""


def conversation(
    input: Input, messages: Iterable[Message]
) -> tuple[list[Message], tuple[Message, ...]]:
    """The messages so far, made valid, and what is said now.

    Raises `ConfigurationError` for what is no message, and when there is nothing to ask.
    """
    before = items_of("messages", messages)
    for index, message in enumerate(before):
        if not isinstance(message, get_args(Message)):
            raise ConfigurationError(
                f"messages[{index}] is {_a(message)}; write UserMessage('...') and the like, or read "
                "stored ones with toolcrib.message_json."
            )
    now = _said(input)
    if not before and not now:
        raise ConfigurationError("There is nothing to ask: hand in a text, or messages=[...].")
    return paired(before), now


def _said(input: Input) -> tuple[Message, ...]:
    if input is None:
        return ()
    if isinstance(input, UserMessage):
        return (input,)
    if isinstance(input, str):
        return (UserMessage(input),)
    parts = tuple(input) if isinstance(input, Iterable) else (input,)
    for part in parts:
        if not isinstance(part, get_args(Part)):
            raise ConfigurationError(
                f"The input of a run is a text, a UserMessage, or a list of content parts, not {_a(part)}; "
                "hand earlier messages in with messages=[...]."
            )
    return (UserMessage(parts),) if parts else ()


def check_policies(
    errors: ErrorPolicy, hooks: Sequence[Any], observers: Sequence[Any], concurrency: int
) -> None:
    """Refuse what could only fail later. Raises `ConfigurationError` naming the option."""
    if not isinstance(errors, ErrorPolicy):
        raise ConfigurationError(
            f"errors must be an ErrorPolicy, such as ErrorPolicy.strict(), not {_a(errors)}."
        )
    if isinstance(concurrency, bool) or not isinstance(concurrency, int) or concurrency < 1:
        raise ConfigurationError(
            f"concurrency must be a whole number from 1 on, not {concurrency!r}."
        )
    for hook in items_of("hooks", hooks):
        if not isinstance(hook, Hooks):
            raise ConfigurationError(
                f"hooks=[...] takes objects of subclasses of Hooks, not {_a(hook)}."
            )
    for observer in items_of("observers", observers):
        if not callable(observer):
            raise ConfigurationError(
                f"observers=[...] takes functions of one event, not {_a(observer)}."
            )
        if inspect.iscoroutinefunction(observer):
            raise ConfigurationError(
                f"The observer {observer.__name__!r} is async; observers are told while things happen and "
                "cannot be awaited. Write `def`, or iterate agent.stream(...)."
            )


def items_of(option: str, given: Any) -> list[Any]:
    """The items of an option that takes a list. Raises `ConfigurationError` for anything else."""
    if isinstance(given, str | bytes | dict) or not isinstance(given, Iterable):
        raise ConfigurationError(f"{option} takes a list, not {_a(given)}; write {option}=[...].")
    return list(given)


def _a(thing: object) -> str:
    if isinstance(thing, type):
        return f"the class {thing.__name__}"
    return f"{type(thing).__name__} {thing!r:.60}"
