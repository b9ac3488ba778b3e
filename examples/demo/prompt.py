"""What the small model is shown beforehand: worked examples, none of which is one of the questions."""

from __future__ import annotations

from toolcrib.models.prompted import Example

__all__ = ["EXAMPLES"]

# A small model imitates more than it obeys: it calls after a question, answers after a result, and
# keeps quiet about what it was not told, because it has just seen that done.
EXAMPLES = (
    Example(
        "What is the weather in Paris?",
        "In Paris it is 18 degrees celsius with clouds.",
        "get_weather",
        {"city": "Paris"},
        "Paris: 18 degrees celsius, clouds",
    ),
    Example(
        "How much is 10 miles in km?",
        "10 miles are 16.09 km.",
        "convert",
        {"value": 10, "from_unit": "miles", "to_unit": "km"},
        "10 miles = 16.09 km",
    ),
    Example(
        "Put dentist on friday in my calendar",
        "I added dentist on friday.",
        "add_event",
        {"title": "dentist", "day": "friday"},
        "Added 'dentist' on friday",
    ),
    Example(
        "What is the weather in Camelot?",
        "I have no weather for Camelot.",
        "get_weather",
        {"city": "Camelot"},
        "No weather for 'Camelot'.",
        failed=True,
    ),
    Example("Good morning!", "Good morning! How can I help you?"),
)
