"""How long to wait before another try: one rule for the bus, HTTP, the models and Triton."""

from __future__ import annotations

import random


def backoff_s(tries_done: int, *, base_s: float, max_s: float, rng: random.Random | None = None) -> float:
    """A pause in [0, min(max_s, base_s * 2^(tries_done - 1))], uniform ("full jitter").

    Uniform over the whole interval: callers that failed together come back apart. The mean is half the bound.

    Args:
        tries_done: tries that have failed, >= 1.
        rng: whose numbers decide; the process's own when left out.
    Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """
    uniform = rng.uniform if rng is not None else random.uniform
    return uniform(0.0, min(max_s, base_s * 2.0 ** min(tries_done - 1, 32)))
