"""The erring writer: every way errs, what it planted is recorded, and the scripted judge answers by the record."""

from __future__ import annotations

import json

import pytest
from openwork_contracts.verdict import EvidenceItem

from tests.eval.free_writing import Judged, Result, report
from tests.fakes.models.erring_writer import WAYS, err, erring, ways_for
from tests.fakes.models.free_writer import Record, Written, write, written_text
from tests.fakes.models.judging import Known, judge, judgement
from tests.fakes.models.misbehaving import Script, text_of, written_by
from tests.fakes.models.reading import Asked
from tests.fakes.models.writing.reading import facts_of
from tests.fakes.models.writing.wrong_words import other_time

SOURCE = (
    "In ABC-1, stroke or death occurred in 711 women (17.0%) given apixaban and 835 women (19.8%) given "
    "warfarin (HR 0.84, 95% CI "
    "0.76 to 0.93) over a median of 27 months. In ABC-1, major bleeding was less frequent with apixaban "
    "than with warfarin (2.1% "
    "versus 3.1%; HR 0.69, 95% CI 0.60 to 0.80; P<0.001). In ABC-1, kidney failure did not differ "
    "significantly between apixaban "
    "and warfarin. In ABC-1, apixaban lowered intracranial bleeding compared with warfarin in women with "
    "heart failure. Use of "
    "apixaban was associated with a lower risk of fractures. These results suggest that apixaban may "
    "improve survival in most "
    "women with atrial fibrillation. Men were not studied. In "
    "ABC-1, apixaban lowered fatigue compared with warfarin in adolescents."
)


def sentences() -> list[Written]:
    facts = facts_of(SOURCE)
    return [Written(written_text([fact], seed, {}), 1, (fact,), seed) for fact in facts for seed in range(12)]


def all_errors() -> dict[str, list[Written]]:
    found: dict[str, list[Written]] = {way: [] for way in WAYS}
    for written in sentences():
        for wrong in ways_for(written, SOURCE):
            found[wrong.error].append(wrong)
    return found


def test_there_are_twenty_ways_and_nearly_all_find_something_here() -> None:
    found = all_errors()
    assert len(WAYS) == len(set(WAYS)) == 20
    assert {way for way in WAYS if not found[way]} <= {"design"}


def test_an_error_is_recorded_with_the_true_sentence_beside_it() -> None:
    for way, wrong in all_errors().items():
        for w in wrong:
            assert (w.error, w.is_true) == (way, False)
            assert w.text != w.original
            assert w.sources


def test_errors_are_the_same_every_time() -> None:
    assert all_errors() == all_errors()


def test_another_time_is_never_the_same_stretch_in_another_unit() -> None:
    """21 days are 3 weeks: that would be no error."""
    from random import Random

    times = {other_time("Pain fell after 21 days.", "Pain fell after 21 days.", Random(seed)) for seed in range(40)}
    assert times
    assert not any("3 weeks" in time for time in times if time)


def test_half_of_an_outcome_with_no_effect_is_no_error() -> None:
    """Where neither of two changed, it is true that the first did not."""
    source = "Metformin did not affect stroke or death in older adults with diabetes."
    (fact,) = facts_of(source)
    assert err(Written(written_text([fact], 1, {}), 1, (fact,), 1), source, "composite") is None


def test_every_second_sentence_of_a_draft_errs() -> None:
    true = write(SOURCE, 1, most=6)
    assert [w.is_true for w in erring(true, {1: SOURCE})] == [i % 2 == 0 for i in range(len(true))]


def asked(step: str, **blocks: str) -> Asked:
    data = "\n".join(
        f'<data-{"0" * 16} name="{name.replace("_", " ")}">\n{text}\n</data-{"0" * 16}>'
        for name, text in blocks.items()
    )
    numbers = [name.split("_")[1] for name in blocks if name.startswith("claim_")]
    claims = "".join(f"claim {n}, cites 1\nquestion {n}.1, kind whole: Is it so?\n" for n in numbers)
    return Asked(
        api="gemini",
        model="m",
        system=f"(prompt {step}.v1)",
        turns=(f"{claims}{data}",),
        schema=step == "verifier",
        stream=False,
    )


@pytest.mark.parametrize("script", [Script.FREE, Script.FREE_ERRING])
def test_the_scripts_write_and_judge_by_the_record(script: Script) -> None:
    prompt = asked("synthesiser", question="Does apixaban work?", source_1=SOURCE)
    written = written_by(prompt, script)
    text = text_of(prompt, script)
    assert written
    assert [claim["text"] for claim in json.loads(text)["claims"]] == [w.text for w in written]
    assert any(not w.is_true for w in written) is (script is Script.FREE_ERRING)
    claims = {f"claim_{i}": w.text for i, w in enumerate(written, start=1)}
    answers = json.loads(text_of(asked("verifier", source_1=SOURCE, **claims), script))["answers"]
    assert [a["verdict"] == "entailed" for a in answers] == [w.is_true for w in written]
    assert all(a["quote"] and a["quote"] in SOURCE for a in answers)


def test_an_unknown_claim_is_not_entailed() -> None:
    answers = json.loads(judge(asked("verifier", source_1=SOURCE, claim_1="Apixaban cures everything."), Record()))
    assert answers["answers"][0]["verdict"] == "not_entailed"


def test_a_judgement_quotes_at_most_forty_words() -> None:
    long = " ".join(["word"] * 60)
    said = judgement((1, 1), Known("Word.", {2: long}, is_true=True, source_sentences=(long,)))
    assert said["source"] == 2
    assert len(str(said["quote"]).split()) == 40


def test_the_report_sets_right_beside_wrong() -> None:
    from openwork_verifier.domain.gate import verify_claim

    evidence = [EvidenceItem(n=1, text=SOURCE)]
    result = Result()
    for written in write(SOURCE, 1, most=4):
        result.honest.append(Judged(written, verify_claim(written.text, (1,), evidence)))
        for wrong in ways_for(written, SOURCE):
            result.wrong[wrong.error].append(Judged(wrong, verify_claim(wrong.text, (1,), evidence)))
    text = report(result)
    assert text.startswith("true, survive")
    assert "false, pass" in text
    assert all(way in text for way in WAYS)
    assert result.honest[0].told().startswith("[")
