"""What the gate costs: CPU time for an answer of twenty sentences that cites ten abstracts."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from openwork_contracts.verdict import EvidenceItem
from openwork_language.sentences import split_sentences
from openwork_verifier.domain.gate import verify_answer

from tests.eval.fidelity.sources import Abstract, library_abstracts, pubmedqa_abstracts

N_ABSTRACTS = 10
N_CLAIMS = 20
N_TRIES = 5
SEED = 20241201
WANTED_MS = 100


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of CPU, the best of five."""

    cold_ms: float
    warm_ms: float

    @property
    def line(self) -> str:
        """For people."""
        return (
            f"{N_CLAIMS} claims on {N_ABSTRACTS} abstracts: {self.cold_ms:.0f} ms of CPU with empty caches, "
            f"{self.warm_ms:.0f} ms with the texts already read (best of {N_TRIES}; wanted under {WANTED_MS} ms)"
        )


def measure(data: Path | None) -> Timing:
    """Process time of `verify_answer`, with every `lru_cache` of the product emptied before each try, and with none.

    Data files stay loaded in both: they are read once in the life of a service.
    """
    answer, evidence = workload(list(pubmedqa_abstracts(data) if data else library_abstracts()))
    verify_answer(answer, evidence)  # loads the data files
    cold = min(_timed(answer, evidence, empty=True) for _ in range(N_TRIES))
    warm = min(_timed(answer, evidence, empty=False) for _ in range(N_TRIES))
    return Timing(cold, warm)


def workload(abstracts: Sequence[Abstract]) -> tuple[str, list[EvidenceItem]]:
    """Two sentences of each of ten abstracts, told in other words a little, each with its mark."""
    random = Random(SEED)
    chosen = random.sample([a for a in abstracts if len(split_sentences(a.text)) >= 6], N_ABSTRACTS)
    evidence = [EvidenceItem(n=n, title=a.title, text=a.text) for n, a in enumerate(chosen, start=1)]
    sentences = []
    for item in evidence:
        for sentence in random.sample(split_sentences(item.text)[2:], N_CLAIMS // N_ABSTRACTS):
            words = sentence.text.rstrip(". ").replace("compared with", "versus").replace("showed", "found")
            sentences.append(f"According to the authors, {words} [{item.n}].")
    return " ".join(sentences), evidence


def _timed(answer: str, evidence: list[EvidenceItem], *, empty: bool) -> float:
    if empty:
        _empty_caches()
    gc.collect()
    started = time.process_time()
    verify_answer(answer, evidence)
    return 1000 * (time.process_time() - started)


def _empty_caches() -> None:
    """Those of functions that take a text. A function without arguments loads a data file: once in a life."""
    for name, module in list(sys.modules.items()):
        if not name.startswith("openwork_"):
            continue
        for function in list(vars(module).values()):
            wrapped = getattr(function, "__wrapped__", None)
            if hasattr(function, "cache_clear") and wrapped is not None and wrapped.__code__.co_argcount:
                function.cache_clear()
