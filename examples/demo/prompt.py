"""What the models of the demo are told beforehand: instructions, and worked examples for the small one."""

from __future__ import annotations

__all__ = ["EXAMPLES", "INSTRUCTIONS"]

INSTRUCTIONS = "Answer in one short sentence."

# A small model imitates: it calls after a question and answers after a result because it has seen
# just that. None of these is one of the questions.
EXAMPLES = ()
