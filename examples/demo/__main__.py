"""`make demo`: asks a model a few questions, with tools, and shows every step."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from examples.demo.desk import Desk
from examples.demo.prompt import EXAMPLES
from examples.demo.questions import QUESTIONS, Question, Verdict, judge
from examples.demo.server import ServerFailed, local_server
from examples.demo.transcript import Transcript
from examples.demo.weights import CannotFetch, model_file
from toolcrib import Agent, Limits, ToolcribError, tools_of
from toolcrib.chat import ChatModel, Settings
from toolcrib.models import OpenAIChat, PromptedTools, resolve_model

CACHE = Path(__file__).resolve().parents[2] / ".cache"

# A model this small must be held on a short leash: few requests, few tokens, no luck involved.
LIMITS = Limits(model_calls=4, repeat=2, seconds=120)
SETTINGS = Settings(max_tokens=120, temperature=0.0)


def main() -> int:
    """Run the demo; the exit code is 0 if every conversation came to an end of its own."""
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--model", help="openai:NAME, or http://HOST:PORT/v1#NAME")
    wanted = parser.parse_args().model
    try:
        with _model(wanted) as model, tempfile.TemporaryDirectory() as folder:
            return asyncio.run(_converse(model, Desk(Path(folder) / "desk.db")))
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    except (CannotFetch, ServerFailed, ToolcribError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 1


@contextmanager
def _model(wanted: str | None) -> Iterator[ChatModel]:
    """The model that was asked for, or the small local one while its server runs."""
    if wanted is None:
        weights = model_file(CACHE)
        # The server is on this machine: no proxy of the environment can reach it.
        os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"
        print("Starting the model's server on this machine ...", flush=True)
        with local_server(weights, CACHE / "server.log") as url:
            small = OpenAIChat("SmolLM2-135M-Instruct", base_url=url, settings=SETTINGS)
            yield PromptedTools(small, examples=EXAMPLES, longest_answer=200)
    elif wanted.startswith(("http://", "https://")):
        url, _, name = wanted.partition("#")
        if not name:
            raise ToolcribError(f"Which model of that server? Write MODEL={url}#NAME.")
        yield OpenAIChat(name, base_url=url)
    else:
        yield resolve_model(wanted)


async def _converse(model: ChatModel, desk: Desk) -> int:
    transcript = Transcript()
    tools = tools_of(desk)
    agent = Agent(model, tools=tools, limits=LIMITS, observers=[transcript])
    transcript.catalogue(model.name, tools)
    rows: list[tuple[Question, Verdict | None]] = []
    tokens, started = 0, time.perf_counter()
    async with agent:
        for number, question in enumerate(QUESTIONS, 1):
            transcript.question(number, question.text)
            before = desk.events()
            try:
                outcome = await agent.run(question.text)
            except ToolcribError as error:
                transcript.failure(error)
                rows.append((question, None))
                continue
            verdict = judge(question, outcome.tool_executions, outcome.content, desk, before)
            transcript.ending(outcome)
            transcript.verdict(question, verdict)
            rows.append((question, verdict))
            tokens += outcome.usage.tokens
    transcript.summary(rows, time.perf_counter() - started, tokens)
    return 1 if any(verdict is None for _, verdict in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
