"""What servers say when they fail."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.errors import ModelError, QuotedCall
from toolcrib.schema.names import WireNames


def error(status: int, answer: Any = None, **headers: str) -> ModelError:
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return DIALECT.error(status, named, body)


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"message": "no such model", "code": "gone", "type": "invalid_request_error"}},
        {"error": {"message": "no such model", "code": None, "type": "gone"}},
        {"error": "no such model", "code": "gone"},
        {"object": "error", "message": "no such model", "code": "gone"},
        {"detail": "no such model", "code": "gone"},
        [{"error": {"message": "no such model", "code": "gone"}}],
    ],
)
def test_an_error_is_read_in_any_shape(answer: Any) -> None:
    told = error(404, answer, x_request_id="req-1")
    assert "HTTP status 404: no such model" in str(told)
    assert (told.status, told.code, told.retryable) == (404, "gone", False)
    assert told.request_id == "req-1"


@pytest.mark.parametrize("body", [b"", b"<html>Bad gateway</html>", b"\xff\xfe", b"null", b"[]"])
def test_an_answer_that_is_no_json_is_told_by_its_status(body: bytes) -> None:
    told = error(502, body)
    assert str(told) == "The provider answered with HTTP status 502."
    assert told.retryable


def test_the_beginning_of_an_answer_is_kept() -> None:
    told = error(502, b"<html>" + b"x" * 9000)
    assert told.excerpt is not None
    assert told.excerpt.startswith("<html>x")
    assert len(told.excerpt) == 500


def test_a_list_of_complaints_is_told() -> None:
    assert '"msg":"too long"' in str(error(422, {"detail": [{"msg": "too long"}]}))


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_some_statuses_may_be_tried_again(status: int) -> None:
    assert error(status).retryable


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 501])
def test_others_may_not(status: int) -> None:
    assert not error(status).retryable


def test_a_used_up_quota_is_not_tried_again() -> None:
    assert not error(429, {"error": {"message": "pay", "code": "insufficient_quota"}}).retryable


@pytest.mark.parametrize(
    ("status", "said", "retryable"), [(500, "false", False), (400, "true", True)]
)
def test_the_server_may_say_whether_to_try_again(status: int, said: str, retryable: bool) -> None:
    assert error(status, None, x_should_retry=said).retryable is retryable


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry_After": "2"}, 2.0),
        ({"retry_after_ms": "1500", "retry_after": "9"}, 1.5),
        ({"retry_after": "-3"}, 0.0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "Infinity"}, None),
        (
            {
                "retry_after": "Wed, 21 Oct 2026 07:28:10 GMT",
                "date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            10.0,
        ),
        ({"retry_after": "Wed, 21 Oct 2026 07:28:10 GMT"}, None),
        ({}, None),
    ],
)
def test_the_server_says_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert error(429, None, **headers).retry_after == seconds


CALL = QuotedCall("f", '{"x":1}')


@pytest.mark.parametrize(
    ("generation", "calls"),
    [
        ('{"name": "f", "arguments": {"x": 1}}', (CALL,)),
        ('{"name": "f", "parameters": {"x": 1}}', (CALL,)),
        ('[{"name": "f", "arguments": {"x": 1}}]', (CALL,)),
        ('<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>', (CALL,)),
        ('<function=f>{"x":1}</function>', (CALL,)),
        ('<function=f{"x":1}</function>', (CALL,)),
        ('<function=f>{"x":1}</function>\n<function=g>{}', (CALL, QuotedCall("g", "{}"))),
    ],
)
def test_a_call_that_the_server_refused_is_quoted_and_not_tried_again(
    generation: str, calls: tuple[QuotedCall, ...]
) -> None:
    problem = {"message": "m", "code": "tool_use_failed", "failed_generation": generation}
    told = error(400, {"error": problem})
    assert (told.quoted_calls, told.retryable) == (calls, False)


@pytest.mark.parametrize("generation", ["", None, "I think", "[1]"])
def test_a_refused_call_that_is_not_quoted_may_be_tried_again(generation: str | None) -> None:
    problem = {"message": "m", "code": "tool_use_failed", "failed_generation": generation}
    told = error(400, {"error": problem})
    assert (told.quoted_calls, told.retryable) == ((), True)


@pytest.mark.parametrize(
    ("code", "retryable"),
    [("server_error", True), ("overloaded_error", True), ("invalid_request_error", False)],
)
def test_a_code_says_whether_to_try_again_where_there_is_no_status(
    code: str, retryable: bool
) -> None:
    with pytest.raises(ModelError) as raised:
        DIALECT.decode({"error": {"message": "no", "type": code}}, WireNames())
    assert (raised.value.status, raised.value.retryable) == (None, retryable)


@pytest.mark.parametrize(
    ("asked", "wait"), [("7s", 7.0), ("0.5s", 0.5), ("soon", None), ("-1s", None), (7, None)]
)
def test_google_says_in_the_body_how_long_to_wait(asked: Any, wait: float | None) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": asked}]
    told = error(429, [{"error": {"code": 429, "message": "quota", "details": ["x", *details]}}])
    assert told.retry_after == wait
    assert error(429, [{"error": {"details": details}}], retry_after="3").retry_after == 3.0
