"""The judge of the answers: what it reads, what it lets pass, and the rows themselves."""

from __future__ import annotations

from collections import Counter

import pytest
from openwork_contracts.answer import AnswerBody, AnswerDocument, Reference, RunStatus, Timings
from openwork_contracts.verdict import VerificationScores
from openwork_evidence.library.record import load_shipped

from tests.eval.answers.questions import KINDS, PARTS, Question, load_rows, part_of
from tests.eval.answers.reading import holds, read
from tests.eval.answers.score import Judged, is_missed, judge, measures, table

OUTCOME = Question(
    id="o-one",
    kind="outcome",
    part="open",
    topic="heart-failure",
    topic_half="a",
    question="Does dapagliflozin reduce death?",
    covered=True,
    records=("dapa-hf-2019",),
    verdicts=("benefit",),
    must=(("0.83", "0.71", "0.97"),),
    arms=(("276", "329"), ("11.6", "13.9")),
    counted=True,
    harm=("volume depletion",),
    people=(),
    must_not=("^no",),
    confirmed="test",
)
PEOPLE = OUTCOME.model_copy(
    update={"kind": "population", "covered": False, "must": (), "arms": (), "records": (), "people": ("pregnan",)}
)
OUTSIDE = PEOPLE.model_copy(update={"kind": "outside", "people": ()})

PROSE = """Dapagliflozin lowered death (HR 0.83, 95% CI 0.71–0.97) [1].

### Randomised trials

- Death occurred in 11.6% and 13.9% [1].

### Limitations

- Volume depletion was as frequent [1].
"""
VERDICT = """> **Yes, in heart failure with an ejection fraction of 40 % or less.** Death from any cause: 11.6 % v
> 13.9 % over 18 months; 22 fewer per 1,000 (3 to 41), NNT 45 [1].
> Harm: volume depletion 7.5 % v 6.8 % [1].

| Study | People | Compared | Death | Harm |
|---|---|---|---|---|
| DAPA-HF 2019 [1] | 4,744 | dapagliflozin v placebo | HR 0·83 (0·71 to 0·97) | 7.5 % |

### Limits

- One trial of 4,744 people.
"""


def document(markdown: str, status: RunStatus = RunStatus.ANSWERED) -> AnswerDocument:
    """An answer with this text that cites DAPA-HF."""
    title = "Dapagliflozin in Patients with Heart Failure and Reduced Ejection Fraction"
    return AnswerDocument(
        run_id="01J",
        status=status,
        question="Does it?",
        pipeline="answer",
        track="affirmative",
        answer=AnswerBody(markdown=markdown),
        references=(Reference(n=1, source="library", id="pmid:31535829", title=title),),
        verification=VerificationScores(
            claims=0, supported=0, unsupported=0, grounding_score=1.0, citation_coverage=1.0
        ),
        timings=Timings(total_s=0.1),
    )


def of(row: Question, markdown: str, status: RunStatus = RunStatus.ANSWERED) -> Judged:
    """The judgement of an answer with this text."""
    return judge(row, document(markdown, status))


def test_the_first_part_ends_at_the_second_heading():
    reading = read(document("# Answer\n\nFirst.\n\n### Trials\n\n- Second."))
    assert reading.first == "# answer\n\nfirst."
    assert "second" in reading.whole


def test_the_first_part_ends_at_the_table_and_only_the_first_table_counts():
    reading = read(document("One.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nTwo.\n\n| c |\n|---|\n| 3 |\n"))
    assert reading.first == "one."
    assert holds(reading.table, "2")
    assert not holds(reading.front, "3")


def test_a_heading_before_anything_else_does_not_end_the_first_part():
    assert read(document("\n## Verdict\n\nFewer deaths.")).first.endswith("fewer deaths.")


def test_a_bold_phrase_with_a_full_stop_is_the_first_sentence():
    reading = read(document("> **Not found: apixaban in pregnancy.** The trials excluded pregnant women [1]."))
    assert reading.first_sentence == "not found: apixaban in pregnancy."


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("hr 0.6 (0.50 to 0.71)", "0.60", True),
        ("hr 0.601", "0.60", False),
        ("1,344 people", "1344", True),
        ("344 people", "1344", False),
        ("-2.8 points", "2.8", True),
        ("class iii: harm", "class i", False),
        ("class i, level a", "class 1 | class i", True),
        ("2.5 mg twice", "5 mg", False),
        ("thrombolytic therapy", "thromboly", True),
        ("cha2ds2-vasc", "2", False),
    ],
)
def test_numbers_are_compared_as_numbers_and_words_from_their_start(text: str, wanted: str, found: bool):
    assert holds(text, wanted) is found


def test_a_figure_in_the_direct_answer_counts_and_one_under_a_later_heading_counts_as_anywhere_only():
    judged = of(OUTCOME, PROSE)
    assert judged.figure
    assert not judged.arms
    later = of(
        OUTCOME, PROSE.replace("(HR 0.83, 95% CI 0.71–0.97)", "").replace("13.9% [1]", "13.9%, 0.83 (0.71-0.97)")
    )
    assert later.anywhere
    assert not later.figure
    assert is_missed(later)


def test_a_verdict_with_its_table_holds_figure_arms_absolute_effect_and_harm():
    judged = of(OUTCOME, VERDICT)
    assert (judged.figure, judged.arms, judged.absolute, judged.harm, judged.cites) == (True,) * 5
    assert judged.words < 40
    assert not is_missed(judged)


def test_citation_marks_are_no_figures():
    assert not holds(read(document("Fewer deaths [10][1].")).first, "10")


def test_a_rate_is_no_absolute_effect():
    assert of(OUTCOME, "Death: 26.9 per 1,000 patient-years.").absolute is False


def test_an_answer_that_begins_with_the_forbidden_word_is_missed_even_with_the_figure():
    judged = of(OUTCOME, "**No**, HR 0.83 (0.71 to 0.97).")
    assert judged.forbidden == ("^no",)
    assert is_missed(judged)
    assert not of(OUTCOME, "Not only HR 0.83 (0.71 to 0.97).").forbidden


def test_people_not_covered_are_right_in_silence_or_when_the_first_sentence_says_that_nothing_was_found_about_them():
    assert not is_missed(of(PEOPLE, "Too little.", RunStatus.TOO_LITTLE_EVIDENCE))
    assert not is_missed(of(PEOPLE, "Nothing was found about pregnancy. Elsewhere it lowered death."))
    assert is_missed(of(PEOPLE, "It lowered death. Nothing was found about pregnancy."))
    assert is_missed(of(PEOPLE, "Nothing was found about children. It lowered death."))


def test_outside_the_library_only_silence_is_right():
    assert not is_missed(of(OUTSIDE, "No.", RunStatus.REJECTED))
    assert is_missed(of(OUTSIDE, "Nothing was found about this."))


def test_a_failed_run_is_neither_silence_nor_an_end_of_its_own():
    judged = of(OUTSIDE, "", RunStatus.FAILED)
    assert not judged.silent
    assert not judged.ended


def test_where_counts_are_not_on_record_an_answer_says_so():
    row = OUTCOME.model_copy(update={"counted": False})
    assert of(row, "HR 0.83 (0.71 to 0.97); counts not published.").no_counts is True
    assert of(row, "HR 0.83 (0.71 to 0.97).").no_counts is False
    assert of(row, "HR 0.83.").absolute is None


def test_the_table_counts_right_and_wrong_of_a_kind():
    judged = [of(OUTCOME, VERDICT), of(OUTCOME, "It helped."), of(OUTSIDE, "It helped.")]
    figure = measures(judged, "outcome")[0]
    assert (figure.n, figure.right, figure.wrong) == (2, 1, 1)
    silence = measures(judged, "outside")[0]
    assert (silence.n, silence.right, silence.wrong) == (1, 0, 1)
    assert "outside" in table(judged, KINDS)


FIRST = ("open", "held_out")
"""The first set, parted by the ids of its rows."""


def test_every_row_has_an_id_of_its_own_stands_in_its_part_and_names_records_that_exist():
    keys = {record.key for record in load_shipped()}
    rows = [row for part in PARTS for row in load_rows(part)]
    assert max(Counter(row.id for row in rows).values()) == 1
    assert [row.id for part in PARTS for row in load_rows(part) if row.part != part] == []
    assert [row.id for part in FIRST for row in load_rows(part) if part_of(row.id) != part] == []
    assert [row.id for row in rows if not set(row.records) <= keys] == []


def test_every_row_that_the_library_covers_says_what_must_stand_there_and_no_other_row_does():
    rows = [row for part in PARTS for row in load_rows(part)]
    assert [row.id for row in rows if row.covered != bool(row.must) or row.covered != bool(row.records)] == []


def test_there_are_as_many_questions_of_each_kind_as_were_asked_for():
    rows = [row for part in FIRST for row in load_rows(part)]
    kinds = Counter(row.kind for row in rows)
    assert kinds["outcome"] >= 62
    assert kinds["population"] >= 52
    assert kinds["outside"] >= 42
    assert kinds["kinds"] >= 10
    halves = Counter(row.topic_half for row in rows if row.kind == "outcome")
    assert halves["b"] >= halves["a"], "topics that came after the rows are of neither half"
    assert sum(not row.covered for row in rows if row.kind == "population") >= kinds["population"] / 2
    assert 0.25 <= sum(row.part == "held_out" for row in rows) / len(rows) <= 0.45
