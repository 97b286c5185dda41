"""What was read of answers to questions of others: kept, found again, and asked for anew when the answer changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from openwork_contracts.answer import AnswerBody, AnswerDocument, RunStatus, Timings
from openwork_contracts.question import RejectionReason
from openwork_contracts.verdict import VerificationScores

from tests.eval.answers.asking import Asked
from tests.eval.silence.__main__ import JUDGED, to_read
from tests.eval.silence.judgements import (
    MOST_BAD,
    Answer,
    Found,
    Judgement,
    digest,
    judged,
    load_judgements,
    passes,
    table,
)
from tests.eval.silence.questions import N_QUESTIONS, SETS, SharedQuestion, shared_questions
from tests.eval.words import BENCHMARKS

FIRST = "**Yes.** Death was less frequent with A than with B [1]."
MARKDOWN = f"{FIRST}\n\n| Study | Death |\n|---|---|\n| ONE [1] | 1% |\n\n### Limits\n\n- One trial.\n"


def asked(markdown: str = MARKDOWN, status: RunStatus = RunStatus.ANSWERED) -> Asked:
    document = AnswerDocument(
        run_id="r-1",
        status=status,
        question="Does A reduce death?",
        pipeline="answer",
        track="main",
        answer=AnswerBody(markdown=markdown),
        verification=VerificationScores(
            claims=0, supported=0, unsupported=0, grounding_score=1.0, citation_coverage=1.0
        ),
        timings=Timings(total_s=0.1),
    )
    return Asked(document, RejectionReason.NOT_BIOMEDICAL if status is RunStatus.REJECTED else None)


def question(number: int) -> SharedQuestion:
    return SharedQuestion("bioasq", f"q{number}", f"Does A reduce death? ({number})")


def read_as(*found: Found) -> list[Answer]:
    return [
        judged(question(n), asked(), {("bioasq", f"q{n}"): Judgement(one, "a note", digest(asked().document))})
        for n, one in enumerate(found)
    ]


def test_a_judgement_holds_as_long_as_the_first_part_says_the_same() -> None:
    kept = {("bioasq", "q1"): Judgement(Found.RIGHT, "true", digest(asked().document))}
    other_limits = MARKDOWN.replace("One trial", "Two trials").replace("**", "")
    assert judged(question(1), asked(other_limits), kept).judgement == kept["bioasq", "q1"]
    assert judged(question(1), asked(MARKDOWN.replace("less", "more")), kept).judgement is None
    assert judged(question(2), asked(), kept).judgement is None


def test_an_answer_that_nobody_read_fails_even_when_few_are_bad() -> None:
    assert passes(read_as(Found.RIGHT))
    assert not passes([*read_as(Found.RIGHT), judged(question(7), asked(), {})])


def test_silence_and_rejection_need_no_reader() -> None:
    quiet = [judged(question(n), asked("Nothing was found.", s), {}) for n, s in enumerate(RunStatus) if s in _QUIET]
    assert len(quiet) == len(_QUIET)
    assert passes(quiet)


_QUIET = (RunStatus.TOO_LITTLE_EVIDENCE, RunStatus.REJECTED)


def test_wrong_answers_and_answers_about_something_else_count_alike() -> None:
    bad = (Found.WRONG, Found.ABOUT_SOMETHING_ELSE)
    allowed = [bad[n % 2] for n in range(MOST_BAD)]
    assert passes(read_as(Found.RIGHT, *allowed))
    assert not passes(read_as(Found.RIGHT, *allowed, Found.WRONG))


def test_the_table_counts_reasons_readers_words_and_right_answers_that_are_gone() -> None:
    kept = {("bioasq", "q9"): Judgement(Found.RIGHT, "true", "0" * 12)}
    rejected = judged(question(8), asked("No.", RunStatus.REJECTED), kept)
    gone = judged(question(9), asked("Nothing.", RunStatus.TOO_LITTLE_EVIDENCE), kept)
    text = table([*read_as(Found.RIGHT, Found.WRONG), rejected, gone], kept)
    rows = {line[:34].strip(): int(line.split()[-1]) for line in text.splitlines()[1:]}
    counted = (
        "questions",
        "rejected",
        "rejected as not_biomedical",
        "silent",
        "answered",
        "right",
        "wrong",
        "not read yet",
    )
    assert [rows[name] for name in counted] == [4, 1, 1, 1, 2, 1, 1, 0]
    assert rows["answered rightly once, now not"] == 1


def test_the_same_wording_is_read_once_with_all_its_ids() -> None:
    twice = [judged(SharedQuestion("medquad", one, "What is A?"), asked(), {}) for one in ("f/1", "f/2")]
    text = to_read(twice)
    assert text.count("Asked: What is A?") == 1
    assert all(one in text for one in ("f/1", "f/2"))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("bioasq\tq1\tright", "line 1: 3 columns"),
        ("bioasq\tq1\tgood\tnote\t0", "line 1: 'good' is none of right"),
        ("bioasq\tq1\tright\tn\t0\nbioasq\tq1\tright\tn\t0", "line 2: bioasq q1 is judged twice"),
    ],
)
def test_a_row_that_cannot_be_a_judgement_is_named(rows: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "judged.tsv"
    file.write_text(rows, encoding="utf-8")
    with pytest.raises(ValueError, match=told):
        load_judgements(file)


def test_every_kept_judgement_says_why_and_is_of_one_of_the_sets() -> None:
    kept = load_judgements(JUDGED)
    assert {name for name, _ in kept} <= set(SETS)
    assert all(one.note for one in kept.values())


def test_the_sets_hold_1265_questions_that_ids_tell_apart() -> None:
    if not BENCHMARKS.is_dir():
        pytest.skip(f"no shared sets at {BENCHMARKS}")
    questions = shared_questions(BENCHMARKS)
    assert len(questions) == N_QUESTIONS == len({(q.set, q.id) for q in questions})
    assert {(s, i) for s, i in load_judgements(JUDGED)} <= {(q.set, q.id) for q in questions}


def test_sets_that_are_not_there_are_said_to_be_absent(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="OPENWORK_DATA"):
        shared_questions(tmp_path)
