"""Whether the models of this Triton answer: real inferences over HTTP. The standard library alone.

    probe.py [MODEL] [HTTP PORT]     MODEL: reranker, embedder, nli, or loaded (default) = each of these that is loaded

Triton's own readiness stays green when the process of a model has ended (triton-inference-server/server#8604), so a
probe that does not infer would keep a dead replica. So would one that asks the same twice: the response cache goes on
answering what it has answered before. A server that says that it is too busy is alive: a restart would not help it.
"""

from __future__ import annotations

import json
import math
import sys
import time
import urllib.error
import urllib.request
import uuid

_INPUTS = {
    "reranker": ("QUERY", "PASSAGE"),
    "embedder": ("TEXT",),
    "nli": ("PREMISE", "HYPOTHESIS"),
}
_PATIENCE_S = 8
"""For all models together; Kubernetes gives the probe 10 s."""
_TIMES = 8
"""Most inferences per model, one after the other: it has several processes, of which one alone may be dead."""
_BUSY = ("Exceeds maximum queue size", "Request timeout expired")


def new_text() -> str:
    """A text never sent before, of words that any tokenizer knows and a number that nobody has seen."""
    return f"Aspirin was effective in study {uuid.uuid4().int}."


def _asked(port: int, path: str, body: object, timeout_s: float) -> object:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v2/{path}",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=timeout_s) as answer:  # noqa: S310 - loopback
        return json.load(answer)


def loaded_models(port: int) -> list[str]:
    """Models of ours that the server has loaded; OSError when it does not answer."""
    index = _asked(port, "repository/index", {"ready": True}, _PATIENCE_S)
    names = {row["name"] for row in index if row.get("state") == "READY"}  # type: ignore[attr-defined]
    return [model for model in _INPUTS if model in names]


def infer(model: str, port: int, timeout_s: float = _PATIENCE_S) -> list[float]:
    """The numbers of the first output; OSError when there is no good answer."""
    inputs = [{"name": n, "shape": [1, 1], "datatype": "BYTES", "data": [new_text()]} for n in _INPUTS[model]]
    answer = _asked(port, f"models/{model}/infer", {"inputs": inputs}, timeout_s)
    return [float(number) for number in answer["outputs"][0]["data"]]  # type: ignore[index]


def wrong_with(model: str, port: int, patience_s: float = _PATIENCE_S) -> str:
    """Why the model counts as dead; empty when it lives."""
    give_up = time.monotonic() + patience_s
    for _ in range(_TIMES):
        try:
            numbers = infer(model, port, max(0.1, give_up - time.monotonic()))
        except urllib.error.HTTPError as error:
            words = error.read(10_000).decode(errors="replace")
            if not any(busy in words for busy in _BUSY):
                return f"{error}: {words}"
        except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
            return str(error)
        else:
            if not numbers or not all(map(math.isfinite, numbers)):
                return f"it answered {numbers}"
        if time.monotonic() >= give_up:
            break
    return ""


def main(arguments: list[str]) -> int:
    """Status 0 when every number of every answer is one."""
    model = arguments[0] if arguments else "loaded"
    port = int(arguments[1]) if len(arguments) > 1 else 8000
    try:
        models = loaded_models(port) if model == "loaded" else [model]
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.stdout.write(f"the server does not say what it has loaded: {error}\n")
        return 1
    if not models:
        sys.stdout.write("none of our models is loaded\n")
        return 1
    wrong = {name: words for name in models if (words := wrong_with(name, port, _PATIENCE_S / len(models)))}
    for name, words in wrong.items():
        sys.stdout.write(f"{name} does not answer: {words}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
