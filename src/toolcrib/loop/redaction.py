"""Takes secrets out of texts that are told to a model: keys, tokens, passwords, home folders."""

from __future__ import annotations

import re

from toolcrib.lazy import lazy_pattern

__all__ = ["HIDDEN", "redact"]

HIDDEN = "[redacted]"
"""What stands in the place of a secret."""

_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    # a private key block, whole or cut short
    (
        lazy_pattern(
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S
        ),
        HIDDEN,
    ),
    # user:password@ in an address; the user's name stays, and what looks like a port is one
    (
        lazy_pattern(
            r"(?P<keep>(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,30}://[^\s:/@]{0,256}:)"
            r"(?!\d{1,5}/)[^\s@]{1,256}(?=@)",
            re.I,
        ),
        rf"\g<keep>{HIDDEN}",
    ),
    # Authorization headers and bare schemes
    (
        lazy_pattern(r"(?P<keep>\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}", re.I),
        rf"\g<keep>{HIDDEN}",
    ),
    # name = value, name: value, "name": "value", name=value in a query
    (
        lazy_pattern(
            r"(?P<keep>(?:\b|_)(?:api[_-]?key|access[_-]?key(?:[_-]?id)?|secret(?:[_-]?(?:access[_-]?)?key)?|client[_-]?secret|"
            r"passw(?:or)?d|passwd|pwd|passphrase|(?:access|refresh|auth|id|session)?[_-]?token|signature|sig|"
            r"authorization|cookie|private[_-]?key)[\"']?\s*(?:=>|=|:)\s*)(?!\[redacted\])"
            r"(?:(?P<open>\")(?:[^\"\\]|\\.)*(?P<shut>\")?|(?P<open1>')(?:[^'\\]|\\.)*(?P<shut1>')?"
            r"|[^\s\"'&,;)}\]]+)",
            re.I | re.S,
        ),
        rf"\g<keep>\g<open>\g<open1>{HIDDEN}\g<shut>\g<shut1>",
    ),
    # tokens that are known by their look
    (
        lazy_pattern(
            r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct)?[-_A-Za-z0-9]{12,}|\bgh[pousr]_[A-Za-z0-9]{20,}|"
            r"\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[abeoprs]-[A-Za-z0-9-]{10,}|"
            r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{20,}|\bhf_[A-Za-z0-9]{20,}|"
            r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|\bdapi[a-f0-9]{32}|\bgsk_[A-Za-z0-9]{20,}|\bxai-[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{30,}|"
            r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
        ),
        HIDDEN,
    ),
    # whose home it is
    (lazy_pattern(r"(?P<keep>/(?:home|Users)/)[^/\s:'\"]+"), r"\g<keep>[user]"),
    (lazy_pattern(r"(?P<keep>\b[A-Z]:\\Users\\)[^\\\s:'\"]+", re.I), r"\g<keep>[user]"),
    (lazy_pattern(r"(?<![\w/])/root(?=/|\b)"), "/[user]"),
)


def redact(text: str) -> str:
    """`text` with what looks like a secret replaced. It errs on the side of hiding."""
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text
