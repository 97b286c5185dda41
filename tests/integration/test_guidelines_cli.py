"""`openwork guidelines` and questions over them, as processes with a server of their own."""

from __future__ import annotations

import pytest

from tests.integration.command_machine import Machine

pytestmark = [pytest.mark.nats, pytest.mark.slow]

OWN = (
    "guideline,organisation,country,year,recommendation,class,page,url\n"
    "Brazilian sepsis guideline,AMIB,Brazil,2024,Norepinephrine is the first-line vasopressor in septic shock.,I,12,https://example.org/amib\n"
)
QUESTION = "What is the first-line vasopressor in septic shock in Brazil?"


@pytest.fixture
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    made = Machine(tmp_path_factory.mktemp("guidelines"))
    made.environment["OPENWORK_SOURCES"] = "library,guidelines"
    (made.folder / "own.csv").write_text(OWN, encoding="utf-8")
    return made


def test_a_country_s_guideline_is_said_to_be_lacking_until_one_is_imported(machine: Machine) -> None:
    before = machine.run("ask", QUESTION)
    assert before.out.startswith("The evidence found contains no guideline from Brazil about this.")
    assert "(international" in before.out
    done = machine.run("guidelines", "import", "own.csv", "--json")
    assert (done.code, done.json["added"]) == (0, 1)
    after = machine.run("ask", QUESTION)
    assert after.out.startswith("AMIB 2024: Norepinephrine is the first-line vasopressor in septic shock (class I")
    assert "the text of an imported file" in after.out
    listed = machine.run("guidelines", "list", "--country", "Brazil", "--json").json
    assert [(row["organisation"], row["imported"]) for row in listed] == [("AMIB", True)]


def test_the_starter_set_is_listed_and_checked_and_bad_usage_is_told(machine: Machine) -> None:
    assert {row["country"] for row in machine.run("guidelines", "list", "--country", "IN", "--json").json} == {"IN"}
    check = machine.run("guidelines", "check")
    assert (check.code, "0 findings" in check.out, "short" in check.out) == (0, True, True)
    for arguments, told in (
        (("guidelines", "list", "--country", "Narnia"), "Narnia"),
        (("guidelines", "import", "missing.pdf"), "missing.pdf cannot be read"),
        (("guidelines", "import", "own.csv", "--url", "ftp://x"), "no address"),
    ):
        ended = machine.run(*arguments)
        assert ended.code == 4, arguments
        assert told in ended.err
    assert machine.run("guidelines", "import", "empty.ris").code == 1
