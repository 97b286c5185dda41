"""`openwork export` of saved answers: what is written, what is refused, and that no file is ever half of one."""

from __future__ import annotations

import json
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest
from openwork.errors import UsageError
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_laptop.commands.export import FigureName, FormatName, StyleName, TableName, export
from openwork_laptop.exporting import show, write
from openwork_report.delimited import ONLY_OF_A_REVIEW, TABLES

from tests.exports import RUN, document, full, reference
from tests.reviews import reviewed

WHOLE = full("β-blockers in 王伟")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return save(tmp_path / "answer.json", WHOLE)


def save(path: Path, found: AnswerDocument) -> Path:
    path.write_text(found.model_dump_json(), encoding="utf-8")
    return path


BINARY = (FormatName.DOCX, FormatName.PDF, FormatName.PNG)
TEXT = [name for name in FormatName if name not in {*BINARY, FormatName.CSV}]


@pytest.mark.parametrize("name", TEXT)
def test_every_format_of_a_saved_answer_is_written_in_utf8(saved: Path, tmp_path: Path, name: FormatName) -> None:
    out = tmp_path / "out"
    assert export(str(saved), format_=name, output=out) == 0
    assert "王伟" in out.read_bytes().decode("utf-8")


@pytest.mark.parametrize("name", BINARY)
def test_a_file_that_is_no_text_is_written_and_goes_into_a_pipe_but_not_to_a_terminal(
    saved: Path, tmp_path: Path, name: FormatName, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(str(saved), format_=name, output=tmp_path / "out")
    begins = (tmp_path / "out").read_bytes()[:4]
    assert begins in (b"PK\x03\x04", b"%PDF", b"\x89PNG")
    written = stdout_of(monkeypatch, "ascii")
    export(str(saved), format_=name)
    assert written.getvalue().startswith(begins)
    written = stdout_of(monkeypatch, "utf-8", tty=True)
    assert f"{name.value} is no text for a terminal: name a file with --output" in refused(str(saved), format_=name)
    assert written.getvalue() == b""


def test_an_option_of_another_format_is_refused_with_those_that_take_it(saved: Path) -> None:
    for given, wanted in (
        ({"style": StyleName.APA}, "--style is for --format references, docx, pdf; ris"),
        ({"figure": FigureName.FOREST}, "--figure is for --format svg, png; ris"),
        ({"number": 2}, "--number is for --format svg, png; ris"),
    ):
        assert wanted in refused(str(saved), format_=FormatName.RIS, **given)
    assert "--figure forest" in refused(str(saved), format_=FormatName.SVG, number=2)
    assert "no two results" in refused(str(saved), format_=FormatName.SVG, figure=FigureName.FOREST)


def test_references_are_written_in_the_chosen_style(saved: Path, tmp_path: Path) -> None:
    export(str(saved), format_=FormatName.REFERENCES, style=StyleName.APA, output=tmp_path / "a.txt")
    assert "(2011). " in (tmp_path / "a.txt").read_text(encoding="utf-8")


def test_all_tables_are_written_into_a_folder_with_a_mark_for_spreadsheets(saved: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "tables"
    export(str(saved), format_=FormatName.CSV, output=folder)
    assert {path.name for path in folder.iterdir()} == {f"{name}.csv" for name in TABLES}
    assert all(path.read_bytes().startswith(b"\xef\xbb\xbf") for path in folder.iterdir())


def test_one_table_is_one_file(saved: Path, tmp_path: Path) -> None:
    export(str(saved), format_=FormatName.CSV, table=TableName.SEARCH, output=tmp_path / "s.csv")
    assert (tmp_path / "s.csv").read_text(encoding="utf-8-sig").startswith("source,date")


def test_a_saved_answer_is_read_from_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", StringIO(WHOLE.model_dump_json()))
    written = stdout_of(monkeypatch, "ascii")
    export("-", format_=FormatName.CSL_JSON)
    assert json.loads(written.getvalue())[0]["id"].endswith("_1001")


def stdout_of(monkeypatch: pytest.MonkeyPatch, encoding: str, *, tty: bool = False) -> BytesIO:
    """A stdout of that encoding, as `openwork` sets it up."""
    written = BytesIO()
    stream = TextIOWrapper(written, encoding=encoding, errors="replace", write_through=True)
    monkeypatch.setattr(stream, "isatty", lambda: tty, raising=False)
    monkeypatch.setattr("sys.stdout", stream)
    return written


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_a_pipe_gets_utf8_whatever_the_terminals_encoding_is(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    written = stdout_of(monkeypatch, encoding)
    show("β 王伟 ≥", "html")
    assert written.getvalue().decode("utf-8") == "β 王伟 ≥"


def test_a_terminal_gets_what_it_can_show_and_json_that_stays_json(monkeypatch: pytest.MonkeyPatch) -> None:
    written = stdout_of(monkeypatch, "ascii", tty=True)
    show('["β"]', "csl-json")
    assert json.loads(written.getvalue()) == ["β"]
    show("β", "markdown")
    assert written.getvalue().endswith(b"?")


def refused(*arguments: object, **options: object) -> str:
    with pytest.raises(UsageError) as error:
        export(*arguments, **options)  # type: ignore[arg-type]
    return str(error.value)


@pytest.mark.parametrize("run", ["nope", "", "x" * 5000, "a\x00b", "01ARZ3NDEKTSV4RRFFQ69G5FA"])
def test_what_is_neither_a_file_nor_a_run_id_is_refused(run: str) -> None:
    assert "neither a file nor a run id" in refused(run)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "missing.json cannot be read" in refused(str(tmp_path / "missing.json"))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"run_id": 1}', "null"])
def test_a_file_that_is_no_answer_is_refused_with_what_to_give(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    message = refused(str(tmp_path / "a.json"))
    assert "a.json is not an answer" in message
    assert "openwork ask --json" in message


def test_csv_without_a_table_needs_a_folder(saved: Path) -> None:
    assert "--table" in refused(str(saved), format_=FormatName.CSV)


def test_a_table_is_for_csv_alone(saved: Path) -> None:
    assert "--table is for --format csv" in refused(str(saved), format_=FormatName.RIS, table=TableName.SEARCH)


@pytest.mark.parametrize("table", [TableName.SEARCH, TableName.EXCLUDED])
def test_a_table_of_the_record_of_an_answer_saved_without_it_says_how_to_get_it(
    tmp_path: Path, table: TableName
) -> None:
    path = save(tmp_path / "a.json", WHOLE.model_copy(update={"record": None}))
    assert f"openwork export {RUN}" in refused(str(path), format_=FormatName.CSV, table=table)


def test_an_answer_saved_without_its_record_is_written_with_a_remark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = save(tmp_path / "a.json", WHOLE.model_copy(update={"record": None}))
    export(str(path), format_=FormatName.HTML, output=tmp_path / "a.html")
    assert "saved without the run's record" in capsys.readouterr().err
    export(str(path), format_=FormatName.RIS, output=tmp_path / "a.ris")
    assert "saved without" not in capsys.readouterr().err
    export(str(path), format_=FormatName.CSV, output=tmp_path / "tables")
    assert {one.name for one in (tmp_path / "tables").iterdir()} == {"references.csv", "evidence.csv"}


def test_a_run_that_goes_on_is_not_exported(tmp_path: Path) -> None:
    path = save(tmp_path / "a.json", document(status=RunStatus.RUNNING))
    assert "has not ended yet" in refused(str(path))


def test_a_run_without_references_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    none = document(reference(), status=RunStatus.REJECTED).model_copy(update={"references": ()})
    export(str(save(tmp_path / "a.json", none)), format_=FormatName.RIS, output=tmp_path / "a.ris")
    assert "cites nothing (rejected)" in capsys.readouterr().err
    assert (tmp_path / "a.ris").read_text() == ""


def test_a_file_that_cannot_be_written_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.ris"
    target.write_text("before")

    def full_disk(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full_disk)
    with pytest.raises(UsageError, match=r"a\.ris cannot be written: No space left"):
        write({"": "after"}, target)
    assert [path.name for path in tmp_path.iterdir()] == ["a.ris"]
    assert target.read_text() == "before"


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="it is a folder"):
        write({"": "x"}, tmp_path)


def test_a_link_keeps_leading_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("before")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write({"": "after"}, tmp_path / "link")
    assert (tmp_path / "real").read_text() == "after"
    assert (tmp_path / "link").is_symlink()


def test_the_tables_that_can_be_named_are_those_of_answers_and_of_reviews() -> None:
    assert {name.value for name in TableName} == {*TABLES, *ONLY_OF_A_REVIEW}


def test_a_review_is_written_with_all_its_tables_and_its_studies_as_references(tmp_path: Path) -> None:
    saved, folder = save(tmp_path / "review.json", reviewed()), tmp_path / "tables"
    export(str(saved), format_=FormatName.CSV, output=folder)
    assert {path.stem for path in folder.iterdir()} == {name.value for name in TableName}
    export(str(saved), format_=FormatName.RIS, output=tmp_path / "references.ris")
    assert (tmp_path / "references.ris").read_text(encoding="utf-8").count("TY  - ") == 3


def test_a_table_of_a_review_is_refused_for_an_answer(saved: Path) -> None:
    assert "the table 'cells' is of a deep review" in refused(str(saved), format_=FormatName.CSV, table=TableName.CELLS)
