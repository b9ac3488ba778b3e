"""`toolcrib chat`: a conversation with a model that may use tools."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from cyclopts import Parameter

from toolcrib.agent import Agent
from toolcrib.chat import ChatModel
from toolcrib.cli.console import Screen, UsageProblem
from toolcrib.cli.conversation import Conversation
from toolcrib.cli.target import find, tools_in
from toolcrib.cli.transcript import Transcript
from toolcrib.errors import ConfigurationError
from toolcrib.loop.limits import Limits
from toolcrib.models.prompted import PromptedTools
from toolcrib.models.registry import resolve_model

__all__ = ["chat"]

_PROMPT = "> "


def chat(
    question: Annotated[
        str | None, Parameter(help="Ask this one thing and leave; else ask line by line.")
    ] = None,
    /,
    *,
    model: Annotated[
        str | None, Parameter(alias="-m", help="The model, such as openai:gpt-5-mini.")
    ] = None,
    tools: Annotated[
        tuple[str, ...],
        Parameter(alias="-t", help="MODULE:THING with tools; may be repeated."),
    ] = (),
    base_url: Annotated[
        str | None, Parameter(help="The address of a compatible server of your own.")
    ] = None,
    key_env: Annotated[
        str | None,
        Parameter(help="The environment variable that holds the key."),
    ] = None,
    system: Annotated[str | None, Parameter(help="What the model is told about its part.")] = None,
    deps: Annotated[
        str | None, Parameter(help="MODULE:THING that fills the tools' injected parameters.")
    ] = None,
    prompted: Annotated[
        bool,
        Parameter(help="Describe the tools in words, for models that know no tools."),
    ] = False,
    limit: Annotated[
        tuple[str, ...],
        Parameter(
            help="A bound of each run, such as model_calls=10, tool_calls, tokens, seconds, repeat, "
            "result_bytes; 'none' switches one off. May be repeated.",
        ),
    ] = (),
    full: Annotated[bool, Parameter(help="Show results in full.")] = False,
) -> int:
    """Talk to a model, and see each call, what was repaired in it, and its result.

    Ctrl-C cancels what is running, not the program; Ctrl-D (the end of input) leaves. A question on
    the command line or from a pipe is answered without asking for more; exit code 1 when a run did
    not end with an answer.

    Examples:
      toolcrib chat -m openai:gpt-5-mini -t shop.tools:TOOLS
      toolcrib chat -m openai:qwen3 --base-url http://127.0.0.1:8080/v1 "Hi"
      toolcrib chat -t shop:agent --limit model_calls=10 --limit seconds=60
    """
    server = _server(base_url, key_env)
    agent = _agent(model, tools, server, system, deps, prompted, _limits(limit))
    screen = Screen()
    with Conversation(agent, screen, Transcript(screen, full=full)) as conversation:
        if question is not None:
            return int(not conversation.ask(question))
        if sys.stdin.isatty():
            _talk(conversation, screen)
            return 0
        return _read_questions(conversation, screen)


def _agent(
    model: str | None,
    targets: Sequence[str],
    server: Mapping[str, str],
    system: str | None,
    deps: str | None,
    prompted: bool,
    limits: Limits | None,
) -> Agent:
    things = [find(target) for target in targets]
    if model is None:
        if len(things) == 1 and isinstance(things[0], Agent):
            if server or system or deps or prompted or limits:
                raise UsageProblem(
                    "An agent has its own model, instructions, deps and limits; name a model too (-m) "
                    "to use only its tools."
                )
            return things[0]
        raise UsageProblem("Name a model: -m openai:gpt-5-mini (or -t with an agent).")
    asked = _model(model, server)
    if prompted:
        asked = PromptedTools(asked)
    tools = [tool for thing in things for tool in tools_in(thing)]
    return Agent(
        asked,
        instructions=system,
        tools=tools,
        limits=limits or Limits(),
        deps=None if deps is None else find(deps),
    )


def _model(name: str, server: Mapping[str, str]) -> ChatModel:
    try:
        return resolve_model(name, **server)
    except ConfigurationError as error:
        if "api_key=" not in str(error):
            raise
        raise UsageProblem(  # in words of the command line, not of Python
            f"{name!r} wants a key: set the environment variable OPENAI_API_KEY, or name another one "
            "with --key-env. For a server of your own give --base-url."
        ) from error


def _server(base_url: str | None, key_env: str | None) -> dict[str, str]:
    """Options of a model; what is not given is left to the model, which may not even know it."""
    options = {} if base_url is None else {"base_url": base_url}
    if key_env is not None:
        if not os.environ.get(key_env):
            raise UsageProblem(f"--key-env: the environment variable {key_env!r} is not set.")
        options["api_key"] = os.environ[key_env]
    return options


def _limits(given: Sequence[str]) -> Limits | None:
    if not given:
        return None
    kinds = {field.name: field for field in dataclasses.fields(Limits)}
    bounds: dict[str, Any] = {}
    for text in given:
        name, _, value = text.partition("=")
        if name not in kinds:
            raise UsageProblem(f"There is no limit {name!r}; there are {', '.join(kinds)}.")
        try:
            number = None if value == "none" else float(value) if name == "seconds" else int(value)
        except ValueError:
            raise UsageProblem(f"--limit {text}: write a number, or 'none'.") from None
        bounds[name] = number
    return Limits(**bounds)


def _talk(conversation: Conversation, screen: Screen) -> None:
    with contextlib.suppress(ImportError):  # line editing, where Python was built with it
        importlib.import_module("readline")
    screen.say("Ctrl-C cancels what is running, Ctrl-D leaves.", "dim")
    while True:
        try:
            question = input(_PROMPT)
        except EOFError:
            screen.say()
            return
        except KeyboardInterrupt:
            screen.say()
            continue
        if question.strip():
            conversation.ask(question)


def _read_questions(conversation: Conversation, screen: Screen) -> int:
    code = 0
    for line in sys.stdin:
        question = line.strip()
        if question:
            screen.say(f"{_PROMPT}{question}", "bold")
            code |= not conversation.ask(question)
    return int(code)
