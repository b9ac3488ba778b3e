"""What goes over the wire to a Chat Completions server, and what becomes of what comes back."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.servers import Answer, bytes_of_events, call, chunk, completion, error, events, serve
from toolcrib import ConfigurationError, ModelError, ToolDefinition, UserMessage
from toolcrib.chat import (
    ChatReply,
    ChatRequest,
    Delta,
    Settings,
    TextDelta,
    ToolCallDelta,
    ToolCallReady,
)
from toolcrib.models import OpenAIChat, Retries, Timeout, resolve_model

SOON = Retries(times=2, first_wait=0.0)
HELLO = ChatRequest((UserMessage("hello"),))
STREAMED = ChatRequest((UserMessage("hello"),), stream=True)
WEATHER = ToolDefinition(
    "weather.get",
    "The weather.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)


async def ask(
    model: OpenAIChat, request: ChatRequest = HELLO, seen: list[Delta] | None = None
) -> ChatReply:
    replies: list[ChatReply] = []
    async for item in model.reply(request):
        if isinstance(item, ChatReply):
            replies.append(item)
        elif seen is not None:
            seen.append(item)
    await model.close()
    (reply,) = replies
    return reply


def text_of(deltas: list[Delta]) -> str:
    return "".join(one.text for one in deltas if isinstance(one, TextDelta))


async def test_a_question_goes_out_and_its_answer_comes_back() -> None:
    with serve(completion("hi")) as server:
        model = OpenAIChat("m", base_url=server.url, headers={"X-Team": "blue"})
        reply = await ask(model, ChatRequest((UserMessage("hello"),), instructions="Be brief."))
    assert (reply.message.text, reply.finish_reason) == ("hi", "stop")
    assert (reply.usage.input_tokens, reply.usage.total_tokens) == (3, 5)
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"].startswith("toolcrib/")
    assert request.headers["x-team"] == "blue"
    assert "authorization" not in request.headers
    assert request.json == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hello"},
        ],
    }


async def test_a_base_url_may_end_with_a_slash() -> None:
    with serve(completion("hi")) as server:
        await ask(OpenAIChat("m", base_url=server.url + "/"))
    assert server.requests[0].path == "/v1/chat/completions"


async def test_a_base_url_may_have_a_query() -> None:
    with serve(completion("hi")) as server:
        await ask(OpenAIChat("m", base_url=server.url + "/?api-version=7"))
    assert server.requests[0].path == "/v1/chat/completions?api-version=7"


async def test_a_server_on_this_machine_is_not_asked_through_a_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serve(completion("hi")) as server:
        assert (await ask(OpenAIChat("m", base_url=server.url))).message.text == "hi"


async def test_another_server_is_asked_through_the_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with serve(completion("hi")) as proxy:
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        await ask(OpenAIChat("m", base_url="http://models.example/v1"))
    assert proxy.requests[0].path == "http://models.example/v1/chat/completions"


async def test_tool_names_are_made_legal_on_the_wire_and_come_back_as_they_are() -> None:
    with serve(completion(None, call("weather_get", '{"city": "Oslo"}'))) as server:
        request = ChatRequest((UserMessage("weather?"),), tools=(WEATHER,), tool_choice="required")
        reply = await ask(OpenAIChat("m", base_url=server.url), request)
    (asked,) = reply.message.tool_calls
    assert (asked.name, asked.arguments) == ("weather.get", '{"city": "Oslo"}')
    sent = server.requests[0].json
    assert sent["tools"][0]["function"]["name"] == "weather_get"
    assert sent["tool_choice"] == "required"


async def test_settings_of_the_request_go_before_those_of_the_model() -> None:
    with serve(completion("hi")) as server:
        model = OpenAIChat(
            "m", base_url=server.url, settings=Settings(max_tokens=7, temperature=0.5)
        )
        await ask(model, ChatRequest((UserMessage("hello"),), settings=Settings(temperature=0.0)))
    sent = server.requests[0].json
    assert (sent["max_tokens"], sent["temperature"]) == (7, 0.0)


async def test_texts_with_half_a_character_are_sent_all_the_same() -> None:
    with serve(completion("hi")) as server:
        await ask(OpenAIChat("m", base_url=server.url), ChatRequest((UserMessage("a\ud83d"),)))
    assert server.requests[0].json["messages"][0]["content"] == "a\ud83d"


PIECES = [None, 1, 7, 64]


@pytest.mark.parametrize("size", PIECES)
async def test_a_streamed_answer_comes_in_deltas_and_then_whole(size: int | None) -> None:
    said = [chunk({"content": text}) for text in ("Gr", "üß", "e 🌍")]
    with serve(events(*said, chunk({}, "stop"), size=size)) as server:
        seen: list[Delta] = []
        reply = await ask(OpenAIChat("m", base_url=server.url), STREAMED, seen)
    assert server.requests[0].json["stream"] is True
    assert seen == [TextDelta("Gr"), TextDelta("üß"), TextDelta("e 🌍")]
    assert (reply.message.text, reply.finish_reason) == ("Grüße 🌍", "stop")


@pytest.mark.parametrize("size", PIECES)
async def test_streamed_calls_are_put_together(size: int | None) -> None:
    said = [
        chunk({"tool_calls": [{"index": 0, **call("a", "")}]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"x":'}}]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": " 1}"}}]}),
        chunk({"tool_calls": [{"index": 1, **call("b", "{}", id="call_2")}]}),
    ]
    with serve(events(*said, chunk({}, "tool_calls"), size=size)) as server:
        seen: list[Delta] = []
        reply = await ask(OpenAIChat("m", base_url=server.url), STREAMED, seen)
    calls = [(one.id, one.name, one.arguments) for one in reply.message.tool_calls]
    assert calls == [("call_1", "a", '{"x": 1}'), ("call_2", "b", "{}")]
    ready = [one.call for one in seen if isinstance(one, ToolCallReady)]
    assert ready == list(reply.message.tool_calls)
    fragments = [one for one in seen if isinstance(one, ToolCallDelta) and one.index == 0]
    assert "".join(one.arguments for one in fragments) == '{"x": 1}'


async def test_a_server_that_does_not_stream_is_understood_when_it_was_asked_to() -> None:
    with serve(completion("hi")) as server:
        reply = await ask(OpenAIChat("m", base_url=server.url), STREAMED)
    assert reply.message.text == "hi"


async def test_a_server_that_streams_is_understood_when_it_was_not_asked_to() -> None:
    with serve(events(chunk({"content": "hi"}), chunk({}, "stop"))) as server:
        reply = await ask(OpenAIChat("m", base_url=server.url))
    assert reply.message.text == "hi"


async def test_a_stream_may_end_without_saying_so() -> None:
    with serve(events(chunk({"content": "hi"}), chunk({}, "stop"), done=False)) as server:
        reply = await ask(OpenAIChat("m", base_url=server.url), STREAMED)
    assert (reply.message.text, reply.finish_reason) == ("hi", "stop")


async def test_a_call_that_a_broken_stream_cut_off_is_marked() -> None:
    begun = [
        chunk({"content": "Let me see."}),
        chunk({"tool_calls": [{"index": 0, **call("pay", '{"amount": 10')}]}),
    ]
    with serve(events(*begun, done=False, ends="cut")) as server:
        reply = await ask(OpenAIChat("m", base_url=server.url, retries=SOON), STREAMED)
    assert len(server.requests) == 1, "after the first delta nothing is asked again"
    assert reply.finish_reason == "error"
    assert [one.cut_off for one in reply.message.tool_calls] == [True]
    assert reply.message.text == "Let me see."


async def test_a_stream_that_ends_without_a_reason_counts_as_cut_off() -> None:
    begun = [chunk({"tool_calls": [{"index": 0, **call("pay", '{"amount": 10')}]})]
    with serve(events(*begun, done=False)) as server:
        reply = await ask(OpenAIChat("m", base_url=server.url), STREAMED)
    assert reply.finish_reason == "error"
    assert [one.cut_off for one in reply.message.tool_calls] == [True]


@pytest.mark.parametrize("ends", ["well", "cut"])
async def test_an_event_that_was_cut_off_spoils_nothing_that_came_before_it(ends: str) -> None:
    whole = bytes_of_events(chunk({"content": "Once"}), chunk({"content": " upon"}), done=False)
    answer = Answer([whole[:-20]], headers={"content-type": "text/event-stream"}, ends=ends)
    with serve(answer) as server:
        reply = await ask(OpenAIChat("m", base_url=server.url), STREAMED)
    assert (reply.message.text, reply.finish_reason) == ("Once", "error")


async def test_a_stream_that_breaks_before_anything_came_is_asked_for_again() -> None:
    empty = events(chunk({"role": "assistant"}), done=False, ends="cut")
    with serve(empty, events(chunk({"content": "hi"}), chunk({}, "stop"))) as server:
        reply = await ask(OpenAIChat("m", base_url=server.url, retries=SOON), STREAMED)
    assert reply.message.text == "hi"
    assert len(server.requests) == 2


async def test_an_error_at_the_start_of_a_stream_is_an_error() -> None:
    refused = {"error": {"message": "overloaded", "code": "busy"}}
    with serve(events(refused)) as server, pytest.raises(ModelError, match="overloaded"):
        await ask(OpenAIChat("m", base_url=server.url, retries=0), STREAMED)
    assert len(server.requests) == 1


PASSING: dict[str, Answer] = {
    "busy": error(503),
    "too many": error(429, retry_after_ms="1"),
    "later": error(429, retry_after="0"),
    "crashed": error(500),
    "silent": Answer(silent=True),
    "cut": Answer([b'{"choices"'], headers={"content-length": "500"}, ends="cut"),
}


@pytest.mark.parametrize("request_", [HELLO, STREAMED], ids=["whole", "streamed"])
@pytest.mark.parametrize("kind", PASSING)
async def test_what_may_pass_is_tried_again(kind: str, request_: ChatRequest) -> None:
    with serve(PASSING[kind], PASSING[kind], completion("hi")) as server:
        reply = await ask(OpenAIChat("m", base_url=server.url, retries=SOON), request_)
    assert reply.message.text == "hi"
    first, second, third = (one.body for one in server.requests)
    assert first == second == third


async def test_attempts_come_to_an_end() -> None:
    busy = serve(forever=error(503, "busy"))
    with busy as server, pytest.raises(ModelError, match="busy") as raised:
        await ask(OpenAIChat("m", base_url=server.url, retries=SOON))
    assert len(server.requests) == 3
    assert (raised.value.status, raised.value.retryable) == (503, True)


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 413, 422])
async def test_what_will_not_pass_is_told_at_once(status: int) -> None:
    refusal = error(status, "not like this", x_request_id="req-7", location="/elsewhere")
    with serve(refusal) as server, pytest.raises(ModelError, match="not like this") as raised:
        await ask(OpenAIChat("m", base_url=server.url, retries=SOON))
    assert len(server.requests) == 1
    assert raised.value.status == status
    assert raised.value.code == "some_code"
    assert raised.value.request_id == "req-7"


async def test_a_wait_that_is_too_long_is_left_to_the_caller() -> None:
    slow = serve(error(429, "slow down", retry_after="7200"))
    with slow as server, pytest.raises(ModelError) as raised:
        await ask(OpenAIChat("m", base_url=server.url))
    assert len(server.requests) == 1
    assert raised.value.retry_after == 7200


async def test_a_server_that_is_not_there_is_named() -> None:
    with serve() as server:
        url = server.url
    with pytest.raises(ModelError, match=r"127\.0\.0\.1") as raised:
        await ask(OpenAIChat("m", base_url=url, retries=0))
    assert (raised.value.status, raised.value.retryable) == (None, True)


@pytest.mark.parametrize(
    "body", [b"<html>", b"", b"[]", b'"hi"', b"{", b"\xff\xfe", b"[" * 100_000]
)
async def test_an_answer_that_is_no_json_object_is_an_error(body: bytes) -> None:
    with serve(Answer([body] if body else [])) as server, pytest.raises(ModelError):
        await ask(OpenAIChat("m", base_url=server.url, retries=0))


async def test_an_event_that_is_no_json_object_is_an_error() -> None:
    wrong = Answer([b"data: <oops>\n\n"], headers={"content-type": "text/event-stream"})
    with serve(wrong) as server, pytest.raises(ModelError, match="no JSON object"):
        await ask(OpenAIChat("m", base_url=server.url, retries=0), STREAMED)


async def test_an_answer_in_wrong_bytes_is_read_as_far_as_it_can_be() -> None:
    body = json.dumps({"choices": [{"message": {"content": "h@i"}, "finish_reason": "stop"}]})
    with serve(Answer([body.encode().replace(b"@", b"\xff")])) as server:
        reply = await ask(OpenAIChat("m", base_url=server.url))
    assert reply.message.text == "h\ufffdi"


@pytest.mark.parametrize("headers_first", [True, False])
async def test_a_server_that_stops_is_not_waited_for_beyond_the_total(headers_first: bool) -> None:
    stalls = Answer([b" "] if headers_first else [], ends="stalls")
    with serve(forever=stalls) as server:
        model = OpenAIChat("m", base_url=server.url, timeout=0.2)
        with pytest.raises(ModelError, match="in time") as raised:
            await ask(model)
    assert raised.value.code == "timeout"


async def test_a_stream_that_stops_in_the_middle_is_cut_off_at_the_total() -> None:
    with serve(events(chunk({"content": "Once upon"}), done=False, ends="stalls")) as server:
        model = OpenAIChat("m", base_url=server.url, timeout=Timeout(total=0.3))
        reply = await ask(model, STREAMED)
    assert (reply.message.text, reply.finish_reason) == ("Once upon", "error")


async def test_a_silent_server_is_not_waited_for_beyond_the_reading_time() -> None:
    with serve(forever=Answer([b" "], ends="stalls")) as server:
        model = OpenAIChat("m", base_url=server.url, timeout=Timeout(read=0.1), retries=0)
        with pytest.raises(ModelError, match="stopped sending"):
            await ask(model)


# Keys


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_openai_without_a_key_is_refused_with_the_name_of_the_variable() -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        OpenAIChat("gpt-5-mini")
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        resolve_model("openai:gpt-5-mini")


def test_openai_with_a_key_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    OpenAIChat("gpt-5-mini", api_key="sk-1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-2")
    assert resolve_model("openai:gpt-5-mini").name == "gpt-5-mini"


async def sent_key(model: Callable[[str], OpenAIChat]) -> str | None:
    with serve(completion("hi")) as server:
        await ask(model(server.url))
    return server.requests[0].headers.get("authorization")


async def test_a_key_that_is_handed_in_is_sent() -> None:
    assert await sent_key(lambda url: OpenAIChat("m", base_url=url, api_key="k")) == "Bearer k"


async def test_the_key_of_the_environment_stays_away_from_other_servers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert await sent_key(lambda url: OpenAIChat("m", base_url=url)) is None


async def test_the_key_of_the_environment_goes_to_the_server_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")

    def model(url: str) -> OpenAIChat:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        return OpenAIChat("m")

    assert await sent_key(model) == "Bearer k"


async def test_a_key_may_change_from_request_to_request() -> None:
    keys = iter(["one", "two"])

    async def later() -> str:
        return "three"

    with serve(forever=completion("hi")) as server:
        model = OpenAIChat("m", base_url=server.url, api_key=lambda: next(keys))
        await ask(model)
        await ask(model)
        await ask(OpenAIChat("m", base_url=server.url, api_key=later))
    sent = [one.headers["authorization"] for one in server.requests]
    assert sent == ["Bearer one", "Bearer two", "Bearer three"]


async def test_a_header_that_is_handed_in_goes_before_the_key() -> None:
    headers = {"Authorization": "Basic abc"}
    sent = await sent_key(lambda url: OpenAIChat("m", base_url=url, api_key="k", headers=headers))
    assert sent == "Basic abc"


async def test_a_key_that_the_server_quotes_is_not_told_on() -> None:
    refusing = serve(error(401, "Incorrect API key provided: sk-secret-1."))
    with refusing as server, pytest.raises(ModelError, match="Incorrect API key") as raised:
        await ask(OpenAIChat("m", base_url=server.url, api_key="sk-secret-1"))
    told: list[Any] = [str(raised.value), repr(raised.value), raised.value.excerpt]
    assert not any("sk-secret-1" in one for one in told)


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000",
        "ftp://host/v1",
        "http://",
        "/v1",
        "http://host:port/v1",
        "http://host:99999/v1",
        "http://my host/v1",
        "http://host/v1\n",
        "http://[::1/v1",
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="http"):
        OpenAIChat("m", base_url=url)


async def test_a_key_that_ends_with_a_line_is_sent_without_it() -> None:
    assert await sent_key(lambda url: OpenAIChat("m", base_url=url, api_key="k\n")) == "Bearer k"


@pytest.mark.parametrize("key", ["sk-sec\nret", "sk-secrét", "sk-\x00secret", 7])
async def test_a_key_that_cannot_be_sent_is_refused_without_being_told(key: Any) -> None:
    model = OpenAIChat("m", base_url="http://127.0.0.1:9/v1", api_key=lambda: key)
    with pytest.raises(ConfigurationError, match="API key") as raised:
        await ask(model)
    assert str(key)[:5] not in str(raised.value)
    assert raised.value.__cause__ is None


def test_a_header_that_cannot_be_sent_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="x-team"):
        OpenAIChat("m", base_url="http://127.0.0.1:9/v1", headers={"x-team": "a\nb: c"})


def test_a_model_needs_a_name() -> None:
    with pytest.raises(ConfigurationError, match="name"):
        OpenAIChat("", base_url="http://127.0.0.1:1/v1")


def test_the_key_does_not_show_in_what_is_printed() -> None:
    model = OpenAIChat("m", base_url="https://user:word@host/v1", api_key="sk-secret")
    assert repr(model) == "OpenAIChat('m', host='host')"
