"""Takes secrets out of JSON data before it is stored."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from toolcrib.loop.redaction import HIDDEN, redact

__all__ = ["redact", "scrubbed"]

_SECRET_KEY = re.compile(
    r"(?:.*[_-])?(?:api[_-]?key|authorization|bearer|cookie|credentials?|passphrase|passw(?:or)?d|pwd"
    r"|pin|private[_-]?key|secret|secret[_-]?key|access[_-]?key|token)",
    re.IGNORECASE,
)
_NEVER_A_NUMBER = re.compile(r"token|authorization|bearer|cookie", re.IGNORECASE)
_BINARY_KINDS = ("image", "audio", "document")


def scrubbed(value: Any, redact: Callable[[str], str] = redact) -> Any:
    """JSON data without secrets: texts go through `redact`, and what stands under a key such as
    `password` or `api_key` is hidden whole. JSON inside texts stays valid JSON.
    """
    if isinstance(value, str):
        return _text(value, redact)
    if isinstance(value, Mapping):
        binary = value.get("kind") in _BINARY_KINDS
        return {
            key: held if binary and key == "data" else _entry(key, held, redact)
            for key, held in value.items()
        }
    if isinstance(value, list | tuple):
        return [scrubbed(item, redact) for item in value]
    return value


def _entry(key: str, value: Any, redact: Callable[[str], str]) -> Any:
    if _SECRET_KEY.fullmatch(key):
        if isinstance(value, str):
            return HIDDEN if value else value
        if isinstance(value, int | float) and not isinstance(value, bool):
            # `token: 5` is a count more often than a secret; `pin: 1234` never is
            return value if _NEVER_A_NUMBER.search(key) else 0
    return scrubbed(value, redact)


def _text(text: str, redact: Callable[[str], str]) -> str:
    if text.lstrip()[:1] not in ("{", "["):
        return redact(text)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return redact(text)
    clean = scrubbed(data, redact)
    return text if clean == data else json.dumps(clean, ensure_ascii=False)
