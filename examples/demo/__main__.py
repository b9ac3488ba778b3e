"""`make demo`: asks a model a few questions, with tools, and shows every step."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from examples.demo.desk import Desk
from examples.demo.prompt import EXAMPLES
from examples.demo.questions import HARDER, QUESTIONS, Question, judge
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


@dataclass(frozen=True)
class Part:
    """Questions for one model, under one heading."""

    heading: str
    model: ChatModel
    questions: Sequence[Question]


def main() -> int:
    """Run the demo; the exit code is 0 if every conversation came to an end of its own."""
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--model", help="openai:NAME, or http://HOST:PORT/v1#NAME")
    wanted = parser.parse_args().model
    try:
        with _parts(wanted) as parts, tempfile.TemporaryDirectory() as folder:
            return asyncio.run(_converse(parts, Desk(Path(folder) / "desk.db")))
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    except (CannotFetch, ServerFailed, ToolcribError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 1


@contextmanager
def _parts(wanted: str | None) -> Iterator[Sequence[Part]]:
    """The model that was asked for, or the small local one while its server runs."""
    if wanted is not None:
        yield [Part("With the model's own tool calling", _model(wanted), QUESTIONS)]
        return
    weights = model_file(CACHE)
    # The server is on this machine: no proxy of the environment can reach it.
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"
    print("Starting the model's server on this machine ...", flush=True)
    with local_server(weights, CACHE / "server.log") as url:
        small = OpenAIChat("SmolLM2-135M-Instruct", base_url=url, settings=SETTINGS)
        held = PromptedTools(small, examples=EXAMPLES, longest_answer=200)
        free = PromptedTools(small, examples=EXAMPLES, constrain=False)
        yield [
            Part("The server holds the model to the form of a call", held, QUESTIONS),
            Part("Nothing holds the model to anything", free, HARDER),
        ]


def _model(wanted: str) -> ChatModel:
    if not wanted.startswith(("http://", "https://")):
        return resolve_model(wanted)
    url, _, name = wanted.partition("#")
    if not name:
        raise ToolcribError(f"Which model of that server? Write MODEL={url}#NAME.")
    return OpenAIChat(name, base_url=url)


async def _converse(parts: Sequence[Part], desk: Desk) -> int:
    transcript = Transcript()
    transcript.catalogue(parts[0].model.name, tools_of(desk))
    for part in parts:
        transcript.part(part.heading)
        async with Agent(part.model, tools=[desk], limits=LIMITS, observers=[transcript]) as agent:
            for question in part.questions:
                await _ask(agent, question, desk, transcript)
    return transcript.summary()


async def _ask(agent: Agent, question: Question, desk: Desk, transcript: Transcript) -> None:
    transcript.question(question)
    before = desk.events()
    try:
        outcome = await agent.run(question.text)
    except ToolcribError as error:
        transcript.failure(error)
    else:
        verdict = judge(question, outcome.tool_executions, outcome.content, desk, before)
        transcript.ending(outcome, verdict)


if __name__ == "__main__":
    sys.exit(main())
