"""Accounts of askers: the file, what is taken back when adding one fails, the command lines for containers."""

from __future__ import annotations

import base64
import json
import re
import string
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st
from openwork_bus.accounts import asker_account
from openwork_contracts.accounts import RESERVED, check_account
from openwork_contracts.errors import BusUnavailable, UsageError
from openwork_laptop.accounts import compose, kubernetes, work
from openwork_laptop.accounts.askers import Asker, parse, render, with_asker, without
from openwork_laptop.accounts.compose import ComposePlace
from openwork_laptop.accounts.files import write_private
from openwork_laptop.accounts.keys import new_key
from openwork_laptop.accounts.kubernetes import KubernetesPlace
from openwork_laptop.accounts.places import Address

ROOT = Path(__file__).resolve().parents[3]
KEY = "U" + "A" * 55

names = st.text(f"{string.ascii_letters}{string.digits}_-", min_size=1, max_size=32).filter(
    lambda name: name.casefold() not in {reserved.casefold() for reserved in RESERVED}
)
keys = st.binary(min_size=35, max_size=35).map(lambda drawn: f"U{base64.b32encode(drawn).decode()[:55]}")
askers_files = st.lists(
    st.builds(Asker, names, keys), max_size=6, unique_by=(lambda asker: asker.name.casefold(), lambda a: a.key)
).map(tuple)


@given(askers_files)
def test_the_file_says_who_is_in_it(askers: tuple[Asker, ...]) -> None:
    text = render(askers)
    assert parse(text) == askers
    assert all(asker_account(asker.name, f"nkey: {asker.key}") in text for asker in askers)
    assert render(parse(text)) == text


@given(askers_files, names, keys)
def test_who_was_added_and_removed_leaves_the_file_as_it_was(askers: tuple[Asker, ...], name: str, key: str) -> None:
    assume(name.casefold() not in {asker.name.casefold() for asker in askers})
    assert without(with_asker(askers, Asker(name, key)), name) == askers


@given(askers_files, st.data())
def test_a_name_is_taken_whatever_its_case(askers: tuple[Asker, ...], data: st.DataObject) -> None:
    """A stream is a folder of the server; on some machines `ALICE` and `alice` would be one."""
    assume(askers)
    name = data.draw(st.sampled_from(askers)).name
    for taken in (name, name.upper(), name.lower()):
        with pytest.raises(UsageError, match="already"):
            with_asker(askers, Asker(taken, KEY))


@given(st.text(max_size=40))
def test_what_could_mean_something_in_a_subject_or_in_a_configuration_is_no_name(name: str) -> None:
    assume(not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", name))
    with pytest.raises(UsageError):
        check_account(name)


@pytest.mark.parametrize("name", [*sorted(RESERVED), "LOCAL", "sys", "Api", "openwork", "NOBODY"])
def test_reserved_names_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="reserved"):
        check_account(name)


@pytest.mark.parametrize(
    "text",
    [
        "ALICE { users: [ { user: a, password: b } ] }",
        "ALICE {\n users: [] }",
        render([Asker("ALICE", KEY)]) + '  "BOB" {\n  }\n',
        render([Asker("ALICE", KEY)]).replace(KEY, "password"),
        render([Asker("ALICE", KEY)]).replace("# account ALICE", "# account local"),
    ],
)
def test_a_file_that_somebody_else_wrote_is_not_written_over(text: str) -> None:
    with pytest.raises(UsageError):
        parse(text)


def test_a_key_is_new_each_time_and_in_the_form_of_a_user() -> None:
    (seed, public), (other, _) = new_key(), new_key()
    assert re.fullmatch(r"SU[A-Z2-7]{56}", seed)
    assert re.fullmatch(r"U[A-Z2-7]{55}", public)
    assert seed != other


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "askers.conf"
    path.write_text("old")
    path.chmod(0o644)
    write_private(path, "new")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o600)
    assert list(tmp_path.iterdir()) == [path]


class FakePlace:
    """A file in memory on which one step fails."""

    where = "the file"

    def __init__(self, text: str, fails: str, error: BaseException) -> None:
        self.text = text
        self.done: list[str] = []
        self._fails = fails
        self._error = error

    def _step(self, name: str) -> None:
        self.done.append(name)
        if name == self._fails:
            self._fails = ""
            raise self._error

    async def read(self) -> str:
        return self.text

    async def replace(self, old: str, new: str) -> None:
        assert old == self.text
        self.text = new
        self._step("replace")

    async def make_inbox(self, account: str, *, again: bool) -> None:
        self._step("inbox")

    async def reload(self) -> None:
        self._step("reload")

    @asynccontextmanager
    async def reached(self) -> AsyncIterator[Address]:
        self._step("reached")
        yield Address("nats://127.0.0.1:1")

    def plan(self, account: str) -> list[str]:
        return []


@pytest.mark.parametrize("step", ["inbox", "replace", "reload", "reached"])
@pytest.mark.parametrize("error", [BusUnavailable("no luck"), KeyboardInterrupt()])
async def test_what_fails_halfway_leaves_no_account(step: str, error: BaseException) -> None:
    """Whatever was written is gone again, the server was told, and the error says so."""
    before = render([Asker("BOB", KEY)])
    place = FakePlace(before, step, error)
    with pytest.raises(type(error)) as raised:
        await work.add(place, "ALICE")
    assert place.text == before
    if step != "inbox":  # nothing was written yet
        assert place.done[-2:] == ["replace", "reload"]
        if isinstance(error, BusUnavailable):
            assert "'ALICE' was not added: no luck. It was taken out of the file" in str(raised.value)


async def test_a_name_that_is_there_is_refused_before_anything_is_done() -> None:
    place = FakePlace(render([Asker("ALICE", KEY)]), "", BusUnavailable("none"))
    for name in ("ALICE", "Alice", "local", "a.b"):
        with pytest.raises(UsageError):
            await work.add(place, name)
    with pytest.raises(UsageError, match="there are: ALICE"):
        await work.remove(place, "BOB")
    assert place.done == []


class FakePrograms:
    """Answers command lines; remembers what they were given."""

    def __init__(self, answers: dict[tuple[str, ...], list[str]]) -> None:
        self._answers = answers
        self.ran: list[tuple[tuple[str, ...], str | None]] = []

    async def __call__(self, command: Sequence[str], stdin: str | None = None) -> str:
        self.ran.append((tuple(command), stdin))
        answers = self._answers.get(tuple(command), [""])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if answer == "fails":
            raise BusUnavailable("fails")
        return answer


async def test_compose_writes_the_file_where_the_server_reads_it() -> None:
    inbox = compose.inbox_command("-x", again=True)
    programs = FakePrograms({compose.read_command(): ["old"], inbox: ["OPENWORK_INBOX_-x\n", "topology: refused"]})
    place = ComposePlace(ROOT, programs)
    await place.replace("old", "new")
    await place.make_inbox("-x", again=True)
    await place.reload()
    assert programs.ran[1:] == [
        (compose.write_command(), "new"),
        (inbox, None),
        (("docker", "compose", "kill", "-s", "HUP", "nats"), None),
    ]
    assert inbox[-2:] == ("--account=-x", "--again")
    with pytest.raises(BusUnavailable, match="refused"):
        await place.make_inbox("-x", again=True)
    with pytest.raises(UsageError, match="somebody else"):
        await place.replace("older", "new")


def test_compose_mounts_what_the_commands_name() -> None:
    """The server includes the file from its volume, which the entry point makes where there is none."""
    nats = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["nats"]
    assert "touch /data/askers.conf" in nats["entrypoint"][-1]
    assert "nats:/data" in nats["volumes"]
    assert 'include "../../data/askers.conf"' in (ROOT / "deploy/nats/askers.conf").read_text()
    assert {entry["target"] for entry in nats["configs"]} >= {"/etc/nats/accounts.conf", "/etc/nats/askers.conf"}


def test_compose_is_used_from_a_checkout(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--checkout"):
        ComposePlace(tmp_path)


CLUSTER = kubernetes.Kubectl("elsewhere")


def secret(text: str, version: str = "7") -> str:
    return json.dumps(
        {"metadata": {"resourceVersion": version}, "data": {"askers.conf": base64.b64encode(text.encode()).decode()}}
    )


async def test_on_a_cluster_every_node_sees_the_file_before_any_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubernetes, "_POLL_S", 0.0)
    programs = FakePrograms(
        {
            CLUSTER.get_secret(): [secret("old")],
            CLUSTER.get_pods(): ["pod/nats-0\npod/nats-1\n"],
            CLUSTER.read_mounted("pod/nats-0"): ["old", "old", "new"],
            CLUSTER.read_mounted("pod/nats-1"): ["old", "new"],
        }
    )
    place = KubernetesPlace(ROOT, "elsewhere", programs)
    assert await place.read() == "old"
    await place.replace("old", "new")
    looks = [command[-4] for command, _ in programs.ran if "cat" in command]
    assert len(looks) == 5
    patches = [json.loads(stdin or "") for command, stdin in programs.ran if command == CLUSTER.patch_secret()]
    assert kubernetes.text_and_version(patches[0]) == ("new", "7")
    await place.reload()
    assert [c for c, _ in programs.ran][-2:] == [
        CLUSTER.reload_pod("pod/nats-0"),
        CLUSTER.reload_pod("pod/nats-1"),
    ]
    with pytest.raises(UsageError, match="somebody else"):
        await place.replace("older", "new")


def topology_job() -> str:
    """As kubectl prints a job made from the CronJob of the chart."""
    objects = yaml.safe_load_all((ROOT / "k8s/rendered/production.yaml").read_text())
    (found,) = [o for o in objects if o["kind"] == "CronJob" and o["metadata"]["name"] == kubernetes.JOBS]
    return json.dumps({"metadata": {"name": kubernetes.JOBS, "namespace": "elsewhere"}, **found["spec"]["jobTemplate"]})


def test_the_inbox_is_made_by_the_job_that_is_installed() -> None:
    """Its image, settings, password and restrictions; only the command is another, and a refusal is final."""
    job = topology_job()
    made = kubernetes.inbox_job(job, "ALICE", again=False)
    pod, original = made["spec"]["template"], json.loads(job)["spec"]["template"]
    (container,), (was,) = pod["spec"]["containers"], original["spec"]["containers"]
    assert container == {**was, "command": ["python", "-m", "openwork_bus.topology", "--account=ALICE"]}
    assert pod["metadata"]["labels"] == original["metadata"]["labels"]
    assert (pod["spec"]["restartPolicy"], made["spec"]["backoffLimit"]) == ("Never", 0)
    assert made["metadata"]["namespace"] == "elsewhere"
    assert re.fullmatch(r"[a-z0-9-]{1,63}", made["metadata"]["name"])
    assert made["metadata"]["name"] != kubernetes.job_name("Alice")


def test_every_command_is_for_the_namespace_of_the_release() -> None:
    steps = KubernetesPlace(ROOT, "elsewhere", FakePrograms({})).plan("ALICE")
    assert [step for step in steps if step.startswith("kubectl") and not step.startswith("kubectl -n elsewhere ")] == []


def test_nats_mounts_what_the_commands_name() -> None:
    """k8s/nats-values.yaml: the file's folder, the container's name and the file of the process' number."""
    values = yaml.safe_load((ROOT / "k8s/nats-values.yaml").read_text())
    (mount,) = [step["value"] for step in values["container"]["patch"] if step["path"] == "/volumeMounts/-"]
    assert CLUSTER.read_mounted("POD")[-1] == f"{mount['mountPath']}/askers.conf"
    assert values["config"]["merge"]["zz$include"] == "../nats-openwork/accounts.conf"
    assert values["fullnameOverride"] == kubernetes.SERVER_NAME


async def test_why_a_job_failed_is_in_the_error() -> None:
    programs = FakePrograms(
        {
            CLUSTER.render_job(): [topology_job()],
            CLUSTER.wait_for_job("ALICE"): ["fails"],
            CLUSTER.logs_of_job("ALICE"): ["topology: there was an account"],
        }
    )
    with pytest.raises(BusUnavailable, match="there was an account"):
        await KubernetesPlace(ROOT, "elsewhere", programs).make_inbox("ALICE", again=False)


@pytest.mark.parametrize(
    ("said", "address"),
    [("Forwarding from 127.0.0.1:40113 -> 4222", "127.0.0.1:40113"), ("Forwarding from [::1]:40113 -> 4222", None)],
)
def test_the_port_of_kubectl_is_read(said: str, address: str | None) -> None:
    assert kubernetes.forwarded(said) == address


async def test_the_address_is_there_while_kubectl_runs(tmp_path: Path) -> None:
    script = "echo 'Forwarding from 127.0.0.1:1 -> 4222'; exec sleep 60"
    async with kubernetes.forwarded_address(("sh", "-c", script), tmp_path) as address:
        assert address.url == "nats://127.0.0.1:1"
    with pytest.raises(BusUnavailable, match="no such service"):
        async with kubernetes.forwarded_address(("sh", "-c", "echo no such service"), tmp_path):
            pass


def test_no_command_line_holds_what_is_secret() -> None:
    for place in (ComposePlace(ROOT), KubernetesPlace(ROOT, "k8s/overlays/production")):
        assert not any(re.search(r"SU[A-Z2-7]{20}|password", step) for step in place.plan("ALICE"))
