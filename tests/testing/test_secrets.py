"""Secrets leave recordings, and everything else stays as it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcrib.testing.secrets import scrubbed

UNTOUCHED = [
    None,
    True,
    7,
    "plain words",
    '{"odd":  "spacing", "n": 1.50}',
    '{"broken": ',
    {"max_tokens": 5, "token": 5, "tokens": ["a"]},
    {"type": "object", "properties": {"password": {"type": "string"}}, "required": ["password"]},
    {"kind": "image", "data": "c2stYWJjZGVmZ2hpamtsbW5vcA=="},
    {"password": None, "secret": True, "api_key": ""},
]


@pytest.mark.parametrize("data", UNTOUCHED, ids=str)
def test_what_is_no_secret_stays(data: Any) -> None:
    assert scrubbed(data) == data


@pytest.mark.parametrize(
    ("data", "clean"),
    [
        ({"apiKey": "abc"}, {"apiKey": "[redacted]"}),
        ({"X-Api-Key": "abc"}, {"X-Api-Key": "[redacted]"}),
        ({"db_password": "abc"}, {"db_password": "[redacted]"}),
        ({"pin": 1234}, {"pin": 0}),
        ([{"a": {"secret": "abc"}}], [{"a": {"secret": "[redacted]"}}]),
        ('[{"secret": "é"}]', '[{"secret": "[redacted]"}]'),
        ("password=abc", "password=[redacted]"),
        ('{"broken": 1, "password": "abc"', '{"broken": 1, "password": "[redacted]"'),
    ],
)
def test_secrets_are_hidden(data: Any, clean: Any) -> None:
    assert scrubbed(data) == clean


KEYS = st.sampled_from(["a", "password", "token", "pin", "kind", "data", "text"])
TEXTS = st.sampled_from(
    ["", "x", "Bearer abcdefghijkl", "token=abc", "/home/me/x", "postgres://u:pw@h", '{"pin": 12}']
) | st.text(max_size=12)
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=10,
)


@given(DATA)
def test_scrubbing_twice_changes_nothing_more(data: Any) -> None:
    once = scrubbed(data)
    assert scrubbed(once) == once
