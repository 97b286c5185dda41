"""The scripted writer: what it reads, that its rules keep the truth, and that it writes like nobody's copy."""

from __future__ import annotations

import json
import re
from random import Random

import pytest

from tests.fakes.models.free_writer import Record, draft, key_of, write, written_text
from tests.fakes.models.writing.facts import Family
from tests.fakes.models.writing.figures import number, part, percent_of, read_figures, rounded, say_pair
from tests.fakes.models.writing.reading import facts_of
from tests.fakes.models.writing.telling import tell
from tests.fakes.models.writing.words import say, short_forms, small

TRIAL = (
    "In PARADIGM-HF, death from any cause occurred in 711 people (17.0%) on sacubitril-valsartan and 835 "
    "people (19.8%) on "
    "enalapril (HR 0.84, 95% CI 0.76 to 0.93)."
)
SEEDS = range(60)


def told(sentence: str) -> set[str]:
    """Everything that the writer could make of a sentence."""
    (fact,) = facts_of(sentence)
    return {written_text([fact], seed, short_forms(sentence)) for seed in SEEDS}


@pytest.mark.parametrize(
    ("sentence", "family"),
    [
        (TRIAL, Family.PAIR),
        ("Metformin lowered HbA1c compared with placebo in adults with obesity.", Family.EFFECT),
        ("Mortality was higher in women than in men.", Family.COMPARISON),
        ("There was no significant difference in pain scores between ketamine and morphine.", Family.NO_DIFFERENCE),
        ("Bezafibrate did not reduce the incidence of coronary heart disease.", Family.NO_EFFECT),
        ("Higher levels of education were associated with frequent participation in sports.", Family.LINK),
        ("Health literacy was not associated with physical function (P = 0.48).", Family.NO_LINK),
        ("Of 80 patients, 12 (15%) died.", Family.SHARE),
        ("The median survival time was 14.2 months (range 3-30).", Family.LEVEL),
        ("These results suggest that early treatment may improve survival in older adults.", Family.HINT),
    ],
)
def test_findings_are_read_by_kind(sentence: str, family: Family) -> None:
    assert [fact.family for fact in facts_of(sentence)] == [family]


@pytest.mark.parametrize(
    "sentence",
    [
        "We find that regenerating crypts express elevated Yes-associated protein (YAP) levels.",
        "Slow changes in [Ca(2+)](i) reflect increased neuronal activity.",
        "Temporary life expectancy improved consistently in west Germany.",
        "Expression of periCRMP-2 decreased following sciatic nerve injury.",
        "To determine whether metformin reduced mortality compared with placebo in adults.",
        "They significantly reduced the risk of stroke compared with placebo.",
    ],
)
def test_what_is_not_wholly_understood_is_not_told_as_an_effect(sentence: str) -> None:
    assert not [fact for fact in facts_of(sentence) if fact.family is not Family.PLAIN]


def test_each_arm_keeps_its_own_figure_in_every_wording() -> None:
    """Whatever the order, 17 stands with sacubitril-valsartan and 20 with enalapril."""
    for text in told(TRIAL):
        shares = {"17": "sacubitril-valsartan", "20": "enalapril", "19": "enalapril"}
        places = [(m.start(), shares[m[1]]) for m in re.finditer(r"\b(17|20|19)(?:\.\d)?(?:%| percent)", text)]
        arms = [(text.index(arm), arm) for arm in ("sacubitril-valsartan", "enalapril")]
        if len(places) == 2:
            assert [arm for _, arm in sorted(places)] == [arm for _, arm in sorted(arms)], text


def test_a_comparison_turned_round_is_turned_in_all_its_parts() -> None:
    """Arms, adjective and figures change together; a ratio of the other direction is not printed."""
    for text in told(
        "In ABC-1, bleeding was less frequent with apixaban than with warfarin (2.1% versus 3.1%; HR 0.69)."
    ):
        first = "apixaban" if text.index("apixaban") < text.index("warfarin") else "warfarin"
        less = bool(re.search(r"less|rarer", text))
        assert less is (first == "apixaban"), text
        if first == "warfarin":
            assert "0.69" not in text
            assert "31%" not in text
            if "3.1" in text:
                assert text.index("3.1") < text.index("2.1")


def test_a_null_result_stays_one() -> None:
    """No wording says more or less than that no significant difference was found."""
    denied = re.compile(r"\b(?:no|not|failed)\b", re.IGNORECASE)
    for text in told("Ketamine did not significantly reduce pain scores compared with placebo (P = 0.34)."):
        assert denied.search(text), text
        assert "significant" in text, text
    for text in told("There was no significant difference in pain scores between ketamine and morphine."):
        assert denied.search(text), text
        assert re.search(r"significant|meaningful", text), text


def test_a_hedge_stays_one() -> None:
    for text in told("Metformin may reduce mortality compared with placebo."):
        assert re.search(r"\b(?:may|might|could)\b", text), text
    for text in told("These results suggest that early treatment is helpful in older adults."):
        assert re.search(r"suggest|hint|seems", text), text


def test_wordings_differ_from_the_source_and_from_one_another() -> None:
    texts = told(TRIAL)
    assert len(texts) > 15
    assert not any("occurred in" in text for text in texts)


@pytest.mark.parametrize(
    ("percent", "words"),
    [
        ("33.6", "about a third"),
        ("50", "half"),
        ("74.1", "about three quarters"),
        ("29", None),
        ("9.9", "about a tenth"),
        ("8.8", None),
    ],
)
def test_a_part_is_named_only_near_its_value(percent: str, words: str | None) -> None:
    assert part(percent) == words


def test_figures_are_rounded_rightly() -> None:
    assert rounded("0.845", 2) == "0.85"
    assert percent_of("24", "155") == "15.5"
    assert percent_of("9", "5") is None
    for seed in SEEDS:
        one, two = say_pair(("8.8", "9.4"), "%", Random(seed))
        assert one != two


def test_a_bracket_is_understood_whole_or_not_at_all() -> None:
    figures = read_figures("2.75% versus 3.43% per year; HR 0.80, 95% CI 0.71 to 0.91; P<0.001")
    assert figures is not None
    assert (figures.pair, figures.unit, figures.ratio, figures.low, figures.high) == (
        ("2.75", "3.43"),
        "% per year",
        "0.80",
        "0.71",
        "0.91",
    )
    assert figures.is_shown
    assert not figures.is_null
    assert read_figures("24 of 155 versus 34 of 155; see table 2") is None
    assert read_figures("HR 1.02, 95% CI 0.84 to 1.25") is not None
    assert number("1,234.5") == number("1234.5")


def test_abbreviations_are_the_sources_own() -> None:
    source = "Body mass index (BMI) fell. The hypoxia-inducible factor (XYZ) did not."
    assert short_forms(source) == {"body mass index": "BMI"}


def test_phrases_are_replaced_whole_with_their_article() -> None:
    random = Random(1)
    assert say("an increased risk of death", random)[0].startswith("a ")
    assert say("non-renal disease", random) == ("non-renal disease", 0)
    assert say("cirrhosis patients with ascites", random) == ("cirrhosis patients with ascites", 0)
    assert small("Many ADEs") == "many ADEs"
    assert small("BMI fell") == "BMI fell"


def test_the_same_source_gives_the_same_sentences_and_each_is_cited() -> None:
    written = write(f"{TRIAL} Mortality was higher in women than in men.", 3, most=4)
    assert written == write(f"{TRIAL} Mortality was higher in women than in men.", 3, most=4)
    assert written
    assert all(w.is_true and w.cited.endswith(" [3].") and w.sources for w in written)
    claims = json.loads(draft(written))["claims"]
    assert [claim["text"] for claim in claims] == [w.text for w in written]
    assert all(quote["source"] == 3 and quote["quote"] for claim in claims for quote in claim["quotes"])


def test_the_record_knows_a_sentence_by_its_words() -> None:
    record = Record()
    (written, *_) = write(TRIAL, 1, most=1)
    record.add(written)
    assert record.find(written.cited) == written
    assert record.find("Something else was found.") is None
    assert key_of("A fell [1].") == key_of("A  fell")


def test_clauses_have_no_stop_and_no_double_space() -> None:
    for sentence in (TRIAL, "Mortality was higher in women than in men.", "In adults, metformin lowered HbA1c by 14%."):
        (fact,) = facts_of(sentence)
        for seed in SEEDS:
            clause = tell(fact, Random(seed), {})
            assert not clause.endswith(".")
            assert "  " not in clause
            assert clause
