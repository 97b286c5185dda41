"""Names that the lexicon does not have: which words are looked up, and what becomes of the answer."""

from __future__ import annotations

import pytest
from openwork_contracts.question import DrugNames, EntityKind, QuestionAnalysis
from openwork_http.client import HttpClient
from openwork_query.domain.analysis import analyse, entities_of
from openwork_query.domain.drug_names import RxNormLookup, unknown_names
from openwork_query.settings import Settings

from tests.fakes.upstream.messages import Reply, Request, json_reply
from tests.fakes.upstream.server import Server

BRAND = "Does Zyxolvar slow renal decline in polycystic kidney disease?"
"""No such brand exists."""
TOLVAPTAN = DrugNames(asked="Zyxolvar", rxcui="358257", ingredients=("tolvaptan",), brands=("Zyxolvar",))


def unknown(question: str) -> tuple[str, ...]:
    return unknown_names(question, entities_of(question))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (BRAND, ("Zyxolvar",)),
        ("Is zyxolumab better than methotrexate in rheumatoid arthritis?", ("zyxolumab",)),
        ("Are zyxotinibs and zyxogrelor safe?", ("zyxotinibs", "zyxogrelor")),
        ("Does apixaban lower the risk of stroke in atrial fibrillation?", ()),
        ("Does zyxolumab-induced colitis respond to steroids?", ("zyxolumab",)),
        ("Is the drug (Zyxolvar) effective in asthma?", ("Zyxolvar",)),
        ("Should Dr Sharma's patient Ramesh Kumar with hypertension take amlodipine?", ()),
        ("Are Indian patients at risk in January? Does the Cochrane review of Ramadan fasting say?", ()),
        ("Efficacy Of Some Old Remedy In Obstructive Hypertrophic Cardiomyopathy", ()),
        ("What is the concept of frailty in older adults?", ()),
        ("Does metformin help in PCOS? Obesity and insulin resistance matter too.", ()),
    ],
)
def test_only_what_may_be_a_drug_and_is_not_known_is_looked_up(question: str, words: tuple[str, ...]) -> None:
    assert unknown(question) == words


def test_of_a_rejected_question_a_proper_name_goes_out_only_where_it_speaks_of_treatment() -> None:
    match = "Who won the match between Chelsea and Arsenal?"
    assert unknown_names(match, (), rejected=True) == ()
    assert unknown_names("What is the role of Zyxolvar in children?", (), rejected=True) == ("Zyxolvar",)
    assert unknown_names("Tell me about zyxolumab", (), rejected=True) == ("zyxolumab",)


def test_what_ends_like_a_drug_comes_before_mere_capitals() -> None:
    names = unknown(
        "In adults with asthma, do Zyxa, Zyxe, Zyxi, Zyxo and Zyxu lower exacerbations more than zyxolumab?"
    )
    assert (len(names), names[0]) == (4, "zyxolumab")


def test_at_most_four_names_of_one_question_are_looked_up() -> None:
    assert len(unknown(" ".join(f"zyxo{letter}umab" for letter in "abcdefgh"))) == 4


def analysed(question: str, *names: DrugNames) -> QuestionAnalysis:
    outcome = analyse(question, available_sources=["pubmed"], current_year=2026, drug_names=names)
    assert isinstance(outcome, QuestionAnalysis)
    return outcome


def test_a_brand_becomes_its_ingredient_with_what_the_lexicon_knows_of_it() -> None:
    (drug,) = [e for e in analysed(BRAND, TOLVAPTAN).entities if e.kind is EntityKind.DRUG]
    assert (drug.text, BRAND[drug.start : drug.end], drug.name) == ("Zyxolvar", "Zyxolvar", "tolvaptan")
    (known,) = entities_of("tolvaptan")
    assert drug.mesh_id == known.mesh_id is not None
    assert not any(e.kind is EntityKind.DRUG for e in analysed(BRAND).entities)


def test_the_ingredient_is_searched_for() -> None:
    analysis = analysed(BRAND, TOLVAPTAN)
    assert any("tolvaptan" in variant for variant in analysis.search_variants)
    assert analysis.pico.intervention


def test_a_combination_has_its_own_name_in_every_spelling() -> None:
    both = DrugNames(asked="Zyxolvar", rxcui="1", ingredients=("zyxoran", "zyxotil"), combination="zyxoran / zyxotil")
    (drug,) = [e for e in analysed(BRAND, both).entities if e.kind is EntityKind.DRUG]
    assert drug.name == "zyxoran / zyxotil"
    assert drug.synonyms == ("zyxoran-zyxotil", "zyxoran and zyxotil", "zyxoran/zyxotil")


def rxnav(request: Request) -> Reply:
    """A server that knows one name, refuses another and has never heard of a third; its classes are gone."""
    name = request.get("name")
    if name == "Zyxotil":
        return Reply(b"no", 400)
    if name:
        return json_reply({"idGroup": {"rxnormId": ["358257"]} if name == "Zyxolvar" else {}})
    if "related" in request.path:
        terms = [{"tty": "IN", "conceptProperties": [{"name": "tolvaptan"}]}]
        return json_reply({"relatedGroup": {"conceptGroup": terms}})
    return Reply(b"gone", 404)


async def test_one_name_that_fails_takes_no_other_with_it() -> None:
    async with Server(rxnav) as server:
        settings = Settings(rxnav_base_url=f"{server.url}/REST", reachability_file=None)
        lookup = RxNormLookup(settings)
        async with HttpClient(settings) as client:
            lookup.use(client)
            found = await lookup.look_up(["Zyxolvar", "Zyxotil", "Zyxonon"])
    assert [(n.asked, n.generic, n.classes) for n in found.names] == [("Zyxolvar", "tolvaptan", ())]
    assert found.degradations == ("RxNorm refused the request: Zyxotil was searched for as it stands",)
    assert [entry.hits for entry in found.log] == [1, 1, 1, None, 0]
    assert [entry.error is not None for entry in found.log] == [False, False, False, True, False]


async def test_an_answer_that_does_not_parse_is_not_kept() -> None:
    async with Server(rxnav) as server:
        settings = Settings(rxnav_base_url=f"{server.url}/REST", reachability_file=None)
        lookup = RxNormLookup(settings)
        async with HttpClient(settings) as client:
            lookup.use(client)
            server.fault("html", times=1)
            spoilt = await lookup.look_up(["Zyxolvar"])
            well = await lookup.look_up(["Zyxolvar"])
    assert (len(spoilt.names), len(spoilt.degradations)) == (0, 1)
    assert (len(well.names), well.degradations) == (1, ())


def test_a_combination_without_a_name_of_its_own_is_all_its_ingredients() -> None:
    both = DrugNames(asked="x", rxcui="1", ingredients=("emtricitabine", "tenofovir"))
    assert both.generic == "emtricitabine / tenofovir"
