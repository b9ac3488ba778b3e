"""Connections belong to event loops: kept while a loop lives, gone when it goes, never in anybody's way."""

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.processes import without_slow_steps
from tests.servers import Answer, Received, chunk, completion, events, serve
from toolcrib import Agent, UserMessage
from toolcrib.chat import ChatReply, ChatRequest
from toolcrib.models import OpenAIChat

HELLO = ChatRequest((UserMessage("hello"),))


async def ask(model: OpenAIChat, request: ChatRequest = HELLO) -> str:
    said = [item async for item in model.reply(request)]
    assert isinstance(said[-1], ChatReply)
    return said[-1].message.text


def in_a_fresh_interpreter(program: str, *arguments: str) -> str:
    """What a program prints that must not warn of anything."""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, without_slow_steps(run.stderr)) == (0, ""), run.stderr
    return run.stdout


FIVE_LOOPS = """
import asyncio, gc, sys
from toolcrib import Agent
from toolcrib.models import OpenAIChat
agent = Agent(OpenAIChat("m", base_url=sys.argv[1]))
for _ in range(5):
    print(asyncio.run(agent.run("hello")).content)
    gc.collect()
"""

LOOP_THREAD = """
import asyncio, sys
from toolcrib import Agent
from toolcrib.models import OpenAIChat
agent = Agent(OpenAIChat("m", base_url=sys.argv[1]))
print(agent.run_sync("hello").content)
print(asyncio.run(agent.run("hello")).content)
print(agent.run_sync("hello").content)
"""

NO_SSL = """
import asyncio, ssl, sys
def refuse(*args, **kwargs): raise AssertionError("authorities are read for plain HTTP")
ssl.SSLContext.load_verify_locations = ssl.SSLContext.load_default_certs = refuse
from toolcrib import Agent
from toolcrib.models import OpenAIChat
print(asyncio.run(Agent(OpenAIChat("m", base_url=sys.argv[1])).run("hello")).content)
"""

WHERE_IT_LOADS = """
import asyncio, sys, threading
loaded = {}
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name in ("httpx2", "httpcore2", "h11"):
            loaded[name] = threading.current_thread() is threading.main_thread()
sys.meta_path.insert(0, Watch())
from toolcrib import Agent, UserMessage
from toolcrib.models import OpenAIChat
agent = Agent(OpenAIChat("m", base_url=sys.argv[1]))
async def main():
    await asyncio.gather(*(agent.run("hello") for _ in range(3)))
asyncio.run(main())
print(loaded)
"""

FORGOTTEN = """
import asyncio, gc, sys
from toolcrib import Agent
from toolcrib.models import OpenAIChat
async def main():
    for _ in range(3):
        print((await Agent(OpenAIChat("m", base_url=sys.argv[1])).run("hello")).content)
        gc.collect()
asyncio.run(main())
"""


def test_models_that_are_dropped_while_their_loop_runs_leave_nothing_behind() -> None:
    with serve(forever=completion("hi")) as server:
        assert in_a_fresh_interpreter(FORGOTTEN, server.url) == "hi\n" * 3
        assert server.all_closed()


def test_five_loops_in_a_row_leave_nothing_behind_without_being_told() -> None:
    with serve(forever=completion("hi")) as server:
        assert in_a_fresh_interpreter(FIVE_LOOPS, server.url) == "hi\n" * 5
        assert server.connections == 5
        assert server.all_closed()


def test_the_thread_of_the_sync_face_leaves_nothing_behind_either() -> None:
    with serve(forever=completion("hi")) as server:
        assert in_a_fresh_interpreter(LOOP_THREAD, server.url) == "hi\n" * 3
        assert server.connections == 2, "the connection of the loop thread is kept between calls"
        assert server.all_closed()


def test_no_authorities_are_read_for_plain_http() -> None:
    with serve(forever=completion("hi")) as server:
        assert in_a_fresh_interpreter(NO_SSL, server.url) == "hi\n"


def test_what_is_slow_to_load_does_not_hold_up_the_loop() -> None:
    with serve(forever=completion("hi")) as server:
        printed = in_a_fresh_interpreter(WHERE_IT_LOADS, server.url)
    assert printed == "{'httpx2': False, 'httpcore2': False, 'h11': False}\n"


async def test_requests_of_one_loop_share_a_connection() -> None:
    with serve(forever=completion("hi")) as server:
        model = OpenAIChat("m", base_url=server.url)
        for _ in range(4):
            assert await ask(model) == "hi"
        await model.close()
    assert server.connections == 1


async def test_a_stream_gives_its_connection_back() -> None:
    with serve(forever=events(chunk({"content": "hi"}), chunk({}, "stop"))) as server:
        model = OpenAIChat("m", base_url=server.url)
        for _ in range(3):
            assert await ask(model, ChatRequest(HELLO.messages, stream=True)) == "hi"
        await model.close()
    assert server.connections == 1


async def test_requests_at_once_do_not_wait_for_one_another() -> None:
    together = threading.Barrier(8)

    def wait_for_all(received: Received) -> Answer:
        together.wait(timeout=10)
        return completion("hi")

    with serve(forever=wait_for_all) as server:
        model = OpenAIChat("m", base_url=server.url)
        assert await asyncio.gather(*(ask(model) for _ in range(8))) == ["hi"] * 8
        await model.close()


async def test_closing_ends_the_connections_and_a_later_request_opens_new_ones() -> None:
    with serve(forever=completion("hi")) as server:
        model = OpenAIChat("m", base_url=server.url)
        await model.close()
        await ask(model)
        await model.close()
        assert server.all_closed()
        assert await ask(model) == "hi"
        await model.close()
        assert server.connections == 2


async def test_closing_in_one_loop_disturbs_no_other() -> None:
    with serve(forever=completion("hi")) as server:
        model = OpenAIChat("m", base_url=server.url)
        await ask(model)
        await asyncio.to_thread(lambda: asyncio.run(model.close()))
        await ask(model)
        await model.close()
    assert server.connections == 1


async def test_a_stream_that_nobody_reads_to_its_end_leaves_its_connection() -> None:
    with serve(
        events(chunk({"content": "a"}), chunk({"content": "b"}), done=False, ends="stalls")
    ) as server:
        model = OpenAIChat("m", base_url=server.url)
        answering = model.reply(ChatRequest(HELLO.messages, stream=True))
        await anext(answering)
        await answering.aclose()
        assert server.all_closed()
        await model.close()


async def test_a_cancelled_request_leaves_its_connection() -> None:
    asked = threading.Event()

    def stall(received: Received) -> Answer:
        asked.set()
        return events(done=False, ends="stalls")

    with serve(stall) as server:
        model = OpenAIChat("m", base_url=server.url)
        task = asyncio.create_task(ask(model))
        await asyncio.to_thread(asked.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert server.all_closed()
        await model.close()


STALLS = {
    "before the headers": lambda go: Answer(waits_for=go),
    "before the first byte": lambda go: Answer([], ends="stalls"),
    "inside a whole body": lambda go: Answer([b'{"choices"'], ends="stalls"),
    "before the first event": lambda go: events(done=False, ends="stalls"),
    "inside an event": lambda go: Answer(
        [b'data: {"choices"'], headers={"content-type": "text/event-stream"}, ends="stalls"
    ),
    "inside an error": lambda go: Answer([b"x"], 500, ends="stalls"),
}


@pytest.mark.parametrize("phase", STALLS)
async def test_a_request_leaves_no_connection_wherever_it_is_cancelled(phase: str) -> None:
    asked, go = threading.Event(), threading.Event()

    def stall(received: Received) -> Answer:
        asked.set()
        return STALLS[phase](go)

    with serve(stall) as server:
        model = OpenAIChat("m", base_url=server.url)
        task = asyncio.create_task(ask(model))
        await asyncio.to_thread(asked.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go.set()
        assert server.all_closed()
        await model.close()


async def test_a_client_that_is_handed_in_is_used_and_stays_open() -> None:
    with serve(forever=completion("hi")) as server:
        async with httpx2.AsyncClient(headers={"x-mine": "yes"}, trust_env=False) as client:
            model = OpenAIChat("m", base_url=server.url, client=client)
            assert await ask(model) == "hi"
            await model.close()
            assert not client.is_closed
            assert await ask(model) == "hi"
    assert [one.headers["x-mine"] for one in server.requests] == ["yes", "yes"]


def test_one_agent_serves_many_threads_and_loops_at_once() -> None:
    with serve(forever=completion("hi")) as server:
        agent = Agent(OpenAIChat("m", base_url=server.url))

        async def several() -> list[str | None]:
            outcomes = await asyncio.gather(*(agent.run("hello") for _ in range(3)))
            return [outcome.content for outcome in outcomes]

        def thread(number: int) -> list[str | None]:
            if number % 2:
                return asyncio.run(several())
            return [agent.run_sync("hello").content for _ in range(3)]

        with ThreadPoolExecutor(8) as threads:
            said = list(threads.map(thread, range(16)))
        agent.close_sync()
    assert said == [["hi"] * 3] * 16
    assert len(server.requests) == 48
