"""python -m tests.eval.review [screening|tracks|published] [--seeds 10]

Screening: the five shared sets of Cohen 2006 (`label_included`), with decisions simulated from the labels. A run begins
with one included and one excluded record, drawn by its seed; then records are read in the order of the product's
priorities, which learn from each batch (one record more for every twelve that were read). Nothing is written.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from openwork_screening.priority import Priorities, Readable, work_saved

from tests.eval.review import published, tracks
from tests.eval.search.collections_of import rows_of

DATA = Path(os.environ.get("OPENWORK_DATA") or Path(__file__).resolve().parents[4] / "shared" / "data")
SETS = ("ADHD", "BetaBlockers", "NSAIDS", "ProtonPumpInhibitors", "Triptans")
BY_ITSELF = "ProtonPumpInhibitors"
"""The set on which simple readers do worst: printed by itself."""
BATCH = 12
WANTED = 0.60


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.eval.review", description=__doc__)
    parser.add_argument("part", nargs="?", default="screening", choices=["screening", "tracks", "published"])
    parser.add_argument("--seeds", type=int, default=10, help="runs of each set (10)")
    options = parser.parse_args(arguments)
    if options.part == "tracks":
        asyncio.run(tracks.main())
        return 0
    if options.part == "published":
        return asyncio.run(published.measure())
    return screening(options.seeds)


def screening(seeds: int) -> int:
    """Exit code 1 where the mean is under what is wanted; 0 with a line where the data are not here."""
    folder = DATA / "benchmarks/screening"
    if not folder.exists():
        print(f"{folder} is not here: nothing was measured")
        return 0
    print(f"{'set':22} records included  WSS@95 (least to most)     recall at 20   at 50  at 100   s")
    means = []
    for name in SETS:
        records, labels = read_set(DATA / "benchmarks", f"Cohen_2006_{name}")
        begun = time.monotonic()
        priorities = Priorities(records)
        orders = [simulated(priorities, labels, seed) for seed in range(seeds)]
        saved = [work_saved(labels[place] for place in order) for order in orders]
        recalls = [statistics.mean(recall_at(order, labels, n) for order in orders) for n in (20, 50, 100)]
        means.append(statistics.mean(saved))
        print(
            f"{name:22} {len(labels):7} {sum(labels):8}  {means[-1]:.3f}  ({min(saved):.3f} to {max(saved):.3f})"
            f"     {'  '.join(f'{recall:6.1%}' for recall in recalls)}  {time.monotonic() - begun:4.0f}",
            flush=True,
        )
    mean = statistics.mean(means)
    print(f"mean of the five       {mean:.3f}  wanted >= {WANTED:.2f} (a plain baseline: 0.59)")
    others = statistics.mean(value for name, value in zip(SETS, means, strict=True) if name != BY_ITSELF)
    print(f"{BY_ITSELF} by itself {means[SETS.index(BY_ITSELF)]:.3f}; mean of the other four {others:.3f}")
    return 0 if mean >= WANTED else 1


def read_set(root: Path, name: str) -> tuple[list[Readable], list[bool]]:
    """Records of one review, and which of them it included."""
    records, labels = [], []
    for row in rows_of(root, name):
        headings = tuple(word.strip() for word in row["keywords"].split(";") if word.strip())
        records.append(Readable(row["title"], row["abstract"], headings))
        labels.append(row["label_included"] == "1")
    return records, labels


def simulated(priorities: Priorities, labels: Sequence[bool], seed: int) -> list[int]:
    """Places in the order in which they were read, until 95 % of the included are found; the rest after them."""
    random = Random(seed)
    order = [
        random.choice([place for place, included in enumerate(labels) if included is wanted])
        for wanted in (True, False)
    ]
    while len(order) < len(labels):
        batch = priorities.order({place: labels[place] for place in order})
        if sum(labels[place] for place in order) >= 0.95 * sum(labels):
            return [*order, *batch]
        order += batch[: max(1, len(order) // BATCH)]
    return order


def recall_at(order: Sequence[int], labels: Sequence[bool], n: int) -> float:
    """Included among the first n, of those that could be there."""
    return sum(labels[place] for place in order[:n]) / min(n, sum(labels))


if __name__ == "__main__":
    raise SystemExit(main())
