"""The command line as a whole: its verbs, its exit codes, and how errors are told."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable

from cyclopts import App, CycloptsError, Parameter

from toolcrib._version import __version__
from toolcrib.cli.chat import chat
from toolcrib.cli.console import Screen, UsageProblem
from toolcrib.cli.tools_call import call_tool
from toolcrib.cli.tools_check import check_tools
from toolcrib.cli.tools_list import list_tools
from toolcrib.cli.tools_show import show_tools
from toolcrib.cli.version import version
from toolcrib.errors import ConfigurationError, ToolcribError

__all__ = ["build", "run"]

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130

_EPILOGUE = """\
Exit codes: 0 all is well; 1 a call, a run or a check failed; 2 used wrongly; 130 interrupted.

MODULE:THING names a function, a tool, a list, an object with @tool methods, a toolset or an agent.
Modules are looked for in the current directory too. NO_COLOR=1 switches colours off.
"""


def build() -> App:
    """The command line, ready to be run."""
    app = App(
        name="toolcrib",
        help="Try tools out, look at them as a model does, and talk to models that use them.",
        help_epilogue=_EPILOGUE,
        help_format="plaintext",
        version=__version__,
        default_parameter=Parameter(negative=(), show_default=False),
        result_action="return_value",
        # chat has its own meaning for Ctrl-C; everywhere else it is told by the exit code
        suppress_keyboard_interrupt=False,
    )
    tools = App(name="tools", help="List, show, call and check tools, without a model.")
    _add(tools, list_tools, "list")
    _add(tools, show_tools, "show")
    _add(tools, call_tool, "call")
    _add(tools, check_tools, "check")
    _add(app, chat, "chat")
    app.command(tools)
    _add(app, version, "version")
    app.register_install_completion_command()
    return app


def _add(app: App, verb: Callable[..., int], name: str) -> None:
    """Add a verb; the examples in its docstring stand at the end of its help."""
    text, _, examples = inspect.cleandoc(verb.__doc__ or "").partition("\n\nExamples:\n")
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    epilogue = f"Examples:\n{examples}" if examples else None
    app.command(verb, name=name, help="\n\n".join(paragraphs), help_epilogue=epilogue)


def run(arguments: list[str]) -> int:
    """Run one command line; gives the exit code. Errors are told without a traceback."""
    try:
        code = build()(arguments, exit_on_error=False, print_error=True)
        sys.stdout.flush()
        return code if isinstance(code, int) else OK
    except CycloptsError:
        return USAGE
    except (UsageProblem, ConfigurationError) as error:
        Screen().note(f"Error: {error}", "red")
        return USAGE
    except ToolcribError as error:
        Screen().note(f"Error: {error}", "red")
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # whoever read along has left, such as `head`; Python would complain again at its exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
