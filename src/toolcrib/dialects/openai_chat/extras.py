"""What vendors add to messages and calls, kept under this dialect's name and sent back as it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["CALL_KEYS", "MESSAGE_KEYS", "NAME", "kept_of", "own", "under_name"]

NAME = "openai-chat"

MESSAGE_KEYS = (
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "reasoning_opaque",
    "thinking",
    "thinking_blocks",
    "extra_content",
)
"""Keys of a message that a vendor wants to see again; it may refuse the next request without them."""

CALL_KEYS = ("extra_content",)
"""The same, of a call."""

_NONE: Mapping[str, Any] = {}


_HAS_NONE = frozenset(MESSAGE_KEYS).isdisjoint


def kept_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """What a message or a delta says under the keys that are kept.

    The empty text is kept too: DeepSeek wants even that to come back.
    """
    if _HAS_NONE(message):
        return {}
    kept = {key: message.get(key) for key in MESSAGE_KEYS}
    return {key: value for key, value in kept.items() if value or value == ""}


def own(extras: Mapping[str, Any]) -> Mapping[str, Any]:
    """What this dialect kept; whatever other dialects kept is nothing to us."""
    kept = extras.get(NAME)
    return kept if isinstance(kept, Mapping) else _NONE


def under_name(kept: Mapping[str, Any] | None) -> dict[str, Any]:
    """As `extras` of a message or a call."""
    return {NAME: kept} if kept else {}
