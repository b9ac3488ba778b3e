"""Doubles for tests of programs that use models: scripted models, recorded and replayed replies."""

from toolcrib.testing.complaints import (
    RealRequest,
    ScriptError,
    ScriptExhausted,
    UnpairedRequest,
    UnusedSteps,
)
from toolcrib.testing.recorder import Recorder, Replay, RequestChanged
from toolcrib.testing.script import call, fail, say, think, turn
from toolcrib.testing.scripted_model import ScriptedModel

__all__ = [
    "RealRequest",
    "Recorder",
    "Replay",
    "RequestChanged",
    "ScriptError",
    "ScriptExhausted",
    "ScriptedModel",
    "UnpairedRequest",
    "UnusedSteps",
    "call",
    "fail",
    "say",
    "think",
    "turn",
]
