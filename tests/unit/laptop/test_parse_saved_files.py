"""`openwork sources parse`: every record with why it would be dropped, and a typed error for what is no answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from openwork_contracts.errors import SourceChanged
from openwork_laptop.commands.sources import app
from openwork_laptop.sources import parse_files
from typer.testing import CliRunner

RUNNER = CliRunner()


def europepmc(*results: dict[str, object]) -> str:
    return json.dumps({"hitCount": len(results), "resultList": {"result": list(results)}})


def saved(tmp_path: Path, text: str, name: str = "answer.json") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


BARE = {"id": "1", "source": "MED", "title": "A trial without an abstract"}
WHOLE = {"id": "2", "source": "MED", "title": "A trial with one", "abstractText": "Fewer strokes."}


def test_a_file_of_records_without_abstract_is_printed_record_by_record(tmp_path: Path) -> None:
    path = saved(tmp_path, europepmc(*({**BARE, "id": str(n), "title": f"Bare title {n}"} for n in range(1, 61))))
    rows = parse_files("europepmc", [path])
    assert len(rows) == 60
    assert {row["dropped"] for row in rows} == {"no abstract: dropped unless its full text is found"}


def test_each_record_says_why_it_would_be_dropped_and_candidates_come_first(tmp_path: Path) -> None:
    notice = {
        "id": "3",
        "source": "MED",
        "title": "Retraction: A trial with one",
        "pubTypeList": {"pubType": ["Retraction of Publication"]},
    }
    nameless: dict[str, object] = {"id": "4", "source": "MED"}
    idless = {"source": "MED", "title": "Nobody knows it"}
    rows = parse_files("europepmc", [saved(tmp_path, europepmc(BARE, notice, nameless, idless, WHOLE))])
    told = {(row["id"], row["title"]): row["dropped"] for row in rows}
    assert next(iter(told)) == ("2", "A trial with one")
    assert told.pop(("2", "A trial with one")) is None
    assert told == {
        ("1", "A trial without an abstract"): "no abstract: dropped unless its full text is found",
        ("3", "Retraction: A trial with one"): "a notice of a retraction, correction or concern: linked to its work, "
        "never evidence itself",
        ("4", ""): "no title",
        (None, "Nobody knows it"): "no identifier",
    }
    assert len({tuple(row) for row in rows}) == 1, "every row has the same keys"


def test_articles_of_pubmed_without_a_pmid_are_told(tmp_path: Path) -> None:
    inner = "<Article><ArticleTitle>X y</ArticleTitle></Article>"
    article = f"<PubmedArticle><MedlineCitation><PMID>{{}}</PMID>{inner}</MedlineCitation></PubmedArticle>"
    text = f"<PubmedArticleSet>{article.format('')}{article.format('7')}</PubmedArticleSet>"
    rows = parse_files("pubmed", [saved(tmp_path, text, "set.xml")])
    assert [(row["pmid"], row["dropped"]) for row in rows] == [
        ("7", "no abstract: dropped unless its full text is found"),
        (None, "no PMID or no title"),
    ]


def test_the_command_prints_every_row_and_the_reason(tmp_path: Path) -> None:
    path = str(saved(tmp_path, europepmc(BARE, WHOLE)))
    lines = RUNNER.invoke(app, ["parse", "europepmc", path]).output.splitlines()
    assert lines[1].endswith(
        "A trial without an abstract  [dropped: no abstract: dropped unless its full text is found]"
    )
    assert lines[-1] == "1 candidates, 1 dropped"
    rows = json.loads(RUNNER.invoke(app, ["parse", "europepmc", path, "--json"]).stdout)
    assert [row["dropped"] is None for row in rows] == [True, False]


def test_a_lone_surrogate_in_a_title_is_printed_as_what_was_lost(tmp_path: Path) -> None:
    path = str(saved(tmp_path, europepmc({**WHOLE, "title": "Tr\ud800ial\x07"})))
    result = RUNNER.invoke(app, ["parse", "europepmc", path, "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)[0]["title"] == "Tr\ufffdial\ufffd"


@pytest.mark.parametrize(
    "source", ["pubmed", "europepmc", "openalex", "semanticscholar", "clinicaltrials", "dailymed", "crossref"]
)
@pytest.mark.parametrize("text", ["", "%PDF-1.4", "a,b\n1,2\n", "<svg/>", '{"kind": "other"}', "[" * 50_000, '"text"'])
def test_a_file_of_another_format_is_a_typed_error(tmp_path: Path, source: str, text: str) -> None:
    with pytest.raises(SourceChanged, match="other"):
        parse_files(source, [saved(tmp_path, text, "other")])


def test_an_answer_that_holds_ids_and_no_records_says_so(tmp_path: Path) -> None:
    path = saved(tmp_path, '{"esearchresult": {"count": "1", "idlist": ["1"]}}')
    result = RUNNER.invoke(app, ["parse", "pubmed", str(path), "--json"])
    assert json.loads(result.stdout) == []
    assert f"no records in {path}" in result.stderr
