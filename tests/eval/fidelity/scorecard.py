"""The gate's part of docs/evaluation.md: what it says of each kind of error and on each labelled set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from openwork_contracts.verdict import Verdict

from tests.eval.fidelity import benchmarks, injected
from tests.eval.fidelity.benchmarks import NEUTRAL, REFUTE, SUPPORT
from tests.eval.fidelity.statistics import macro_f1, wilson

BEGIN = "<!-- gate:begin -->"
END = "<!-- gate:end -->"
_TITLE = "# Evaluation\n"
_SAID = (Verdict.SUPPORTED, Verdict.PARTLY_SUPPORTED, Verdict.UNSUPPORTED, Verdict.CONTRADICTED, Verdict.NOT_A_CLAIM)
_PASSED = frozenset({Verdict.SUPPORTED, Verdict.NOT_A_CLAIM})
_INJECTED = """\
`python -m tests.eval.fidelity scorecard --write docs/evaluation.md` writes this part. No language model and no
key takes part in any figure here. Intervals are Wilson's, 95%.

### Injected errors

One rule-made error in a sentence that its source bears out; *caught* is any verdict but `supported`. Beside them the
same sentences restated faithfully by rule, of which *flagged* are those with any verdict but `supported`.
"""
_OWN_WORDS = """\
### Conclusions in words of their own

The last sentence of an abstract against the abstract without it. Here nothing can be found word for word.
"""
_SETS = """\
### Labelled claim sets

Development halves. `supported` is read as entailed, `contradicted` as refuted, every other verdict as not enough
information; on the sets with two labels only support or not counts. Nothing was fitted on these sets; the coefficients
of the gate's soft part come from `tests/eval/fidelity/fit.py`.
"""


def scorecard(data: Path | None, per_source: int) -> str:
    """The whole part, as markdown. Without the data set, only the library's records are used and no labelled sets."""
    tally = injected.run(data, per_source)
    blocks = [_INJECTED, _kinds(tally), _OWN_WORDS, _own_words(tally)]
    if data is not None:
        blocks.append(_SETS)
        results = {name: benchmarks.results(name, data) for name in benchmarks.SETS}
        blocks.append(_summary(results))
        blocks += [_matrix(name, pairs) for name, pairs in results.items()]
    return "\n".join(blocks)


def write(text: str, path: Path) -> None:
    """Put the part between its markers; a document without them gets it at its end."""
    document = path.read_text(encoding="utf-8") if path.exists() else _TITLE
    part = f"{BEGIN}\n\n{text.strip()}\n\n{END}"
    if BEGIN in document and END in document:
        before, rest = document.split(BEGIN, 1)
        document = before + part + rest.split(END, 1)[1]
    else:
        document = f"{document.rstrip()}\n\n{part}\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document, encoding="utf-8")


def _kinds(tally: injected.Tally) -> str:
    wrong = {k: v for k, v in sorted(tally.verdicts.items()) if not k.startswith("faithful")}
    right = {k: v for k, v in sorted(tally.verdicts.items()) if k.startswith("faithful")}
    head = ["kind of error", "n", *(v.value.replace("_", " ") for v in _SAID), "caught", "95% interval"]
    rows = [_kind_row(kind, said) for kind, said in (*wrong.items(), ("**all errors**", _sum(wrong)))]
    restated = [_kind_row(kind, said) for kind, said in (*right.items(), ("**all faithful**", _sum(right)))]
    return _table(head, rows) + "\n" + _table([*head[:-2], "flagged", head[-1]], restated)


def _kind_row(kind: str, said: Mapping[Verdict, int]) -> list[str]:
    n = sum(said.values())
    stopped = sum(count for verdict, count in said.items() if verdict not in _PASSED)
    return [kind.replace("_", " "), str(n), *(str(said.get(v, 0)) for v in _SAID), *_share(stopped, n)]


def _sum(kinds: Mapping[str, Counter[Verdict]]) -> Counter[Verdict]:
    return sum(kinds.values(), Counter())


def _own_words(tally: injected.Tally) -> str:
    rows = [[kind, str(len(hits)), *_share(sum(hits), len(hits))] for kind, hits in sorted(tally.own_words.items())]
    return _table(["kind", "n", "share", "95% interval"], rows)


def _summary(results: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    head = ["set", "claims", "macro F1, 3 labels", "macro F1, support or not", "wrong claims caught", "false alarms"]
    rows = []
    for name, pairs in results.items():
        labels = benchmarks.SETS[name][1]
        two = [(str(truth == SUPPORT), str(said == SUPPORT)) for truth, said in pairs]
        wrong = [said != SUPPORT for truth, said in pairs if truth != SUPPORT]
        right = [said != SUPPORT for truth, said in pairs if truth == SUPPORT]
        rows.append(
            [
                name,
                str(len(pairs)),
                f"{macro_f1(pairs, labels):.3f}" if len(labels) == 3 else "",
                f"{macro_f1(two, ('True', 'False')):.3f}",
                " ".join(_share(sum(wrong), len(wrong))),
                " ".join(_share(sum(right), len(right))),
            ]
        )
    return _table(head, rows)


def _matrix(name: str, pairs: Sequence[tuple[str, str]]) -> str:
    counts = Counter(pairs)
    said = (SUPPORT, REFUTE, NEUTRAL)
    rows = []
    for truth in benchmarks.SETS[name][1]:
        n = sum(counts[truth, s] for s in said)
        rows.append([truth, *(str(counts[truth, s]) for s in said), *_share(counts[truth, truth], n)])
    return _table([f"{name}: is", *(f"said {s}" for s in said), "recall", "95% interval"], rows)


def _share(hits: int, n: int) -> tuple[str, str]:
    low, high = wilson(hits, n)
    return f"{hits / n if n else 0.0:.1%}", f"[{low:.1%}, {high:.1%}]"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
