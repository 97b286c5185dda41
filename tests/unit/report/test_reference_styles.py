"""References in a style: what Citing Medicine (NLM, ICMJE) and APA 7 ask for, written out by hand for each kind.

Volume, issue and pages are in no reference of ours, and journals stand as the source names them.
"""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime

import pytest
from markdown_it import MarkdownIt
from openwork_contracts.answer import Reference
from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import EvidenceStatus, Provenance, StudyDesign, TextOrigin
from openwork_contracts.record import Decision, RunRecord
from openwork_report.styles.entries import StyleName
from openwork_report.styles.styled import references, styled

from tests.exports import HOSTILE, document, reference, work

BARE: dict[str, object] = {"pmid": None, "doi": None, "url": None, "journal": None, "authors": (), "year": None}


def article(title: str = "Statins", /, **changes: object) -> Reference:
    fields: dict[str, object] = {"title": title, "journal": "Lancet", "year": 2020, "doi": "10.1/x", "pmid": "7"}
    return reference(1, **(fields | {"authors": ("Smith J",)} | changes))


def people(n: int) -> tuple[str, ...]:
    return tuple(f"A{chr(97 + i)} {chr(65 + i)}" for i in range(n))


def bare(title: str, /, **changes: object) -> Reference:
    return reference(1, **(BARE | {"title": title} | changes))


TAIL = "Statins. Lancet. 2020. doi:10.1/x PubMed PMID: 7."
APA_TAIL = "(2020). Statins. Lancet. https://doi.org/10.1/x"
CASES: dict[str, tuple[Reference, str, str]] = {
    "one author": (article(), f"Smith J. {TAIL}", f"Smith, J. {APA_TAIL}"),
    "two authors": (
        article(authors=("Smith J", "Jones AB")),
        f"Smith J, Jones AB. {TAIL}",
        f"Smith, J., & Jones, A. B. {APA_TAIL}",
    ),
    "six authors": (
        article(authors=people(6)),
        f"Aa A, Ab B, Ac C, Ad D, Ae E, Af F. {TAIL}",
        f"Aa, A., Ab, B., Ac, C., Ad, D., Ae, E., & Af, F. {APA_TAIL}",
    ),
    "seven authors": (
        article(authors=people(7)),
        f"Aa A, Ab B, Ac C, Ad D, Ae E, Af F, et al. {TAIL}",
        f"Aa, A., Ab, B., Ac, C., Ad, D., Ae, E., Af, F., & Ag, G. {APA_TAIL}",
    ),
    "twenty-two authors: nineteen, and the last": (
        article(authors=people(22)),
        f"Aa A, Ab B, Ac C, Ad D, Ae E, Af F, et al. {TAIL}",
        ", ".join(f"A{chr(97 + i)}, {chr(65 + i)}." for i in range(19)) + f", … Av, V. {APA_TAIL}",
    ),
    "the first three, in a summary of ours": (
        article(authors=("Smith J", "Jones AB", "Wu C"), text_origin=TextOrigin.OUR_SUMMARY),
        f"Smith J, Jones AB, Wu C, et al. {TAIL}",
        f"Smith, J., Jones, A. B., Wu, C., et al. {APA_TAIL}",
    ),
    "three, of the paper itself": (
        article(authors=("Smith J", "Jones AB", "Wu C")),
        f"Smith J, Jones AB, Wu C. {TAIL}",
        f"Smith, J., Jones, A. B., & Wu, C. {APA_TAIL}",
    ),
    "persons and a body": (
        article(authors=("McNeil JJ", "Nelson MR"), collective_author="ASPREE Investigator Group"),
        f"McNeil JJ, Nelson MR; ASPREE Investigator Group. {TAIL}",
        f"McNeil, J. J., Nelson, M. R., & ASPREE Investigator Group. {APA_TAIL}",
    ),
    "some of the persons and a body": (
        article(
            authors=("Smith J", "Jones AB", "Wu C"), collective_author="X Group", text_origin=TextOrigin.OUR_SUMMARY
        ),
        f"Smith J, Jones AB, Wu C, et al.; X Group. {TAIL}",
        f"Smith, J., Jones, A. B., Wu, C., et al., & X Group. {APA_TAIL}",
    ),
    "a body": (
        article(authors=(), collective_author="US Preventive Services Task Force"),
        f"US Preventive Services Task Force. {TAIL}",
        f"US Preventive Services Task Force. {APA_TAIL}",
    ),
    "a body among the authors": (
        article(authors=("World Health Organization", "de la Cruz-Merino LM")),
        f"World Health Organization, de la Cruz-Merino LM. {TAIL}",
        f"World Health Organization, & de la Cruz-Merino, L. M. {APA_TAIL}",
    ),
    "a generation": (
        article(authors=("King ML Jr", "Lopes RD 3rd")),
        f"King ML Jr, Lopes RD 3rd. {TAIL}",
        f"King, M. L., Jr., & Lopes, R. D., 3rd. {APA_TAIL}",
    ),
    "particles and names of other letters": (
        article(authors=("Müller-Wieland D", "van der Meer P", "O'Connor CM", "Ångström Å", "王 W", "Żółć J-P")),
        f"Müller-Wieland D, van der Meer P, O'Connor CM, Ångström Å, 王 W, Żółć JP. {TAIL}",
        "Müller-Wieland, D., van der Meer, P., O'Connor, C. M., Ångström, Å., 王, W., & Żółć, J. P. " + APA_TAIL,
    ),
    "a name in no known form": (
        article(authors=("Smith, John",)),
        f"Smith, John. {TAIL}",
        f"Smith, John. {APA_TAIL}",
    ),
    "no author": (
        article(authors=()),
        TAIL,
        "Statins. (2020). Lancet. https://doi.org/10.1/x",
    ),
    "a question": (
        article("Does aspirin reduce death?"),
        "Smith J. Does aspirin reduce death? Lancet. 2020. doi:10.1/x PubMed PMID: 7.",
        "Smith, J. (2020). Does aspirin reduce death? Lancet. https://doi.org/10.1/x",
    ),
    "a question without an author": (
        article("Why?", authors=()),
        "Why? Lancet. 2020. doi:10.1/x PubMed PMID: 7.",
        "Why? (2020). Lancet. https://doi.org/10.1/x",
    ),
    "a title with a stop": (article("Statins."), f"Smith J. {TAIL}", f"Smith, J. {APA_TAIL}"),
    "capitals stay": (
        article("DAPA-HF in HFrEF: β-blockers and mRNA"),
        "Smith J. DAPA-HF in HFrEF: β-blockers and mRNA. Lancet. 2020. doi:10.1/x PubMed PMID: 7.",
        "Smith, J. (2020). DAPA-HF in HFrEF: β-blockers and mRNA. Lancet. https://doi.org/10.1/x",
    ),
    "no year": (
        article(year=None),
        "Smith J. Statins. Lancet. [date unknown]. doi:10.1/x PubMed PMID: 7.",
        "Smith, J. (n.d.). Statins. Lancet. https://doi.org/10.1/x",
    ),
    "a full text in PubMed Central": (
        article(pmcid="PMC12"),
        f"Smith J. {TAIL[:-1]}; PubMed Central PMCID: PMC12.",
        f"Smith, J. {APA_TAIL}",
    ),
    "no journal": (
        article(journal=None, pmid=None, url=None),
        "Smith J. Statins. 2020. doi:10.1/x",
        "Smith, J. (2020). Statins. https://doi.org/10.1/x",
    ),
    "a guideline of no journal": (
        bare(
            "Chronic heart failure",
            study_design=StudyDesign.GUIDELINE,
            collective_author="NICE",
            year=2018,
            url="https://www.nice.org.uk/guidance/ng106",
        ),
        "NICE. Chronic heart failure [Guideline] [Internet]. 2018. "
        "Available from: https://www.nice.org.uk/guidance/ng106",
        "NICE. (2018). Chronic heart failure [Guideline]. https://www.nice.org.uk/guidance/ng106",
    ),
    "a guideline in a journal": (
        article("2022 Guideline", study_design=StudyDesign.GUIDELINE),
        "Smith J. 2022 Guideline. Lancet. 2020. doi:10.1/x PubMed PMID: 7.",
        "Smith, J. (2020). 2022 Guideline. Lancet. https://doi.org/10.1/x",
    ),
    "a trial registration": (
        bare(
            "A Study of X",
            study_design=StudyDesign.TRIAL_REGISTRATION,
            collective_author="Bayer",
            year=2019,
            nct_id="NCT01234567",
            url="https://clinicaltrials.gov/study/NCT01234567",
        ),
        "Bayer. A Study of X [Clinical trial registration] [Internet]. ClinicalTrials.gov; 2019. Clinical trial "
        "registration no.: NCT01234567. Available from: https://clinicaltrials.gov/study/NCT01234567",
        "Bayer. (2019). A Study of X (Clinical Trial Registration No. NCT01234567). ClinicalTrials.gov. "
        "https://clinicaltrials.gov/study/NCT01234567",
    ),
    "a drug label": (
        bare(
            "ELIQUIS apixaban tablet",
            study_design=StudyDesign.DRUG_LABEL,
            set_id="ab-cd",
            year=2021,
            url="https://dailymed.nlm.nih.gov/dailymed/drugInfo.cfm?setid=ab-cd",
        ),
        "ELIQUIS apixaban tablet [Drug label] [Internet]. DailyMed; 2021. "
        "Available from: https://dailymed.nlm.nih.gov/dailymed/drugInfo.cfm?setid=ab-cd",
        "ELIQUIS apixaban tablet [Drug label]. (2021). DailyMed. "
        "https://dailymed.nlm.nih.gov/dailymed/drugInfo.cfm?setid=ab-cd",
    ),
    "a drug label without an address keeps its number as it is": (
        bare("ELIQUIS", study_design=StudyDesign.DRUG_LABEL, set_id="ab-cd", year=2021),
        "ELIQUIS [Drug label]. DailyMed; 2021. Drug label ab-cd.",
        "ELIQUIS (Drug Label ab-cd). (2021). DailyMed.",
    ),
    "a preprint": (
        article(study_design=StudyDesign.PREPRINT, journal="medRxiv", pmid=None, url="https://doi.org/10.1/x"),
        "Smith J. Statins [Preprint]. medRxiv; 2020. doi:10.1/x",
        "Smith, J. (2020). Statins [Preprint]. medRxiv. https://doi.org/10.1/x",
    ),
    "a web page": (
        bare(
            "Hypertension",
            study_design=StudyDesign.WEB_PAGE,
            collective_author="World Health Organization",
            year=2023,
            url="https://www.who.int/x",
        ),
        "World Health Organization. Hypertension [Internet]. 2023. Available from: https://www.who.int/x",
        "World Health Organization. (2023). Hypertension. https://www.who.int/x",
    ),
    "retracted": (
        article(status=EvidenceStatus.RETRACTED),
        f"Smith J. {TAIL} [RETRACTED]",
        f"Smith, J. {APA_TAIL} [RETRACTED]",
    ),
    "with a concern": (
        article(status=EvidenceStatus.CONCERN),
        f"Smith J. {TAIL} [expression of concern]",
        f"Smith, J. {APA_TAIL} [expression of concern]",
    ),
    "a title and nothing else": (bare("Alone"), "Alone. [date unknown].", "Alone. (n.d.)."),
}


@pytest.mark.parametrize("name", CASES)
def test_a_reference_is_as_the_style_demands(name: str) -> None:
    found, vancouver, apa = CASES[name]
    assert references(document(found), StyleName.VANCOUVER) == f"1. {vancouver}\n"
    assert references(document(found), StyleName.APA) == f"{apa}\n"


def test_vancouver_is_numbered_as_the_answer_cites_and_apa_goes_by_author_and_year() -> None:
    refs = [
        article(n=n, authors=(name,), year=year)
        for n, name, year in ((1, "Zu A", 2001), (2, "Ab A", 2020), (3, "Ab A", 2002))
    ]
    found = document(*(one.model_copy(update={"id": f"x:{one.n}"}) for one in refs))
    assert re.findall(r"^(\d)\. (\w+)", references(found), re.MULTILINE) == [("1", "Zu"), ("2", "Ab"), ("3", "Ab")]
    assert re.findall(r"^(\w+), A\. \((\d+)", references(found, StyleName.APA), re.MULTILINE) == [
        ("Ab", "2002"),
        ("Ab", "2020"),
        ("Zu", "2001"),
    ]


def test_the_day_of_reading_is_that_on_which_a_live_source_gave_it() -> None:
    page, _, _ = CASES["a web page"]
    days = (("web", datetime(2025, 12, 4, tzinfo=UTC)), ("library", datetime(2026, 5, 6, tzinfo=UTC)))
    given = tuple(Provenance(source=name, source_id="x", rank=1, retrieved_at=at) for name, at in days)
    record = RunRecord(candidates=(work(page.id, Decision.CITED, n=1, provenance=given),))
    text = references(document(page, record=record))
    assert "Hypertension [Internet]. 2023 [cited 2025 Dec 4]. Available from" in text


def test_italic_words_and_links_are_those_of_the_style() -> None:
    found = document(article(pmcid="PMC12"))
    parser = MarkdownIt("commonmark", {"html": False})
    apa = parser.renderInline(styled(found, StyleName.APA)[1])
    assert apa == (
        'Smith, J. (2020). Statins. <em>Lancet</em>. <a href="https://doi.org/10.1/x">https://doi.org/10.1/x</a>'
    )
    vancouver = parser.renderInline(styled(found, StyleName.VANCOUVER)[1])
    assert re.findall(r'href="([^"]+)"', vancouver) == [
        "https://doi.org/10.1/x",
        "https://pubmed.ncbi.nlm.nih.gov/7/",
        "https://pmc.ncbi.nlm.nih.gov/articles/PMC12/",
    ]


@pytest.mark.parametrize("text", [*HOSTILE, '<span class="nocase">x</span>', "\ue000x\ue001", ", & et al.", "$x$ #y"])
@pytest.mark.parametrize("style", list(StyleName))
def test_a_text_of_others_stays_what_it_is(text: str, style: StyleName) -> None:
    found = document(article(text, authors=(text,), journal=text, collective_author=text))
    words = references(found, style)
    assert words.count("\n") == 1
    assert not re.search("[\x00-\x09\x0b-\x1f\ue000\ue001\u202a-\u202e]", words)
    plain = "".join(c for c in text if c.isalnum())
    assert plain in "".join(c for c in words if c.isalnum()) or "\u202e" in text
    rendered = MarkdownIt("commonmark", {"html": True}).renderInline(styled(found, style)[1])
    assert set(re.findall(r"<(\w+)", rendered)) <= {"a", "em"}
    assert set(re.findall(r'href="(\w+://[^/"]+)', rendered)) <= {"https://doi.org", "https://pubmed.ncbi.nlm.nih.gov"}


def test_without_references_the_list_is_empty() -> None:
    none = document().model_copy(update={"references": ()})
    assert references(none, StyleName.VANCOUVER) == references(none, StyleName.APA) == ""


def test_without_the_processor_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "citeproc", None)
    with pytest.raises(
        UsageError, match=r"citeproc-py, which is not installed: pip install 'openwork-report\[styles\]'"
    ):
        references(document())
