"""Sections of JATS articles: names, order, nesting, offsets; what is kept apart and what is left out."""

from __future__ import annotations

from fulltext_samples import article
from hypothesis import given, settings
from hypothesis import strategies as st
from openwork_fulltext.domain.document import ParsedDocument, parsed_document_json
from openwork_fulltext.domain.jats.article import parse_jats


def paths(document: ParsedDocument, kind: str = "text") -> list[tuple[str, ...]]:
    return [section.path for section in document.sections if section.kind == kind]


def assert_offsets(document: ParsedDocument) -> None:
    for section in document.sections:
        assert document.text[section.start : section.end] == section.text
    starts = [section.start for section in document.sections]
    assert starts == sorted(starts)


def test_sections_keep_names_order_nesting_and_offsets() -> None:
    document = parse_jats(
        article(
            "<sec><label>1.</label><title>Methods</title><sec><title>Design</title><p>Two arms.</p>"
            "<sec><title>Blinding</title><p>Double.</p></sec></sec></sec>"
            "<sec><title>Results</title><p>It worked.</p><p>Often.</p></sec>"
        )
    )
    assert paths(document) == [
        ("Methods",),
        ("Methods", "Design"),
        ("Methods", "Design", "Blinding"),
        ("Results",),
    ]
    assert [section.text for section in document.readable_sections] == ["Two arms.", "Double.", "It worked.\n\nOften."]
    assert_offsets(document)


def test_paragraphs_without_a_section_have_an_empty_path() -> None:
    document = parse_jats(article("<p>A case.</p><sec><p>No heading here.</p></sec>"))
    assert paths(document) == [(), ()]
    assert [section.text for section in document.sections] == ["A case.", "No heading here."]


def test_identifiers_year_journal_and_licence_are_the_articles_own() -> None:
    meta = (
        '<permissions><license xlink:href="http://creativecommons.org/licenses/by/4.0/"><license-p>Open.</license-p>'
        "</license></permissions><abstract><p>Registered as NCT01234567.</p></abstract>"
    )
    cited = '<element-citation><pub-id pub-id-type="doi">10.9/other</pub-id></element-citation>'
    back = f"<ref-list><ref>{cited}</ref></ref-list>"
    document = parse_jats(article("<p>x</p>", meta=meta, back=back))
    ids = document.identifiers
    assert (ids.pmid, ids.pmcid, ids.doi, ids.nct_ids) == (
        "30000001",
        "PMC6000001",
        "10.1234/trial.1",
        ("NCT01234567",),
    )
    assert (document.title, document.year, document.journal) == ("Drug A versus placebo", 2016, "Trials of Note")
    assert document.license == "http://creativecommons.org/licenses/by/4.0/"
    assert "10.9/other" not in document.text


def test_lay_summaries_are_labelled_and_are_no_abstract() -> None:
    meta = (
        "<abstract><title>ABSTRACT</title><sec><title>Results</title><p>Fewer deaths.</p></sec></abstract>"
        '<abstract abstract-type="summary"><title>Author summary</title><p>Why it was done.</p></abstract>'
        '<abstract abstract-type="graphical"><p><graphic xlink:href="a.png"/></p></abstract>'
        '<trans-abstract xml:lang="fr"><p>Moins de décès.</p></trans-abstract>'
    )
    document = parse_jats(article("<p>x</p>", meta=meta))
    assert paths(document, "abstract") == [("Abstract",), ("Abstract", "Results")]
    assert paths(document, "summary") == [("Author summary",), ("Abstract (fr)",)]


def test_decision_letters_replies_and_references_are_dropped() -> None:
    document = parse_jats(
        article(
            "<sec><title>Results</title><p>Kept.</p></sec>",
            back="<ref-list><title>References</title><ref><mixed-citation>Old work</mixed-citation></ref></ref-list>"
            "<app-group><app><title>Appendix 1</title><p>More.</p>"
            "<ref-list><ref><citation>B</citation></ref></ref-list></app></app-group>",
            floats="<sub-article><body><p>Decision letter.</p></body></sub-article>"
            "<response><body><p>Reply.</p></body></response>",
        )
    )
    assert [section.text for section in document.readable_sections] == ["Kept.", "More."]
    assert "Old work" not in document.text
    assert "Decision" not in document.text


def test_correction_notice_is_known_as_one_and_names_its_article() -> None:
    related = (
        '<related-article related-article-type="corrected-article" ext-link-type="doi" xlink:href="10.1234/first"/>'
    )
    document = parse_jats(article("<p>The limit was −15.1%.</p>", meta=related, kind="correction"))
    assert document.is_notice
    assert [(link.kind, link.doi) for link in document.links] == [("correction_of", "10.1234/first")]
    assert "−15.1%" in document.text


def test_article_in_a_set_is_read_and_further_ones_are_named() -> None:
    one = article("<p>First.</p>").partition(b"<article")[2]
    body = (
        b"<pmc-articleset><article" + one + b"<article><front/><body><p>Second.</p></body></article></pmc-articleset>"
    )
    document = parse_jats(body)
    assert [section.text for section in document.sections] == ["First."]
    assert any("2 articles" in warning for warning in document.warnings)


def test_front_without_a_body_says_so() -> None:
    """PMC gives the front alone where the publisher forbids the rest."""
    document = parse_jats(article(meta="<abstract><p>Short.</p></abstract>"))
    assert not document.has_body
    assert any("no body" in warning for warning in document.warnings)


def test_superscripts_never_make_another_number() -> None:
    document = parse_jats(
        article(
            "<p>Counts of 10<sup>9</sup>/L and 30 kg/m<sup>2</sup>, 5 mg kg<sup>−1</sup>, "
            "CD4<sup>+</sup>, 4<sup>th</sup>, "
            "HbA<sub>1c</sub>, mortality 12.5<sup>a</sup>.</p>"
        )
    )
    assert document.text.endswith("Counts of 10^9/L and 30 kg/m², 5 mg kg⁻¹, CD4+, 4th, HbA1c, mortality 12.5^a.")


def test_citation_numbers_stand_in_brackets() -> None:
    cite = '<xref ref-type="bibr" rid="b{0}">{0}</xref>'
    document = parse_jats(
        article(
            f"<p>Deaths fell.<sup>{cite.format(1)},{cite.format(2)}</sup> Strokes too [{cite.format(3)}]; "
            f"bleeding rose{cite.format(4)},{cite.format(5)} (<xref ref-type='bibr'>Smith 2010</xref>).</p>"
        )
    )
    assert document.text.endswith("Deaths fell.[1,2] Strokes too [3]; bleeding rose[4,5] (Smith 2010).")


def test_citation_numbers_without_a_tag_are_no_decimals() -> None:
    assert parse_jats(article("<p>Lower mortality.<sup>12</sup> Then</p>")).text.endswith("Lower mortality.[12] Then")


def test_funding_of_the_front_matter_is_a_section() -> None:
    meta = "<funding-group><funding-statement>Paid by the maker.</funding-statement></funding-group>"
    document = parse_jats(article("<sec><title>R</title><p>x</p></sec>", meta=meta))
    assert (document.sections[-1].path, document.sections[-1].text) == (("Funding",), "Paid by the maker.")


def test_white_space_is_plain_and_invisible_characters_are_gone() -> None:
    document = parse_jats(article("<p>n\u2009=\u200912\u00a0345, pa\u00adtients\u200b, &nbsp;x&thinsp;y &unknown;</p>"))
    assert document.text.endswith("n = 12 345, patients, x y &unknown;")


def test_offsets_count_the_text_as_it_entered() -> None:
    dirty = "An\u202e HR of 0.55\u00960.90\u2028in pa\u00adtients\u2060."
    words = "An HR of 0.55–0.90 in patients."
    results = f"<sec><title>Re\u200bsults</title><p>{dirty}</p><p>می\u200cخواهم</p></sec>"
    document = parse_jats(article(f"{results}<sec><title>End</title><p>x</p></sec>"))
    first, last = document.sections
    assert (first.path, first.text, last.text) == (("Results",), f"{words}\n\nمی\u200cخواهم", "x")
    for section in document.sections:
        assert document.text[section.start : section.end] == section.text


def test_formulas_are_text_and_tex_is_read_last() -> None:
    mathml = "<mml:math><mml:mfrac><mml:mi>a</mml:mi><mml:mi>b</mml:mi></mml:mfrac></mml:math>"
    tex = r"<tex-math>\documentclass{x}\begin{document}$$y = 2$$\end{document}</tex-math>"
    document = parse_jats(
        article(
            f"<p>Ratio <inline-formula><alternatives>{tex}{mathml}</alternatives></inline-formula> and "
            f"<inline-formula>{tex}</inline-formula></p>"
        )
    )
    assert document.text.endswith("Ratio a/b and y = 2")


def test_figures_supplements_and_boxes_are_captions_under_their_section() -> None:
    document = parse_jats(
        article(
            "<sec><title>Results</title><p>See it.<fig id='f1'><label>Figure 1.</label><caption><title>Flow.</title>"
            "<p>Of 120 people.</p></caption><graphic xlink:href='f.jpg'/></fig> Done.</p>"
            "<boxed-text><caption><title>Box 1</title></caption><p>Key points.</p></boxed-text></sec>"
        )
    )
    assert [(s.kind, s.path, s.text) for s in document.readable_sections] == [
        ("text", ("Results",), "See it. Done."),
        ("figure_caption", ("Results", "Figure 1"), "Figure 1. Flow. Of 120 people."),
        ("text", ("Results", "Box 1"), "Key points."),
    ]


def test_lists_and_definitions_are_lines() -> None:
    document = parse_jats(
        article(
            "<p>Criteria:<list><list-item><p>age 18;</p></list-item><list-item><p>diabetes.</p></list-item></list></p>",
            back="<glossary><def-list><def-item><term>CI</term><def><p>confidence interval</p></def></def-item>"
            "</def-list></glossary>",
        )
    )
    assert document.sections[0].text == "Criteria:\n- age 18;\n- diabetes."
    direct = parse_jats(
        article("<sec><title>T</title><list><list-item><label>1.</label><p>a</p></list-item></list></sec>")
    )
    assert direct.sections[0].text == "1. a"
    assert (document.sections[1].path, document.sections[1].text) == (("Abbreviations",), "CI: confidence interval")


def test_json_holds_sections_with_offsets() -> None:
    document = parse_jats(article("<sec><title>Results</title><p>Yes.</p></sec>"))
    again = ParsedDocument.model_validate_json(parsed_document_json(document))
    assert again == document


TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="<&>", exclude_categories=("Cc", "Cs", "Cn")), max_size=40
)


@settings(max_examples=60)
@given(st.lists(st.tuples(TEXT, TEXT, st.booleans()), max_size=6))
def test_offsets_are_exact_whatever_the_text(parts: list[tuple[str, str, bool]]) -> None:
    """text[start:end] is the section's text for every section of every article."""
    body = ""
    for title, words, nested in parts:
        inner = f"<sec><title>{title}</title><p>{words}</p></sec>"
        body += f"<sec><title>{words}</title>{inner}</sec>" if nested else inner
    assert_offsets(parse_jats(article(body)))
