"""Drug classes in both directions: a class knows its members, a drug its classes, and no chemical is a medicine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from openwork_knowledge.classes import class_named, class_table, classes_of, drug_classes, wider
from openwork_knowledge.lexicon import lexicon
from openwork_language.terms import class_members, is_member

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("beta-blockers", {"metoprolol", "propranolol", "nebivolol", "penbutolol"}),
        ("triptans", {"sumatriptan", "eletriptan", "frovatriptan", "almotriptan"}),
        ("strong opioids", {"morphine", "oxycodone", "fentanyl"}),
        ("stimulants", {"methylphenidate", "lisdexamfetamine"}),
        ("TNF inhibitors", {"adalimumab", "infliximab", "etanercept", "certolizumab pegol"}),
        ("PD-1 inhibitors", {"pembrolizumab", "nivolumab", "tislelizumab"}),
        ("anti-CGRP antibodies", {"erenumab", "fremanezumab", "galcanezumab", "eptinezumab"}),
        ("third-generation cephalosporins", {"ceftriaxone", "cefotaxime", "ceftazidime"}),
        ("CAR T-cell products", {"tisagenlecleucel", "axicabtagene ciloleucel"}),
        ("alpha-2-delta ligands", {"gabapentin", "pregabalin"}),
    ],
)
def test_a_class_by_any_name_knows_its_members(name: str, members: set[str]) -> None:
    known = {lexicon().lookup(m)[0].name for m in members}  # type: ignore[index]
    assert known <= set(class_members(name))


@pytest.mark.parametrize(
    ("drug", "narrow", "wide"),
    [
        ("Lopressor", "cardioselective beta blockers", "antihypertensives"),
        ("salbutamol", "short-acting beta agonists", "bronchodilators"),
        ("ustekinumab", "interleukin-23 inhibitors", "monoclonal antibodies"),
        ("osimertinib", "EGFR tyrosine kinase inhibitors", "antineoplastics"),
        ("glibenclamide", "sulfonylureas", "glucose-lowering drugs"),
    ],
)
def test_a_drug_by_any_name_knows_its_classes_narrowest_first(drug: str, narrow: str, wide: str) -> None:
    found = classes_of(drug)
    assert found.index(narrow) < found.index(wide)
    assert is_member(drug, narrow)
    assert is_member(drug, wide)


def test_both_directions_agree() -> None:
    for name, members in class_table().items():
        assert all(name in classes_of(drug) for drug in members)


def test_the_members_of_a_narrower_class_are_members_of_the_wider_one() -> None:
    assert "beta blockers" in wider("cardioselective beta blockers")
    curated = [c for c in drug_classes().values() if "curated" in c.sources]
    assert len(curated) > 400
    for c in curated:
        assert all(set(c.members) <= set(drug_classes()[w].members) for w in c.wider), c.name


def test_what_only_chemistry_or_a_role_gives_is_searched_for_and_no_member() -> None:
    assert not is_member("naltrexone", "opioids")
    assert not is_member("vinblastine", "antihistamines")
    assert set(class_members("opioids")) < set(class_members("opioids", searching=True))
    assert class_members("adrenergic agonists") == ()
    assert "clonidine" in class_members("adrenergic agonists", searching=True)
    assert class_members("apixaban", searching=True) == ()


def test_every_member_is_a_single_drug_of_the_lexicon_under_its_own_name() -> None:
    for c in drug_classes().values():
        for drug in c.members + c.searched:
            known = lexicon().lookup(drug)
            assert known is not None, (c.name, drug)
            assert not known[0].is_class, (c.name, drug)
            assert known[0].name == drug, (c.name, drug)


def test_no_laboratory_chemical_is_a_member() -> None:
    every = {drug for c in drug_classes().values() for drug in c.members + c.searched}
    chemicals = {"acetone", "benzene", "toluene", "acetonitrile", "ethylmaleimide", "atrazine", "paraquat"}
    assert all(lexicon().lookup(c) is None or lexicon().lookup(c)[0].name not in every for c in chemicals)  # type: ignore[index]
    assert not every & chemicals


def test_singular_plural_and_the_heading_lead_to_one_class() -> None:
    by_name = {class_named(n) for n in ("SGLT2 inhibitor", "gliflozins", "Sodium-Glucose Transporter 2 Inhibitors")}
    assert [c.name for c in by_name if c] == ["SGLT2 inhibitors"]
    assert class_named("xyzzy") is None


def test_committed_classes_were_built_from_the_committed_tables() -> None:
    script = ROOT / "scripts" / "build_drug_classes.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
