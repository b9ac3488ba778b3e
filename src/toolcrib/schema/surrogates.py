"""Lone surrogates: halves of characters, which JSON can write and no UTF-8 can carry."""

from __future__ import annotations

from typing import Any

from toolcrib.lazy import lazy_pattern
from toolcrib.schema.explain import Path
from toolcrib.schema.walk import Finding

__all__ = ["may_have_surrogates", "surrogates_in"]

_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_ESCAPED = lazy_pattern(r"\\u[dD][89a-fA-F]")


def may_have_surrogates(text: str) -> bool:
    """Whether a JSON text can hold one, escaped or as it is; whole pairs count too."""
    if text.isascii() and "\\u" not in text:
        return False
    return _ESCAPED.search(text) is not None or _SURROGATE.search(text) is not None


def surrogates_in(value: Any, path: Path = None) -> list[Finding]:
    """One problem for each text or key that cannot be encoded."""
    if isinstance(value, str):
        if value.isascii() or _SURROGATE.search(value) is None:
            return []
        expected = "a text of whole characters; this has half of a surrogate pair"
        return [Finding(path, expected, value)]
    if isinstance(value, list):
        return [
            problem
            for index, item in enumerate(value)
            for problem in surrogates_in(item, (path, index))
        ]
    if isinstance(value, dict):
        return [
            problem
            for key, item in value.items()
            for problem in [*surrogates_in(key, (path, key)), *surrogates_in(item, (path, key))]
        ]
    return []
