"""The least score of a text worth reading: chosen on some questions, reported on others, through a server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.errors import UsageError
from openwork_reranker.calibrate import LabelledPair, calibrate, main, read_pairs
from openwork_reranker.domain.calibration import ScoredPair, choose_minimum, halves, passing, round_down
from openwork_reranker.domain.scoring import ScorableText

scores = st.floats(0, 1)
labelled = st.builds(ScoredPair, st.sampled_from(["a", "b", "c", "d"]), scores, st.booleans())


def pairs(*rows: tuple[float, bool]) -> list[ScoredPair]:
    return [ScoredPair("q", score, relevant) for score, relevant in rows]


def test_what_passes_is_counted_on_both_sides() -> None:
    found = passing(pairs((0.9, True), (0.5, True), (0.4, True), (0.6, False), (0.1, False)), 0.5)
    assert (found.relevant, found.irrelevant, found.kept, found.let_through) == (3, 2, 2, 1)
    assert found.recall == pytest.approx(2 / 3)
    assert found.wrongly == 0.5
    assert found.precision == pytest.approx(2 / 3)


def test_shares_of_nothing_are_not_numbers() -> None:
    nothing = passing([], 0.5)
    assert (nothing.recall, nothing.wrongly, nothing.precision) == (None, None, None)


@given(st.dictionaries(st.sampled_from(["x", "y"]), st.lists(labelled, max_size=30)), st.floats(0.01, 1))
def test_the_minimum_keeps_what_it_promises(sets: dict[str, list[ScoredPair]], keep: float) -> None:
    minimum = choose_minimum(sets, keep)
    recalls = [r for pairs in sets.values() if (r := passing(pairs, minimum).recall) is not None]
    assert 0 <= minimum <= 1
    if recalls:
        assert sum(recalls) / len(recalls) >= keep - 1e-9


def test_the_minimum_is_the_greatest_that_does() -> None:
    relevant = pairs(*((n / 100, True) for n in range(1, 101)))
    assert choose_minimum({"x": relevant}, 0.95) == pytest.approx(0.06)
    assert choose_minimum({"x": relevant}, 1.0) == pytest.approx(0.01)


def test_a_large_set_weighs_as_much_as_a_small_one() -> None:
    """Else the set with the most pairs would choose for all questions."""
    sets = {"large": pairs(*[(0.9, True)] * 1_000), "small": pairs((0.2, True), (0.9, True))}
    assert choose_minimum(sets, 0.8) == pytest.approx(0.2)


def test_without_a_relevant_pair_everything_passes() -> None:
    assert choose_minimum({"x": pairs((0.5, False))}) == 0.0


@given(st.lists(labelled))
def test_no_question_is_on_both_sides(some: list[ScoredPair]) -> None:
    """A minimum that is reported on what it was chosen on looks better than it is."""
    first, second = halves(some)
    assert not {pair.question for pair in first} & {pair.question for pair in second}
    assert len(first) + len(second) == len(some)


@given(st.floats(1e-9, 1))
def test_rounding_never_goes_up(value: float) -> None:
    assert value * 0.99 < round_down(value) <= value * (1 + 1e-12)


PAIRS = [
    LabelledPair("set", f"Question {n}?", ScorableText("", "x" * length), length > 200)
    for n in range(4)
    for length in (50, 100, 150, 250, 300)
]


async def test_a_served_model_is_calibrated_and_told_how_to_set_it() -> None:
    """The model scores by length, and people find long texts relevant."""
    pytest.importorskip("tritonclient.grpc", reason="the extra openwork-reranker[triton] is not installed")
    from tests.fakes.triton import FakeTriton, serving

    async with serving(FakeTriton(max_batch=64)) as url:
        said = await calibrate(url, "reranker", PAIRS)
    assert "triton: test/cross-encoder, version 3" in said
    # 250 characters: a logit of 1.5, 0.817 as a score.
    assert "minimum score 0.817" in said
    assert "| set | 4 | 6 | 1.000 | 0.000 | 1.000 | 0.400 |" in said
    assert 'key: "minimum_score" value: { string_value: "0.817" }' in said
    assert "OPENWORK_MODEL_MINIMUM_SCORE=0.817" in said


async def test_scores_that_are_the_lexical_ones_in_another_order_set_the_lexical_minimum() -> None:
    pytest.importorskip("tritonclient.grpc", reason="the extra openwork-reranker[triton] is not installed")
    from tests.fakes.triton import FakeTriton, serving

    async with serving(FakeTriton(output="embedding", answer=lambda row: [1.0, 0.0], max_batch=64)) as url:
        said = await calibrate(url, "embedder", PAIRS)
    assert "set OPENWORK_MINIMUM_SCORE=" in said


async def test_nothing_stands_in_for_a_server_that_does_not_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("tritonclient.grpc", reason="the extra openwork-reranker[triton] is not installed")
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"question": "q?", "text": "t", "relevant": true}\n')
    assert await asyncio.to_thread(main, ["--url", "127.0.0.1:1", "--pairs", str(file)]) == 2
    assert "reached" in capsys.readouterr().err


def test_pairs_are_read_with_the_files_name_for_a_set(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    rows = [
        {"question": "q?", "text": "t", "relevant": True},
        {"set": "s", "question": "q?", "title": "T", "text": "t"},
    ]
    file.write_text(json.dumps(rows[0]) + "\n\n")
    assert read_pairs(file) == [LabelledPair("mine", "q?", ScorableText("", "t"), True)]
    file.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(UsageError, match="line 2, is not a labelled pair"):
        read_pairs(file)


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    with pytest.raises(UsageError, match="no pairs"):
        read_pairs(tmp_path / "x")
