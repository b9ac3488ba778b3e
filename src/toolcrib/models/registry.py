"""Model strings such as `openai:gpt-5-mini` → models, through entry points, so that others can add theirs."""

from __future__ import annotations

from typing import Any

from toolcrib.chat import ChatModel
from toolcrib.errors import ConfigurationError

__all__ = ["resolve_model"]

_GROUP = "toolcrib.models"


def resolve_model(text: str, **options: Any) -> ChatModel:
    """The model that `prefix:name` means; `options` (such as `base_url`) go to whoever makes it.

    Raises `ConfigurationError` naming the known prefixes.
    """
    from importlib.metadata import entry_points  # on first use: it is slow to import

    prefix, colon, name = text.partition(":")
    found = entry_points(group=_GROUP)
    known = ", ".join(f"'{entry}:...'" for entry in sorted({entry.name for entry in found}))
    if not colon or not name:
        raise ConfigurationError(
            f"{text!r} is no model: write a prefix and a name, such as 'openai:gpt-5-mini'. Known: {known}."
        )
    for entry in found:
        if entry.name == prefix:
            model: ChatModel = entry.load()(name, **options)
            return model
    raise ConfigurationError(f"No model is known by the prefix {prefix!r}. Known: {known}.")
