"""Whether a model on this Triton answers: one real inference over HTTP. The standard library alone.

    probe.py [MODEL] [HTTP PORT]        MODEL: reranker (default), embedder or nli

Triton's own readiness stays green when the process of a model has ended (triton-inference-server/server#8604), so a
probe that does not infer would keep a dead replica.
"""

import json
import math
import sys
import urllib.request

_INPUTS = {
    "reranker": (("QUERY", "Is aspirin effective?"), ("PASSAGE", "Aspirin was effective.")),
    "embedder": (("TEXT", "Aspirin was effective."),),
    "nli": (("PREMISE", "Aspirin was effective."), ("HYPOTHESIS", "Aspirin works.")),
}
_TIMEOUT_S = 8


def infer(model: str, port: int) -> list[float]:
    """The numbers of the first output; OSError when there is no good answer."""
    inputs = [{"name": n, "shape": [1, 1], "datatype": "BYTES", "data": [text]} for n, text in _INPUTS[model]]
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v2/models/{model}/infer",
        data=json.dumps({"inputs": inputs}).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:  # noqa: S310 - loopback
        return [float(number) for number in json.load(answer)["outputs"][0]["data"]]


def main(arguments: list[str]) -> int:
    """Status 0 when every number of the answer is one."""
    model = arguments[0] if arguments else "reranker"
    try:
        numbers = infer(model, int(arguments[1]) if len(arguments) > 1 else 8000)
    except (OSError, ValueError, KeyError, IndexError) as error:
        sys.stdout.write(f"{model} does not answer: {error}\n")
        return 1
    return 0 if numbers and all(math.isfinite(number) for number in numbers) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
