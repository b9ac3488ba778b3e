"""A server that is broken or means harm costs a `ModelError`, and is told no secret."""

import gzip
from collections.abc import Callable

import pytest

from tests.servers import Answer, completion, error, events, serve
from toolcrib import ModelError, UserMessage
from toolcrib.chat import ChatRequest
from toolcrib.models import OpenAIChat

HELLO = ChatRequest((UserMessage("hello"),))


async def ask(model: OpenAIChat) -> None:
    try:
        async for _ in model.reply(HELLO):
            pass
    finally:
        await model.close()


SECRETS = ["sk/secret-1", "tok-secret-2", "word-secret-3", "query-secret-4"]


@pytest.mark.parametrize("quoted", SECRETS)
@pytest.mark.parametrize(
    "told",
    [
        lambda secret: error(401, f"Bad credential {secret}.", x_request_id=f"r-{secret}"),
        lambda secret: error(401, "x" * 480 + secret),
        lambda secret: Answer([b"<html>" + b"y" * 490 + secret.encode()], 403),
        lambda secret: Answer([secret.encode()], headers={"content-type": "application/json"}),
        lambda secret: events({"error": {"message": secret, "code": secret}}),
    ],
)
async def test_no_secret_is_told_on_wherever_a_server_quotes_it(
    told: Callable[[str], Answer], quoted: str
) -> None:
    with serve(told(quoted)) as server:
        address = server.url.replace("://", f"://user:{SECRETS[2]}@") + f"?code={SECRETS[3]}"
        headers = {"X-Api-Token": SECRETS[1]}
        model = OpenAIChat("m", base_url=address, api_key=SECRETS[0], headers=headers, retries=0)
        with pytest.raises(ModelError) as raised:
            await ask(model)
        await model.close()
    problem = raised.value
    everything = repr((problem, vars(problem), problem.__cause__, model))
    assert not any(quoted[:at] in everything for at in (8, len(quoted)))


async def test_a_body_without_end_is_refused() -> None:
    blanks = [b" " * 1024 * 1024] * 80
    with serve(Answer(blanks)) as server, pytest.raises(ModelError, match="does not end"):
        await ask(OpenAIChat("m", base_url=server.url, retries=0))
    with serve(Answer(blanks, 404)) as server, pytest.raises(ModelError, match="404"):
        await ask(OpenAIChat("m", base_url=server.url, retries=0))


async def test_a_small_body_that_unpacks_to_a_huge_one_is_refused() -> None:
    packed = gzip.compress(b" " * 80 * 1024 * 1024)
    bomb = Answer([packed], headers={"content-encoding": "gzip"})
    with serve(bomb) as server, pytest.raises(ModelError, match="does not end"):
        await ask(OpenAIChat("m", base_url=server.url, retries=0))


@pytest.mark.parametrize("place", ["file:///etc/passwd", "http://127.0.0.2:9/v1", "/elsewhere"])
async def test_a_redirect_is_not_followed(place: str) -> None:
    with serve(Answer(status=307, headers={"location": place})) as server:
        with pytest.raises(ModelError, match="307"):
            await ask(OpenAIChat("m", base_url=server.url, api_key="sk-secret"))
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"content-length": "1000"},
        {"content-length": "-5"},
        {"content-length": "2", "transfer-encoding": "chunked"},
        {"content-encoding": "gzip"},
        {"x": "y" * 200_000},
    ],
)
async def test_an_answer_that_breaks_the_rules_of_http_is_a_model_error(
    headers: dict[str, str],
) -> None:
    with serve(Answer([b"zzz"], headers=headers, ends="cut")) as server:
        with pytest.raises(ModelError) as raised:
            await ask(OpenAIChat("m", base_url=server.url, retries=0))
        assert raised.value.code in ("connection", "unreadable")


async def test_name_and_password_of_an_address_are_sent_and_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(0)
    with serve(completion("hi")) as server:
        address = server.url.replace("://", "://me:p%40ss-secret@")
        await ask(
            OpenAIChat("m", base_url=address, api_key="sk-secret", headers={"k": "hd-secret"})
        )
    assert server.requests[0].headers["authorization"] == "Basic bWU6cEBzcy1zZWNyZXQ="
    assert server.requests[0].headers["host"] == f"127.0.0.1:{server.port}"
    assert "HTTP Request" in caplog.text
    assert "secret" not in caplog.text
    assert "bWU6" not in caplog.text
