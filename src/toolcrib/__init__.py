"""Lets language models use tools safely: every wrong turn has one documented behaviour."""

from toolcrib._version import __version__
from toolcrib.agent import Agent
from toolcrib.errors import (
    ConfigurationError,
    ModelError,
    ToolArgumentsError,
    ToolCrashedError,
    ToolcribError,
    ToolError,
    ToolTimeoutError,
    UnknownToolError,
)
from toolcrib.loop.decisions import Answer, Approve, Deny, Edit
from toolcrib.loop.error_policy import ErrorPolicy
from toolcrib.loop.limits import Limits
from toolcrib.loop.outcome import Outcome, Result, RunAborted
from toolcrib.messages import (
    AssistantMessage,
    Audio,
    Document,
    Image,
    Message,
    SystemMessage,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from toolcrib.runtime.hooks import Hooks
from toolcrib.schema.parameters import Param
from toolcrib.toolbox import Toolbox
from toolcrib.tools.context import Injected, MemoryId, RunContext, RunParameters, ToolContext
from toolcrib.tools.define import tool_from_definition, tool_from_schema
from toolcrib.tools.definition import ReturnBehavior, ToolDefinition, Visibility
from toolcrib.tools.execution import ToolExecution
from toolcrib.tools.function import FunctionTool, tool
from toolcrib.tools.methods import tools_of
from toolcrib.tools.results import ToolOutput
from toolcrib.tools.signals import FatalToolError, RetryCall, ReturnNow
from toolcrib.tools.tool import Tool
from toolcrib.tools.toolset import StaticToolset, Toolset
from toolcrib.tools.wrappers import dynamic_toolset, filtered, mapped, merged, prefixed, renamed

__all__ = [
    "Agent",
    "Answer",
    "Approve",
    "AssistantMessage",
    "Audio",
    "ConfigurationError",
    "Deny",
    "Document",
    "Edit",
    "ErrorPolicy",
    "FatalToolError",
    "FunctionTool",
    "Hooks",
    "Image",
    "Injected",
    "Limits",
    "MemoryId",
    "Message",
    "ModelError",
    "Outcome",
    "Param",
    "Result",
    "RetryCall",
    "ReturnBehavior",
    "ReturnNow",
    "RunAborted",
    "RunContext",
    "RunParameters",
    "StaticToolset",
    "SystemMessage",
    "Text",
    "Tool",
    "ToolArgumentsError",
    "ToolCall",
    "ToolContext",
    "ToolCrashedError",
    "ToolDefinition",
    "ToolError",
    "ToolExecution",
    "ToolOutput",
    "ToolResult",
    "ToolTimeoutError",
    "Toolbox",
    "ToolcribError",
    "Toolset",
    "UnknownToolError",
    "UserMessage",
    "Visibility",
    "__version__",
    "dynamic_toolset",
    "filtered",
    "mapped",
    "merged",
    "prefixed",
    "renamed",
    "tool",
    "tool_from_definition",
    "tool_from_schema",
    "tools_of",
]
