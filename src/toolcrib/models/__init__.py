"""Models: a dialect and a wire together, or one model made of another.

Whoever wants none of them, such as an agent that looks a model up by its name, loads none of them:
each is imported when it is first asked for. The stub beside this file tells type checkers the same.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["Example", "OpenAIChat", "PromptedTools", "Retries", "Timeout", "resolve_model"]

_HOMES = {
    "Example": "toolcrib.models.prompted_request",
    "OpenAIChat": "toolcrib.models.openai_chat",
    "PromptedTools": "toolcrib.models.prompted",
    "Retries": "toolcrib.wire.timing",
    "Timeout": "toolcrib.wire.timing",
    "resolve_model": "toolcrib.models.registry",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
