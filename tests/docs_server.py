"""A loopback server that answers like a chat model, so that programs in the docs run as they are printed.

It speaks OpenAI Chat Completions. A request that offers tools and ends with the user's words is
answered by one call of the first tool, with arguments made from its schema; any other request is
answered by the text `Done.`, or by the smallest JSON that a demanded schema allows.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["chat_server"]


@contextmanager
def chat_server() -> Iterator[str]:
    """Serve while the block runs; gives the base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message, reason = _answer(body)
        if body.get("stream"):
            self._send("text/event-stream", _events(message, reason))
        else:
            choice = {"index": 0, "message": message, "finish_reason": reason}
            self._send("application/json", json.dumps(_envelope(choices=[choice])))

    def _send(self, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _answer(body: dict[str, Any]) -> tuple[dict[str, Any], str]:
    if body.get("tools") and body["messages"][-1]["role"] == "user":
        function = body["tools"][0]["function"]
        arguments = json.dumps(sample(function.get("parameters") or {}))
        asked = {"name": function["name"], "arguments": arguments}
        call = {"id": "call_1", "type": "function", "function": asked}
        return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    demanded = (body.get("response_format") or {}).get("json_schema", {}).get("schema")
    text = "Done." if demanded is None else json.dumps(sample(demanded))
    return {"role": "assistant", "content": text}, "stop"


def _events(message: dict[str, Any], reason: str) -> str:
    delta = dict(message)
    if calls := delta.get("tool_calls"):
        delta["tool_calls"] = [{"index": 0, **calls[0]}]
    chunks = [
        _envelope(choices=[{"index": 0, "delta": delta, "finish_reason": None}]),
        _envelope(choices=[{"index": 0, "delta": {}, "finish_reason": reason}]),
    ]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def _envelope(**more: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return {"id": "reply_1", "object": "chat.completion", "model": "test", "usage": usage, **more}


def sample(schema: dict[str, Any], root: dict[str, Any] | None = None) -> Any:
    """The smallest value that a plain schema allows."""
    root = schema if root is None else root
    if "$ref" in schema:
        found: Any = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        return sample(found, root)
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if "enum" in schema:
        return schema["enum"][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return sample(schema[key][0], root)
    kind = schema.get("type", "object")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            needed = schema.get("required", ())
            properties = schema.get("properties", {})
            return {name: sample(properties[name], root) for name in needed}
        case "array":
            return [sample(schema.get("items", {}), root)] if schema.get("minItems") else []
        case "string":
            return "2026-01-31" if schema.get("format") == "date" else "Oslo"
        case "integer" | "number":
            return max(schema.get("minimum", 1), 1)
        case "boolean":
            return True
        case _:
            return None
