"""A tool's value → what the model is told, and how much of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from pydantic_core import to_json

from toolcrib.messages import Audio, Document, Image, Part, Text
from toolcrib.values import value

__all__ = ["ToolOutput", "cut", "told"]

_PARTS = (Text, Image, Audio, Document)


@value
class ToolOutput:
    """A tool returns this to say more than a value.

    `attributes` ride along with the result: stored with the conversation, never sent to the model.
    """

    content: Any
    attributes: Mapping[str, Any] = field(default_factory=dict)
    is_error: bool = False


def told(value: Any, *, none_means_success: bool = True) -> tuple[Part, ...]:
    """What the model is told of a value, by its runtime type.

    None → `Success`, or `null` for a tool that is declared to return something; text as it is;
    content parts, alone or in a list with texts → themselves; anything else → JSON.
    Raises whatever the value raises when it is written as JSON.
    """
    if isinstance(value, str):
        return (Text(str.__str__(value)),)  # of a text that is an enum member, its value
    if value is None:
        return (Text("Success" if none_means_success else "null"),)
    if isinstance(value, _PARTS):
        return (value,)
    if isinstance(value, (list, tuple)) and any(isinstance(item, _PARTS) for item in value):
        return tuple(
            item
            if isinstance(item, _PARTS)
            else Text(item if isinstance(item, str) else _json(item))
            for item in value
        )
    return (Text(_json(value)),)


def _json(value: Any) -> str:
    # NaN and infinity are no JSON: they are told as text.
    return to_json(value, bytes_mode="base64", inf_nan_mode="strings").decode()


def cut(text: str, most: int, marker: str) -> str:
    """Head and tail of `text` around `marker`, together at most `most` bytes of UTF-8."""
    room = max(most - len(marker.encode()), 0)
    head = text.encode(errors="surrogatepass")[: room * 2 // 3]
    tail = text.encode(errors="surrogatepass")[-(room - len(head)) :] if room > len(head) else b""
    return head.decode(errors="ignore") + marker + tail.decode(errors="ignore")
