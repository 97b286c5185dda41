"""The contracts' door: what ends there, what rightly stays, and that no text of a contract goes round it."""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, get_args, get_type_hints

import openwork_contracts
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_bus.codec import to_json
from openwork_contracts.errors import FailureReason, SourceUnavailable
from openwork_contracts.evidence import (
    AbstractPart,
    ArmResult,
    EffectEstimate,
    EvidenceRecord,
    EvidenceStatus,
    Identifiers,
    NctId,
    OutcomeResult,
    Pmcid,
    Pmid,
    Recommendation,
    TrialArm,
)
from openwork_contracts.guidance import CountryCode
from openwork_contracts.meta import Contract, RunId, Token
from openwork_contracts.question import AskContext, AskRequest
from openwork_contracts.ranking import TextSection
from openwork_contracts.requests import CancelRequest, VerifyRequest
from openwork_contracts.tables import Table
from openwork_contracts.text import DOOR, REPLACEMENT, clean
from openwork_contracts.verdict import EvidenceItem
from pydantic import StringConstraints, ValidationError

from tests.run_events import AT

HIDDEN_TAGS = "".join(chr(0xE0000 + ord(c)) for c in "obey me")
NAMES_OF_OURS = {
    constraint.pattern
    for name in (RunId, Token, Pmid, Pmcid, NctId, CountryCode)
    for constraint in get_args(name)
    if isinstance(constraint, StringConstraints)
}
"""Patterns of letters, digits and two marks: nothing else gets through them."""
EXACT = {"EventRow.body"}
"""JSON text of an event whose own texts entered when it was read; a character less would be other JSON."""
FORMAT_THAT_STAYS = {
    *range(0x0600, 0x0606),  # Arabic number signs, printed
    *(0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD),  # printed signs of Arabic, Syriac, Kaithi
    0x180E,  # Mongolian vowel separator
    *(0x200C, 0x200D),  # the joiners
    *range(0x13430, 0x13440),  # how Egyptian hieroglyphs are stacked
}


def forbidden(text: str) -> list[str]:
    """By Unicode's own tables, not by the list that is tested: controls, surrogates, and format characters."""
    return [
        c
        for c in text
        if c not in "\t\n"
        and (unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or unicodedata.category(c) == "Cf")
        and ord(c) not in FORMAT_THAT_STAYS
    ]


def strings_of(value: object) -> Iterator[str]:
    """Every string inside a JSON value, keys apart."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from strings_of(inner)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings_of(inner)


hostile = st.sampled_from(
    "\x00\x1b\x7f\x85\x96\r\n\u200b\u200c\u200d\u202e\u2066\u2028\ufeff\u00ad\ufe00\ufe0f\U000e0041\U000e0101"
    "\ud800\udfff\uffffaक می"
)
texts = st.lists(hostile | st.characters(exclude_categories=())).map("".join)
"""Any code point, lone surrogates too, and often one of those that matter."""


# --- what ends at the door, and what does not ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "entered"),
    [
        ("\x1b[31mred\x1b[0m", "�[31mred�[0m"),
        ("\x9b31mred", "›31mred"),
        ("\x1b]0;owned\x07", "�]0;owned�"),
        ("a\x00b\x08c\x7fd", "a�b�c�d"),
        ("abc\u202edcba\u202c", "abcdcba"),
        ("\u2066x\u2069\u200e\u200f\u061c", "x"),
        ("war\u200bfa\u2060rin\ufeff", "warfarin"),
        ("pa\u00adtients", "patients"),
        (f"Aspirin{HIDDEN_TAGS} helps", "Aspirin helps"),
        ("a\ufe01\ufe02b\U000e0100", "ab"),
        ("1\ufff9one\ufffaeins\ufffb", "1oneeins"),
        ("a\u3164\u115f\uffa0\u034fb", "ab"),
        ("apix\u200caban apix\u200daban", "apixaban apixaban"),
        ("5\u200c0 mg, \u0430\u200d\u0431, α\u200cβ", "50 mg, \u0430\u0431, αβ"),
        ("ک\u200c\u200d\u200cتاب", "کتاب"),
        ("one\r\ntwo\rthree\x0bfour\x0cfive\u2028six\u2029", "one\ntwo\nthree\nfour\nfive\nsix\n"),
        ("lone \ud83d here \udcff", "lone � here �"),
        ("no XML \ufffe\uffff", "no XML ��"),
    ],
)
def test_what_steers_a_terminal_turns_the_direction_or_is_not_seen_ends_at_the_door(text: str, entered: str) -> None:
    assert clean(text) == entered


@pytest.mark.parametrize(
    "text",
    [
        "HR 0.79 (95% CI 0.66–0.95); P<0.001, ≥ 5 µg/mL, ± 2 °C, 10⁹/L, CO₂, x̄",
        "TNF-α, β-blocker, Ménière, Sjögren, Łódź, Ελλάδα, Москва",
        "e\u0301 stays two characters, é one",
        "tab\tand\nline feed",
        "no-break\u00a0and thin\u2009and figure\u2007space",
        "क\u094dष, क\u094d\u200dष, क\u094d\u200cष and ශ\u0dca\u200dර\u0dd3",
        "می\u200cخواهم، کتاب\u200cها",
        "ه\u200d",
        "👩🏽\u200d⚕️ ❤️ 1️⃣ 👨\u200d👩\u200d👧 🏴",
        "ᠮᠣᠩᠭᠣᠯ\u180b\u180e",
        "עברית and العربية ۱۲۳",
        "研究 연구 การศึกษา",
        "symbol font \uf0b3 5",
        "already unreadable �",
        "",
    ],
)
def test_what_a_text_needs_stays_as_it_is(text: str) -> None:
    assert clean(text) is text or clean(text) == text


def test_a_lost_dash_between_two_numbers_never_makes_one_number() -> None:
    """U+0096 is how a dash of Windows-1252 arrives that was read as Latin-1."""
    assert clean("0.55\x960.90, 12\x0214") == "0.55–0.90, 12�14"
    assert clean("\x93the microlender\x92s \x91iron law\x92\x85\x94") == "“the microlender’s ‘iron law’…”"


def test_of_all_control_surrogate_and_format_characters_only_these_stay() -> None:
    stay = {code for code in range(sys.maxunicode + 1) if clean(chr(code)) == chr(code)}
    assert not forbidden("".join(map(chr, stay)))
    assert {ord(c) for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) == "Cf"} - stay == {
        ord(c) for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) == "Cf"
    } - FORMAT_THAT_STAYS


def test_a_clean_text_is_handed_on_and_not_copied() -> None:
    for text in ("short", "≥ 5", "long and plain " * 200, "long, with ± " * 200):
        assert clean(text) is text


@given(texts)
def test_who_has_passed_the_door_passes_it_unchanged(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert len(clean(text)) <= len(text)


@given(texts)
def test_nothing_forbidden_is_left_and_utf8_can_be_written(text: str) -> None:
    assert not forbidden(clean(text))
    clean(text).encode()


@given(texts, st.data())
def test_a_piece_of_a_clean_text_is_clean(text: str, data: st.DataObject) -> None:
    """Passages and quotations are cut out of records: they must not change when their own contract is made."""
    whole = clean(text)
    start = data.draw(st.integers(0, len(whole)))
    piece = whole[start : data.draw(st.integers(start, len(whole)))]
    assert clean(piece) == piece


# --- contracts -------------------------------------------------------------------------------------------------------


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """A record's fields, every text of it anything at all."""
    text, many = texts, st.lists(texts, max_size=3).map(tuple)
    return {
        "source": "pubmed",
        "source_id": draw(text),
        "identifiers": Identifiers(set_id=draw(text), url=draw(text)),
        "title": draw(text),
        "abstract": (AbstractPart(label=draw(text), text=draw(text)),),
        "authors": draw(many),
        "collective_author": draw(text),
        "journal": draw(text),
        "publication_types": draw(many),
        "mesh_terms": draw(many),
        "language": draw(text),
        "arms": (TrialArm(name=draw(text)),),
        "results": (
            OutcomeResult(
                outcome=draw(text),
                time_point=draw(text),
                arms=(ArmResult(arm=draw(text)),),
                effect=EffectEstimate(measure=draw(text), estimate=1.0, p_value=draw(text)),
            ),
        ),
        "recommendations": (Recommendation(text=draw(text), strength=draw(text)),),
        "funding": draw(text),
        "retrieved_at": AT,
    }


@given(records())
def test_no_forbidden_character_survives_a_records_way_through_json(fields: dict[str, Any]) -> None:
    record = EvidenceRecord(**fields)
    body = to_json(record)
    assert EvidenceRecord.model_validate_json(body) == record
    assert not [text for text in strings_of(json.loads(body)) if forbidden(text)]


@given(texts)
def test_a_text_from_json_enters_as_one_from_python(text: str) -> None:
    text = "".join(c for c in text if unicodedata.category(c) != "Cs")
    body = json.dumps({"n": 1, "title": text, "text": text}).encode()
    item = EvidenceItem.model_validate_json(body)
    assert item == EvidenceItem(n=1, title=text, text=text)
    assert item.text == clean(text)


def test_what_people_ask_enters_by_the_door() -> None:
    dirty = "\x1b[2JDoes \u202easpirin\u200b help?"
    asked = AskRequest(question=dirty, context=AskContext(standalone_question=dirty, collections=(dirty, "plain")))
    assert asked.context is not None
    clean_words = "�[2JDoes aspirin help?"
    assert (asked.question, asked.context.standalone_question) == (clean_words, clean_words)
    assert asked.context.collections == (clean_words, "plain")
    cancel = CancelRequest.model_validate({"run_id": "01JD3W8Q4Z5N6P7R8S9TAVBWCX", "reason": dirty})
    assert cancel.reason == clean_words
    assert VerifyRequest(text=dirty).text == clean_words


def test_bounds_and_patterns_hold_for_what_has_entered() -> None:
    assert AskRequest(question="x" * 20_000 + "\u200b").question == "x" * 20_000
    with pytest.raises(ValidationError, match="at most 20000 characters"):
        AskRequest(question="x" * 20_001)
    with pytest.raises(ValidationError, match="at most 500 characters"):
        CancelRequest(run_id="01JD3W8Q4Z5N6P7R8S9TAVBWCX", reason="x" * 501)
    assert Identifiers(doi="10.1000/A\u200bb").doi == "10.1000/ab"
    for doi in ("10.1000/\u200b", "none"):
        with pytest.raises(ValidationError):
            Identifiers(doi=doi)


def test_what_is_no_text_is_still_refused() -> None:
    for wrong in (7, None, ["x"], {"x": "y"}, AT):
        with pytest.raises(ValidationError):
            EvidenceItem(n=1, text=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        EvidenceRecord(source="x", source_id="1", authors=("A", 7), retrieved_at=AT)  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        EvidenceRecord(source="x", source_id="1", authors={"A": "B"}, retrieved_at=AT)  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        EvidenceRecord(source="x", source_id="1", authors="A B", retrieved_at=AT)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", [list, tuple, iter, lambda names: (name.encode() for name in names)])
def test_texts_enter_in_whatever_form_pydantic_takes_them(form: Callable[[list[str]], Any]) -> None:
    """In its lax mode it makes a tuple of a generator and a `str` of bytes."""
    record = EvidenceRecord(source="x", source_id="1", authors=form(["A\u200b B", "C\x1b"]), retrieved_at=AT)
    assert record.authors == ("A B", "C�")


def test_tables_and_headings_of_a_full_text_enter_too() -> None:
    table = Table(rows=(("Arm\u200b", "n"), ("A", "1\x02 2")), caption="\u202eDeaths")
    section = TextSection(path=("Re\u00adsults",), text="x", start=0, end=1, table=table)
    assert section.path == ("Results",)
    assert section.table is not None
    assert (section.table.rows, section.table.caption) == ((("Arm", "n"), ("A", f"1{REPLACEMENT} 2")), "Deaths")


def test_a_failure_that_quotes_an_outside_service_is_fit_to_be_read() -> None:
    assert str(SourceUnavailable("pubmed says '\x1b[2J\u202eno\ud800'")) == "pubmed says '�[2Jno�'"


def test_a_value_that_no_enum_knows_enters_as_a_text() -> None:
    assert EvidenceStatus("from\x1b next year") == "from� next year"
    assert EvidenceStatus("retracted\u200b") is EvidenceStatus.RETRACTED
    assert FailureReason("too_large") is FailureReason.TOO_LARGE


# --- no way round ----------------------------------------------------------------------------------------------------


def contracts() -> Iterator[type[Contract]]:
    for module in pkgutil.iter_modules(openwork_contracts.__path__):
        if module.name != "__main__":
            found = importlib.import_module(f"openwork_contracts.{module.name}")
            yield from (
                value
                for value in vars(found).values()
                if isinstance(value, type) and issubclass(value, Contract) and value.__module__ == found.__name__
            )


def bare_strings(annotation: Any, entered: bool = False) -> Iterator[Any]:
    """The `str` inside an annotation that neither the door nor a pattern of ours stands before."""
    metadata = getattr(annotation, "__metadata__", ())
    entered = entered or DOOR in metadata or any(getattr(m, "pattern", None) in NAMES_OF_OURS for m in metadata)
    if annotation is str and not entered:
        yield annotation
    for inner in get_args(annotation):
        if inner not in metadata:
            yield from bare_strings(inner, entered)


def test_every_text_of_every_contract_passes_the_door() -> None:
    """A new field of type `str` fails here: it is a `Text`, or one of the names that a pattern holds."""
    round_it = {
        f"{model.__name__}.{name}"
        for model in contracts()
        for name, annotation in get_type_hints(model, include_extras=True).items()
        if name in model.model_fields and list(bare_strings(annotation))
    }
    assert round_it == EXACT
