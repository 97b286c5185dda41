"""The gate against a writer that uses words of its own: true sentences that survive beside false ones that pass.

    python -m tests.eval.free_writing [--errors N] [--misses N] [--true N]

Abstracts of the shared data go to the scripted free writer (tests/fakes/models/free_writer.py), and what it wrote to
the erring one, which puts in one of 20 errors. Which sentence is true is known from the writer's record. The gate has
the whole abstract and no model.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from openwork_contracts.verdict import ClaimVerdict, EvidenceItem, Verdict
from openwork_verifier.domain.gate import verify_claim

from tests.eval.fidelity.sources import Abstract, abstracts, data_directory
from tests.eval.fidelity.statistics import share_line
from tests.fakes.models.erring_writer import WAYS, ways_for
from tests.fakes.models.free_writer import Written, write

SEED = 20261122
TRUE_SENTENCES = 600
ERRORS_PER_WAY = 100
_PER_ABSTRACT = 6
_LOOSE_SHARE = 0.3
"""At most this part of the true sentences is only reworded; the others are told anew."""
_FEW = 100
"""Ways with fewer sentences are printed and not judged."""
_PASSES = {Verdict.SUPPORTED, Verdict.NOT_A_CLAIM}
_LOOSE = {"plain", "hint"}


@dataclass(frozen=True)
class Judged:
    """A sentence and what the gate said of it."""

    written: Written
    verdict: ClaimVerdict

    @property
    def passes(self) -> bool:
        return self.verdict.verdict in _PASSES

    @property
    def kind(self) -> str:
        """The family of its finding, or "merged"."""
        families = [fact.family.value for fact in self.written.facts]
        return families[0] if len(families) == 1 else "merged"

    def told(self) -> str:
        """For reading by eye."""
        why = "; ".join(f"{r.code.value}: {r.detail}" for r in self.verdict.reasons)
        lines = [f"[{self.written.error or self.kind}] {self.verdict.verdict.value}: {self.written.text}"]
        lines += [f"    true was: {self.written.original}"] if self.written.original else []
        return "\n".join(
            [*lines, *(f"    source: {s}" for s in self.written.sources), *([f"    {why}"] if why else [])]
        )


@dataclass
class Result:
    """All that was judged."""

    honest: list[Judged] = field(default_factory=list)
    wrong: dict[str, list[Judged]] = field(default_factory=lambda: defaultdict(list))


def shuffled(random: Random) -> list[Abstract]:
    """Every abstract of the shared data, the sources mixed: the project's own and the small sets are not drowned."""
    groups: dict[str, list[Abstract]] = defaultdict(list)
    for abstract in abstracts(data_directory()):
        groups[abstract.source].append(abstract)
    mixed = []
    for group in groups.values():
        mixed += [
            (i / len(group) if len(group) > 200 else random.random(), i, a)
            for i, a in enumerate(random.sample(group, len(group)))
        ]
    return [abstract for _, _, abstract in sorted(mixed, key=lambda entry: entry[:2])]


def written_sentences(pool: Sequence[Abstract]) -> Iterator[tuple[Abstract, Written]]:
    """What the writer says of each abstract."""
    for abstract in pool:
        for written in write(abstract.text, 1, most=_PER_ABSTRACT):
            yield abstract, written


def measure(n_true: int, per_way: int) -> Result:
    """True sentences up to `n_true`, and errors of every way up to `per_way`, over one walk through the abstracts."""
    result, n_loose = Result(), 0
    for abstract, written in written_sentences(shuffled(Random(SEED))):
        evidence = [EvidenceItem(n=1, title=abstract.title, text=abstract.text)]
        is_loose = written.facts[0].family.value in _LOOSE
        if len(result.honest) < n_true and not (is_loose and n_loose >= _LOOSE_SHARE * n_true):
            n_loose += is_loose
            result.honest.append(Judged(written, verify_claim(written.text, (1,), evidence)))
        wanted = [w for w in ways_for(written, abstract.text) if len(result.wrong[w.error]) < per_way]
        for wrong in sorted(wanted, key=lambda w: len(result.wrong[w.error]))[: 1 if is_loose else 3]:
            result.wrong[wrong.error].append(Judged(wrong, verify_claim(wrong.text, (1,), evidence)))
        if len(result.honest) >= n_true and all(len(result.wrong[way]) >= per_way for way in WAYS):
            break
    return result


def report(result: Result) -> str:
    """The table as text: right beside wrong."""
    honest = result.honest
    anew = [judged for judged in honest if judged.kind not in _LOOSE]
    kinds = Counter(judged.kind for judged in honest)
    verdicts = Counter(judged.verdict.verdict.value for judged in honest)
    wrong = [judged for group in result.wrong.values() for judged in group]
    lines = [
        share_line("true, survive", sum(j.passes for j in honest), len(honest)),
        share_line("  of which told anew", sum(j.passes for j in anew), len(anew)),
        share_line("true, called contradicted", verdicts["contradicted"], len(honest)),
        share_line("false, pass", sum(j.passes for j in wrong), len(wrong)),
        "",
        f"verdicts of true sentences: {dict(verdicts)}",
        "reasons against true sentences: " + ", ".join(f"{code} {n}" for code, n in _reasons(honest)),
        "",
        "true sentences that survive, by kind of finding",
        *(_line(kind, [j for j in honest if j.kind == kind]) for kind, _ in kinds.most_common()),
        "",
        f"false sentences that pass, by way (fewer than {_FEW} in brackets)",
        *(_line(way, result.wrong[way]) for way in WAYS),
    ]
    return "\n".join(lines)


def _line(name: str, judged: Sequence[Judged]) -> str:
    line = share_line(name, sum(j.passes for j in judged), len(judged))
    return line if len(judged) >= _FEW else f"({line})"


def _reasons(judged: Sequence[Judged]) -> list[tuple[str, int]]:
    return Counter(r.code.value for j in judged if not j.passes for r in j.verdict.reasons).most_common()


def main() -> int:
    """Print the table, and as many sentences as are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--errors", type=int, default=0, metavar="N", help="show N false sentences of each way that pass"
    )
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="show N true sentences that do not survive")
    parser.add_argument("--true", type=int, default=TRUE_SENTENCES, metavar="N", help="how many true sentences")
    parser.add_argument("--per-way", type=int, default=ERRORS_PER_WAY, metavar="N", help="how many errors of each way")
    wanted = parser.parse_args()
    start = time.perf_counter()
    result = measure(wanted.true, wanted.per_way)
    sys.stdout.write(f"{report(result)}\n\n{time.perf_counter() - start:.0f} s\n")
    lost = [judged for judged in result.honest if not judged.passes]
    shown = Random(SEED).sample(lost, min(wanted.misses, len(lost)))
    for way in WAYS:
        passed = [judged for judged in result.wrong[way] if judged.passes]
        shown += Random(SEED).sample(passed, min(wanted.errors, len(passed)))
    sys.stdout.write("".join(f"\n{judged.told()}\n" for judged in shown))
    return 0


if __name__ == "__main__":
    sys.exit(main())
