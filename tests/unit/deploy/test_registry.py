"""Every service stands wherever services are named, and a place that lacks one is found, by name and by file."""

from __future__ import annotations

import ast
import re
import shutil
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from openwork_contracts.buckets import BUCKETS
from openwork_contracts.patterns import events_of
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.subjects import fixed_consumers, spec_of
from openwork_laptop.installed import asker_names, replay_steps, service_names
from openwork_laptop.runs import STEPS

from deploy.new_service import NameRefusedError, check_name, with_rows
from deploy.pins import pinned
from deploy.places import lacking
from deploy.regions import filled
from deploy.registry import RegistryError, ServiceSpec, folders, read_service, services
from deploy.sources import DEFAULTS

ROOT = Path(__file__).resolve().parents[3]
MADE_UP = "madeup"
PLACES = (
    "services/madeup/README.md",
    "services/madeup/openwork_madeup/app.py",
    "contracts/openwork_contracts/subjects.py",
    ".importlinter",
    "apps/laptop/pyproject.toml",
    "README.md",
    "docs/settings.md",
    "scripts/passwords.sh",
    "docker-compose.yml",
    "deploy/compose/observability.yml",
    "deploy/compose/offline.yml",
    "k8s/openwork/files/accounts.conf",
    "k8s/openwork/files/workloads.yaml",
    "k8s/nats-values.yaml",
    "requirements/madeup.txt",
    "tests/unit/madeup",
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The files that name services, in a folder of their own."""
    for part in ("services", "contracts", "packages", "apps", "deploy", "k8s", "docs", "requirements", "scripts"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("data", "__pycache__", "library"))
    for part in ("README.md", ".importlinter", "pyproject.toml", "docker-compose.yml"):
        shutil.copy2(ROOT / part, tmp_path / part)
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    return tmp_path


def test_every_place_has_every_service() -> None:
    assert lacking() == []


def test_a_made_up_service_is_named_with_every_file_that_lacks_it(copy: Path) -> None:
    """What a folder alone gives: a line for each place, none for the services that are there."""
    text = (ROOT / "services/gateway/pyproject.toml").read_text()
    (copy / f"services/{MADE_UP}").mkdir()
    (copy / f"services/{MADE_UP}/pyproject.toml").write_text(text)
    (copy / f"services/{MADE_UP}/service.toml").write_text(
        f'name = "{MADE_UP}"\norder = 1\nreads = "x"\ndecides = "x"\npublishes = "x"\n'
    )
    found = lacking(copy)
    assert {line.split(": ")[0] for line in found} == {MADE_UP}
    named = {line.split(": ")[1] for line in found}
    assert set(PLACES) <= named


def test_an_asker_that_is_made_up_is_missed_where_askers_stand(copy: Path) -> None:
    """It is published on loopback, closed where the server is, and scales on processor time; it takes no event."""
    text = (ROOT / "services/gateway/pyproject.toml").read_text()
    (copy / f"services/{MADE_UP}").mkdir()
    (copy / f"services/{MADE_UP}/pyproject.toml").write_text(text)
    (copy / f"services/{MADE_UP}/service.toml").write_text(
        f'name = "{MADE_UP}"\norder = 1\nasker = true\nreads = "x"\ndecides = "x"\npublishes = "x"\n'
    )
    named = {line.split(": ")[1] for line in lacking(copy)}
    elsewhere = {"contracts/openwork_contracts/subjects.py", "scripts/passwords.sh"}
    elsewhere |= {"k8s/openwork/files/accounts.conf", "k8s/nats-values.yaml"}
    assert set(PLACES) - elsewhere <= named
    assert not elsewhere & named
    assert "deploy/compose/secured.yml" in named


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("docker-compose.yml", r"^  gap:$"),
        ("k8s/openwork/files/workloads.yaml", r"^- name: retriever-pubmed$"),
        (".importlinter", r"^    openwork_gap$"),
        ("README.md", r"^\| \[gap\].*$"),
        ("requirements/gap.txt", r"^pydantic==.*$"),
        ("apps/laptop/pyproject.toml", r'^    "openwork-gap",$'),
        ("deploy/compose/secured.yml", r"^  api: \*closed$"),
        ("services/api/pyproject.toml", r'^\[project\.entry-points\."openwork\.askers"\]$'),
    ],
)
def test_a_line_that_was_taken_out_is_missed(copy: Path, path: str, line: str) -> None:
    text = (copy / path).read_text()
    changed = re.sub(line, "", text, count=1, flags=re.MULTILINE)
    assert changed != text
    (copy / path).write_text(changed)
    assert [found for found in lacking(copy) if f" {path}: " in found]


def test_a_folder_without_a_service_toml_is_named(copy: Path) -> None:
    (copy / "services/gap/service.toml").unlink()
    assert lacking(copy) == ["gap: services/gap/service.toml is missing"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('bucket = ["openwork-scores"]', "bucket"),
        ('buckets = ["scores"]', "no bucket is called 'scores'"),
        ('answers = ["openwork.elsewhere"]', "openwork.elsewhere"),
        ('reaches = ["intranet"]', "intranet"),
        ("name = 3", "name"),
        ("asker = true", "an asker has no user among the services"),
    ],
)
def test_a_service_toml_says_nothing_that_is_not_understood(copy: Path, line: str, said: str) -> None:
    """A misspelt key or bucket would be ignored without a word, and the service denied at run time."""
    path = copy / "services/normaliser/service.toml"
    key = line.split(" ")[0]
    kept = "".join(row for row in path.read_text().splitlines(keepends=True) if not row.startswith(f"{key} ="))
    path.write_text(f"{kept}\n{line}\n")
    with pytest.raises(RegistryError, match=said):
        read_service(path.parent)


def test_the_laptop_starts_every_service_and_can_take_up_a_run_at_each_step() -> None:
    """By entry points, not by a list. The gateway takes deadlines only; full text is part of reranking."""
    names = {service.name for service in services() if not service.asker}
    assert set(service_names()) == names
    assert set(asker_names()) == {service.name for service in services() if service.asker}
    of_reviews = {"screener", "extractor", "appraiser"}
    assert names - set(STEPS) == {"gateway", "fulltext", *of_reviews}
    assert replay_steps([]) == {}


def test_the_steps_of_a_replay_stand_in_the_order_of_the_flow() -> None:
    flow = ["query", "retrievers", "normaliser", "reranker", "gap", "synthesiser", "verifier"]
    assert [step for step in STEPS if step in flow] == flow
    assert STEPS["synthesiser"] == ("synthesis-requested",)  # a revision is made anew
    assert STEPS["reranker"] == ("evidence-normalised",)  # what the full-text service sends back, too


def test_what_a_service_toml_says_agrees_with_the_contracts() -> None:
    """Deadlines are set by those who may publish them, for joiners that exist; every bucket is written by somebody."""
    assert {s.name for s in services() if s.timers} == set(spec_of(DeadlineReached).publishers)
    taken = {t.route for spec in fixed_consumers() for t in spec.takes if t.model is DeadlineReached}
    for service in services():
        for joiner in service.timers:
            assert joiner in taken
    assert {spec.name for spec in BUCKETS} == {name for s in services() for name in s.buckets}
    assert [name for s in services() for c in s.containers for name in c.sources] == list(DEFAULTS)


def test_every_service_takes_something() -> None:
    for service in services():
        if not service.containers and not service.asker and service.name != "gateway":
            assert [event for spec in fixed_consumers() if spec.service == service.name for event in events_of(spec)]


@pytest.mark.parametrize(
    "name", ["Pulse", "pulse2", "two-words", "x", "", "gap", "evidence", "client", "operator", "local", "class", "all"]
)
def test_a_name_that_is_taken_or_no_word_is_refused(name: str) -> None:
    with pytest.raises(NameRefusedError, match=r"."):
        check_name(name)


def test_rows_are_added_to_the_contracts_table() -> None:
    check_name("zebra")
    text = (ROOT / "contracts/openwork_contracts/subjects.py").read_text()
    added = set(with_rows(text, "zebra").splitlines()) - set(text.splitlines())
    assert added == {
        "from openwork_contracts.zebra import ZebraNoted",
        '    EventSpec(ZebraNoted, ("zebra",)),',
        '    ConsumerSpec("zebra", "zebra", (Taken(EvidenceRanked),)),',
    }


def test_a_file_that_lost_its_marks_is_an_error() -> None:
    """Without it the lines would be made no more, and nobody would notice."""
    text = "a\n  # made: x (why)\n  old\n  # end: x\nb\n"
    assert filled(text, {"x": "new\nlines"}, where="f") == "a\n  # made: x (why)\n  new\n  lines\n  # end: x\nb\n"
    with pytest.raises(ValueError, match="f: marks for"):
        filled("a\nb\n", {"x": "new"}, where="f")


@pytest.mark.parametrize("service", services(), ids=lambda service: service.name)
def test_what_a_service_imports_is_in_its_image(service: ServiceSpec) -> None:
    """Here everything is installed: only the image would notice that a pyproject.toml does not name a package."""
    provided = packages_distributions()
    pins = pinned(ROOT / f"requirements/{service.requirements}.txt")
    lacking_in_image = {
        f"{path.relative_to(ROOT)}: {module}"
        for path in (ROOT / "services" / service.name / service.package).rglob("*.py")
        for module in imported(path)
        if not {re.sub(r"[-_.]+", "-", name).lower() for name in provided.get(module, ())} & pins
    }
    assert lacking_in_image == set()


def imported(path: Path) -> set[str]:
    """Packages from outside that a module imports when it is imported itself."""
    found: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return {name for name in found if name not in sys.stdlib_module_names and not name.startswith("openwork_")}


def test_every_image_is_built_by_one_block_of_compose() -> None:
    """Five containers of one image would build it five times."""
    built = re.findall(r"args: \{<<: \*labels, SERVICE: (\w+)", (ROOT / "docker-compose.yml").read_text())
    topology = ["gateway"]  # the same package in an image of its own
    assert sorted(built) == sorted([*topology, *(folder.name for folder in folders())])
