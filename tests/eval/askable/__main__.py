"""Whether what the library holds can be asked for: a result of each trial, in six ways of asking.

    python -m tests.eval.askable                   # one result a record, by chance
    python -m tests.eval.askable --seed 7 --show   # others, and what became of those that were not answered so

Questions are made of a record's own words for its arms, its outcome and the first disease of its title, so that a
question may be odd; the figure says where reading fails, and is no measure of answers. "Right": the answer object has a
result of that outcome and cites the record. "Other": it leads with a result of another outcome or record. "Prose": no
result, sentences alone.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from openwork_bus import loop
from openwork_bus.settings import ServiceSettings
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.evidence import EvidenceRecord, OutcomeResult
from openwork_contracts.question import AskRequest, EntityKind
from openwork_evidence.library.references import shipped
from openwork_gateway.domain.folds import fold
from openwork_language.terms import find_terms
from openwork_retrievers.adapters.library import LibrarySource

from tests.asking import submit
from tests.flow import services
from tests.handling import bus_of_today

_BESIDE = re.compile(r"\s*\([^()]*\)|,.*$|\s+\d[\d.,/-]*\s*(?:mg|micrograms?|g|IU|units?|mcg|mL|L/min|mg/kg|%)\b.*$")
WAYS = {
    "does": "Does {tested} reduce {outcome} in {people}?",
    "better": "Is {tested} better than {other} for {outcome} in patients with {people}?",
    "short": "{people}, {tested} vs {other}: {outcome}?",
    "effect": "In patients with {people}, what is the effect of {tested} compared with {other} on {outcome}?",
    "risk": "What is the risk of {outcome} with {tested} versus {other} in {people}?",
    "person": "A 67-year-old man with {people} came to clinic yesterday. Would {tested} rather than {other} change his"
    " chance of {outcome}?",
}


@dataclass(frozen=True, slots=True)
class Askable:
    """A result that two arms and an effect tell, of a record whose title names a disease."""

    key: str
    record: EvidenceRecord
    result: OutcomeResult
    people: str

    def question(self, way: str) -> str:
        """Of a trial's own words."""
        outcome = bare(self.result.outcome)
        outcome = outcome if outcome[:2].isupper() else outcome[0].lower() + outcome[1:]
        tested, other = (bare(arm.arm) for arm in self.result.arms)
        text = WAYS[way].format(tested=tested, other=other, outcome=outcome, people=self.people)
        return text[0].upper() + text[1:]


def bare(text: str) -> str:
    """Without doses, brackets and what a comma adds."""
    return _BESIDE.sub("", text).strip() or text


def askable(seed: int) -> Iterator[Askable]:
    """One result of each record that has some, drawn by chance."""
    chance = random.Random(seed)
    for key, record in sorted(shipped().items()):
        told = [r for r in record.results if len(r.arms) == 2 and r.effect is not None and not r.analysis]
        told = [r for r in told if " in " not in r.outcome]
        if not told:
            continue
        result = chance.choice(told)
        words = result.outcome.casefold()
        named = (t for t in find_terms(record.title) if t.kind is EntityKind.DISEASE)
        people = next((t.text for t in named if not {t.name.casefold(), t.text.casefold()} & {words}), None)
        if people is not None and people.casefold() not in words:
            yield Askable(key, record, result, people)


def became(asked: Askable, document: AnswerDocument) -> str:
    """right, other, prose or silent."""
    if document.status is not RunStatus.ANSWERED:
        return "silent"
    found = document.conclusion
    if found is None or found.lead is None:
        return "prose"
    told = {bare(result.outcome) for result in (found.lead, *found.others, *found.conflicts)}
    cited = asked.record.title in {reference.title for reference in document.references}
    return "right" if bare(asked.result.outcome) in told and cited else "other"


async def run(seed: int, *, show: bool) -> str:
    """The table, and with `show` a line for each that is not right."""
    library, lines = LibrarySource(), []
    counts: dict[str, Counter[str]] = {way: Counter() for way in WAYS}
    for asked in askable(seed):
        for way in WAYS:
            bus = bus_of_today()
            flow = services(bus, sources={"library": library})
            reply = await submit(bus, AskRequest(question=asked.question(way)), ServiceSettings())
            assert reply.run_id is not None
            await flow.drain()
            document = fold(await bus.history(reply.run_id))
            counts[way][kind := became(asked, document)] += 1
            if show and kind != "right":
                first = (document.answer.markdown.splitlines() or [""])[0]
                lines.append(f"{kind} | {asked.key} | {asked.question(way)} | {first[:200]}")
    kinds = ("right", "other", "prose", "silent")
    head = f"{'':<8}" + "".join(f"{kind:>8}" for kind in kinds)
    table = [f"{way:<8}" + "".join(f"{counts[way][kind]:>8}" for kind in kinds) for way in WAYS]
    return "\n".join([*lines, head, *table])


def main() -> int:
    """Print it."""
    os.environ["OPENWORK_SOURCES"] = "library"
    os.environ.setdefault("OPENWORK_LOG_LEVEL", "ERROR")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="which results are drawn")
    parser.add_argument("--show", action="store_true", help="print what became of those that are not right")
    arguments = parser.parse_args()
    sys.stdout.write(loop.run(run(arguments.seed, show=arguments.show)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
