"""The lexicon: which names are found in text, and which mean the same."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from openwork_contracts.question import EntityKind
from openwork_knowledge.classes import class_table
from openwork_knowledge.folding import fold_word, key_of
from openwork_knowledge.lexicon import brand_table, lexicon, read_table
from openwork_language.terms import canonical, class_members, find_terms, generic_name, is_member, same_term

ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("OPENWORK_DATA", ROOT.parent / "shared" / "data"))


def found(text: str) -> list[tuple[str, str | None]]:
    return [(term.text, term.mesh_id) for term in find_terms(text)]


def test_terms_of_a_clinical_question_carry_their_mesh_identifiers():
    assert found("Compare apixaban vs rivaroxaban in AF with CKD (eGFR 30-50)") == [
        ("apixaban", "C522181"),
        ("rivaroxaban", "D000069552"),
        ("AF", "D001281"),
        ("CKD", "D051436"),
    ]


@pytest.mark.parametrize(
    ("name", "mesh_id"),
    [
        ("warfarin", "D014859"),
        ("metformin", "D008687"),
        ("aspirin", "D001241"),
        ("stroke", "D020521"),
        ("hypertension", "D006973"),
        ("type 2 diabetes", "D003924"),
        ("heart attack", "D009203"),
        ("haemodialysis", "D006435"),
        ("breast cancer", "D001943"),
        ("asthma", "D001249"),
    ],
)
def test_common_terms_have_the_identifier_that_pubmed_uses(name: str, mesh_id: str):
    """These are the ones that an upstream package has wrong, so they are pinned."""
    assert found(name) == [(name, mesh_id)]


def test_longest_name_wins():
    assert [t.text for t in find_terms("acute respiratory distress syndrome and type 2 diabetes mellitus")] == [
        "acute respiratory distress syndrome",
        "type 2 diabetes mellitus",
    ]


@pytest.mark.parametrize(
    "text", ["as all of it may be", "The PE teacher", "patients drank water", "lead to a cat", "MS 1"]
)
def test_common_words_and_undecided_short_forms_are_no_terms(text: str):
    assert find_terms(text) == ()


def test_acronym_must_match_in_case():
    assert found("af in the text") == []
    assert found("AF in the text") == [("AF", "D001281")]


def test_common_acronym_is_known_in_lower_case_when_it_is_no_word():
    assert found("copd treatment") == [("copd", "D029424")]


def test_short_form_with_several_meanings_follows_its_context():
    assert find_terms("MS patients on natalizumab")[0].name == "Multiple Sclerosis"
    assert find_terms("rheumatic MS with valve stenosis")[0].name != "Multiple Sclerosis"


def test_definition_in_the_text_wins_over_the_table():
    assert found("An air freshener (AF) was used; AF has a scent.") == []


def test_plural_hyphen_possessive_and_british_spelling_are_found():
    names = [t.name for t in find_terms("haemorrhages, Crohn's disease, beta-blockers, strokes and oesophageal cancer")]
    assert names == ["Hemorrhage", "Crohn Disease", "beta blockers", "Stroke", "Esophageal Neoplasms"]


def test_a_sentence_end_is_not_crossed():
    assert [t.text for t in find_terms("It was type 2. Diabetes followed.")] == ["Diabetes"]


@given(st.text(max_size=300))
def test_terms_stand_where_they_say_and_do_not_overlap(text: str):
    end = 0
    for term in find_terms(text):
        assert term.text == text[term.start : term.end]
        assert term.start >= end
        end = term.end


@given(
    st.lists(st.sampled_from(["AF", "stroke", "(CKD)", "apixaban", "type 2", "diabetes", "and", ".", "MS", "GLP-1 RA"]))
)
def test_terms_are_found_the_same_way_twice(words: list[str]):
    text = " ".join(words)
    assert find_terms(text) == find_terms(text)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("AF", "atrial fibrillation"),
        ("heart attack", "myocardial infarction"),
        ("MI", "myocardial infarction"),
        ("CKD", "chronic kidney disease"),
        ("chronic kidney disease", "renal insufficiency, chronic"),
        ("chronic renal disease", "CKD"),
        ("haemorrhage", "Hemorrhages"),
        ("T2DM", "type 2 diabetes"),
        ("Eliquis", "apixaban"),
        ("paracetamol", "acetaminophen"),
        ("adrenaline", "epinephrine"),
        ("DOACs", "direct oral anticoagulants"),
        ("high blood pressure", "hypertension"),
        ("anaemia", "anemia"),
    ],
)
def test_synonyms_mean_the_same(a: str, b: str):
    assert same_term(a, b)
    assert same_term(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("hypotension", "hypertension"),
        ("type 1 diabetes", "type 2 diabetes"),
        ("apixaban", "rivaroxaban"),
        ("stroke", "ischemic stroke"),
        ("left-sided heart failure", "right-sided heart failure"),
        ("hyperkalemia", "hypokalemia"),
        ("hypothyroidism", "hyperthyroidism"),
        ("AKI", "CKD"),
        ("HFpEF", "HFrEF"),
        ("", "stroke"),
        ("", ""),
    ],
)
def test_different_things_do_not_mean_the_same(a: str, b: str):
    """The verifier accepts synonyms by this, so a false "same" would let a wrong claim through."""
    assert not same_term(a, b)


def test_canonical_name_of_synonyms_and_none_for_the_unknown_and_the_ambiguous():
    assert canonical("chronic kidney disease") == "Renal Insufficiency, Chronic"
    assert canonical("Eliquis") == "apixaban"
    assert canonical("xyzzy") is None
    assert canonical("MS") is None


def test_drug_classes_know_their_members():
    assert class_members("DOACs") == class_members("NOACs") == class_members("direct oral anticoagulants")
    assert {"apixaban", "rivaroxaban", "edoxaban", "dabigatran"} <= set(class_members("DOACs"))
    assert {"dapagliflozin", "empagliflozin", "canagliflozin"} <= set(class_members("SGLT2i"))
    assert class_members("apixaban") == ()


def test_membership_goes_up_to_wider_classes_and_through_brand_names():
    assert is_member("Eliquis", "anticoagulants")
    assert is_member("semaglutide", "GLP-1 RAs")
    assert not is_member("warfarin", "DOACs")
    assert not is_member("metoprolol", "ACE inhibitors")


def test_a_class_all_of_whose_drugs_are_of_a_wider_one_is_of_it_and_not_the_other_way_round():
    assert is_member("systemic corticosteroids", "steroids")
    assert not is_member("steroids", "systemic corticosteroids")
    assert not is_member("SGLT2 inhibitors", "DOACs")
    assert not is_member("SGLT2 inhibitors", "SGLT2 inhibitors")


def test_drug_class_is_a_term_of_its_own():
    (term,) = find_terms("SGLT2 inhibitors")
    assert term.is_class
    assert term.kind is EntityKind.DRUG


def test_brand_names_lead_to_the_generic_name():
    assert generic_name("Eliquis") == "apixaban"
    assert generic_name("apixaban") is None
    assert all(generic == canonical(generic) for generic in brand_table().values())


def test_tables_are_as_large_as_promised_and_agree_with_each_other():
    classes = {row[0] for row in read_table("classes.tsv")}
    used = {c for row in read_table("drugs.tsv") if len(row) > 1 for c in row[1].split(";") if c}
    wider = {c for row in read_table("classes.tsv") if len(row) > 3 for c in row[3].split(";") if c}
    assert used | wider <= classes
    assert len(read_table("drugs.tsv")) >= 150
    assert len(read_table("diseases.tsv")) >= 200
    assert len(read_table("procedures.tsv")) >= 80
    assert len({row[0] for row in read_table("abbreviations.tsv")}) >= 250
    assert all(class_members(name) for name in class_table())


def test_every_key_points_to_a_line_and_every_identifier_has_the_form_of_mesh():
    book = lexicon()
    assert max(int(v.rstrip("~")) for v in book.keys.values()) < len(book.lines)
    assert all(re.fullmatch(r"(?:[DC]\d{6,9})?", line.split("\t")[1]) for line in book.lines)


def test_committed_lexicon_was_built_from_the_committed_tables():
    script = ROOT / "scripts" / "build_lexicon.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=1, max_size=20))
@example("\ufdfa")  # one sign that is written out as four words
def test_folding_gives_no_white_space_and_forgets_case(word: str):
    assert not any(c.isspace() for c in fold_word(word))
    if word.isascii():
        assert fold_word(word) == fold_word(word.upper())


def test_singular_and_plural_fold_alike():
    pairs = "diagnosis diagnoses stenosis stenoses biopsy biopsies dose doses disease diseases virus viruses"
    words = f"{pairs} metastasis metastases abscess abscesses".split()
    for one, many in zip(words[::2], words[1::2], strict=True):
        assert key_of(one) == key_of(many)


@pytest.mark.data
def test_identifiers_agree_with_those_in_recorded_pubmed_records():
    """Every descriptor that a recorded PubMed record names with its UI has that UI here, if it is here."""
    folder = DATA / "recorded" / "ncbi"
    if not folder.is_dir():
        pytest.skip(f"no recorded data at {folder}")
    pairs: set[tuple[str, str]] = set()
    for path in folder.rglob("*"):
        if path.is_file() and ".xml" in path.name:
            raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            pairs.update(re.findall(r'<DescriptorName[^>]*UI="(D\d+)"[^>]*>([^<&]+)<', raw.decode("utf-8", "replace")))
    here = {line.split("\t")[2]: line.split("\t")[1] for line in lexicon().lines if line.split("\t")[1].startswith("D")}
    compared = [(ui, name) for ui, name in pairs if name in here]
    wrong = [(ui, name, here[name]) for ui, name in compared if here[name] != ui]
    assert len(compared) > 100
    assert wrong == []


@pytest.mark.parametrize(
    ("kind", "thing"),
    [
        ("major bleeding", "bleeding"),
        ("NASH", "NAFLD"),
        ("acute pancreatitis", "pancreatitis"),
        ("chemotherapy", "drug therapy"),
    ],
)
def test_a_kind_of_something_is_found_but_is_not_the_same(kind: str, thing: str):
    assert [term.text for term in find_terms(kind)] == [kind]
    assert not same_term(kind, thing)


@pytest.mark.parametrize(
    "text", ["Graves' disease in pregnancy", "Graves’ disease", "Graves disease", "Graves's disease"]
)
def test_a_possessive_without_another_s_is_the_same_name(text: str) -> None:
    assert [term.name for term in find_terms(text)][:1] == ["Graves Disease"]


def test_a_closing_quotation_mark_is_no_part_of_a_word_before_punctuation() -> None:
    assert [term.text for term in find_terms("the so-called 'statins', and others")] == ["statins"]
