"""Pauses between tries: growing, bounded, and random so that those who failed together do not come back together."""

from __future__ import annotations

import random


def jittered_backoff_s(n_tries: int, *, base_s: float, most_s: float) -> float:
    """Seconds to wait after the n-th failed try: `base_s` doubled per try, at most `most_s`, times 0.5 to 1.5.

    Args:
        n_tries: tries so far, from 1.
    """
    return min(base_s * 2.0 ** min(n_tries - 1, 30), most_s) * random.uniform(0.5, 1.5)
