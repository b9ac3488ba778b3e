from toolcrib.models.openai_chat import OpenAIChat as OpenAIChat
from toolcrib.models.prompted import PromptedTools as PromptedTools
from toolcrib.models.prompted_request import Example as Example
from toolcrib.models.registry import resolve_model as resolve_model
from toolcrib.wire.timing import Retries as Retries
from toolcrib.wire.timing import Timeout as Timeout

__all__ = ["Example", "OpenAIChat", "PromptedTools", "Retries", "Timeout", "resolve_model"]
