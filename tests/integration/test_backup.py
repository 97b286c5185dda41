"""Save, lose everything, restore: on a real nats-server, as the users who may, with every service at work."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.errors import NotFoundError
from openwork_api.security.keys import Keys
from openwork_api.security.store import KvStore
from openwork_api.settings import Settings as ApiSettings
from openwork_bus.accounts import API_BUCKETS, API_KEYS
from openwork_bus.backup import manifest as manifests
from openwork_bus.backup.logins import connected as keepers_connected
from openwork_bus.backup.restoring import restore
from openwork_bus.backup.saving import save
from openwork_bus.backup.settings import RESTORES, SAVES, BackupSettings
from openwork_bus.ensure import RESTORING
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.objects import Objects
from openwork_bus.run_ids import new_run_id
from openwork_bus.topology import add_inbox, ensure_topology
from openwork_contracts.accounts import (
    API_ACCOUNT,
    ASKER_INBOX,
    LOCAL_ACCOUNT,
    SERVICES_ACCOUNT,
    inbox_stream,
    results_subject,
)
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.buckets import BLOBS, LIMITS
from openwork_contracts.errors import UsageError
from openwork_contracts.meta import Contract
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.question import AskReply, AskRequest
from openwork_contracts.requests import ListReply, ListRequest, RunSummary, ShowReply, ShowRequest
from openwork_contracts.subjects import (
    ASK_SUBJECT,
    DEAD_LETTER_STREAM,
    LIST_SUBJECT,
    RESULTS_STREAM,
    SHOW_SUBJECT,
    STREAM,
    TIMERS_STREAM,
    spec_of,
    timer_subject,
)
from openwork_gateway.results import LARGE_OVER_BYTES, StoredResults, put_document
from pydantic import SecretStr

from deploy.permissions import all_permissions, api_backup_permissions, password_variables
from tests.integration.secured_server import SecuredServer, password_of
from tests.integration.secured_services import all_services, asking, connected, settings_of
from tests.waiting import until

pytestmark = [pytest.mark.nats, pytest.mark.slow]

QUESTIONS = (
    "Compare apixaban versus rivaroxaban in atrial fibrillation with chronic kidney disease",
    "Do omega-3 fatty acids reduce major cardiovascular events?",
)
LATER = "Does metformin reduce cardiovascular events in type 2 diabetes?"
ACCOUNT = "ALICE"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[SecuredServer]:
    """A server as topology leaves it."""
    found = SecuredServer(tmp_path / "nats")
    await found.start()
    await prepared(found)
    yield found
    await found.stop()


async def prepared(server: SecuredServer) -> None:
    """What topology and the web app make."""
    async with connected("topology", server) as connection:
        await ensure_topology(connection.jetstream(timeout=5), settings_of("topology", server))
    async with asking(server, API_ACCOUNT) as connection:
        for bucket in API_BUCKETS:
            await KvStore(connection, bucket).ensure(ApiSettings())


async def erase(server: SecuredServer) -> None:
    """The server ends, and its disk is another."""
    await server.stop()
    shutil.rmtree(server.folder)
    await server.start()


def logins(server: SecuredServer) -> BackupSettings:
    passwords = {
        f"nats_password_{user}": SecretStr(password_of(user)) for user in (*SAVES.values(), *RESTORES.values())
    }
    return BackupSettings(nats_url=server.url, **passwords)


async def saved(server: SecuredServer, folder: Path, *, everything: bool = False) -> manifests.Manifest:
    async with keepers_connected(logins(server), SAVES, without_api=False) as found:
        return await save(found, folder, everything=everything, revision="test", tell=print)


async def restored(server: SecuredServer, folder: Path, *, replace: bool = False) -> manifests.Manifest:
    async with keepers_connected(logins(server), RESTORES, without_api=False) as found:
        return await restore(found, folder, replicas=1, replace=replace, tell=print)


@asynccontextmanager
async def streams(server: SecuredServer) -> AsyncIterator[JetStreamContext]:
    """As who makes them."""
    async with connected("topology", server) as connection:
        yield connection.jetstream(timeout=5)


async def there(server: SecuredServer) -> dict[str, tuple[int, str]]:
    """Messages of streams of the services, and when each stream was made."""
    names = (STREAM, TIMERS_STREAM, RESULTS_STREAM, DEAD_LETTER_STREAM, BLOBS.stream, LIMITS.stream)
    async with streams(server) as js:
        infos = [await js.stream_info(name) for name in names]
    return {info.config.name: (info.state.messages, str(info.created)) for info in infos}


async def request(connection: Client, subject: str, body: Contract) -> bytes:
    return (await connection.request(subject, body.model_dump_json().encode(), timeout=40)).data


async def answered(connection: Client, question: str) -> str:
    """The id of a run that was asked and answered, and is listed."""
    asked = AskReply.model_validate_json(await request(connection, ASK_SUBJECT, AskRequest(question=question)))
    assert asked.run_id is not None
    shown = await shown_of(connection, asked.run_id, wait_s=30)
    assert shown.document is not None
    assert shown.document.status.value == "answered"
    async with asyncio.timeout(60):
        while asked.run_id not in {run.run_id for run in await listed(connection)}:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    return asked.run_id


async def listed(connection: Client) -> tuple[RunSummary, ...]:
    return ListReply.model_validate_json(await request(connection, LIST_SUBJECT, ListRequest())).runs


async def shown_of(connection: Client, run_id: str, wait_s: float = 0) -> ShowReply:
    wanted = ShowRequest(run_id=run_id, wait_s=wait_s, record=True)
    return ShowReply.model_validate_json(await request(connection, SHOW_SUBJECT, wanted))


async def large_document(server: SecuredServer, like: AnswerDocument) -> AnswerDocument:
    """A document over 4 MB of the same owner, stored as the gateway stores one."""
    body = like.answer.model_copy(update={"markdown": secrets.token_hex(LARGE_OVER_BYTES)})
    document = like.model_copy(update={"run_id": new_run_id(), "answer": body})
    async with connected("gateway", server) as connection:
        await put_document(StoredResults(JetStreamBus(connection, settings_of("gateway", server))), document)
    return document


async def test_a_lost_server_comes_back_as_it_was(server: SecuredServer, tmp_path: Path) -> None:
    """Saved while services work. Runs, a document over 4 MB, a key, a quota and accounts are there again."""
    folder = tmp_path / "backup"
    async with all_services(server), asking(server) as asker, asking(server, API_ACCOUNT) as api:
        runs = [await answered(asker, question) for question in QUESTIONS]
        before = {run_id: await shown_of(asker, run_id) for run_id in runs}
        document = before[runs[0]].document
        assert document is not None
        large = await large_document(server, document)
        before_list = await listed(asker)
        _, key = await Keys(KvStore(api, API_KEYS)).add("ann", label="laptop")
        async with connected("retrievers", server) as connection:
            limits = await connection.jetstream(timeout=5).key_value(LIMITS.name)
            await limits.put("quota.tavily", b"17")
        async with streams(server) as js:  # nobody reads an inbox that was made a moment ago
            await add_inbox(js, ACCOUNT, settings_of("topology", server))
        manifest = await saved(server, folder)
    assert "violation" not in server.log.lower()
    names = {one.name for one in manifest.streams}
    assert {RESULTS_STREAM, BLOBS.stream, API_KEYS.stream, inbox_stream(ACCOUNT)} <= names
    assert not {STREAM, TIMERS_STREAM} & names

    await erase(server)
    await prepared(server)
    await restored(server, folder)
    await prepared(server)
    async with all_services(server), asking(server) as asker, asking(server, API_ACCOUNT) as api:
        assert await listed(asker) == before_list
        assert {run_id: (await shown_of(asker, run_id)).document for run_id in runs} == {
            run_id: shown.document for run_id, shown in before.items()
        }
        async with connected("gateway", server) as connection:
            results = StoredResults(JetStreamBus(connection, settings_of("gateway", server)))
            assert await results.document(large.owner, large.run_id) == large
        assert (await Keys(KvStore(api, API_KEYS)).holder(key)).name == "ann"
        async with connected("retrievers", server) as connection:
            limits = await connection.jetstream(timeout=5).key_value(LIMITS.name)
            assert (await limits.get("quota.tavily")).value == b"17"
        later = await answered(asker, LATER)
        assert [run.run_id for run in await listed(asker)] == [later, *(run.run_id for run in before_list)]
    assert "violation" not in server.log.lower()


async def filled(server: SecuredServer, n: int = 3) -> None:
    """Something in streams of both accounts, without services."""
    async with connected("gateway", server) as connection:
        js = connection.jetstream(timeout=5)
        for _ in range(n):
            await js.publish(results_subject(LOCAL_ACCOUNT, new_run_id()), secrets.token_bytes(1000))
        await Objects(js, BLOBS).put(secrets.token_bytes(700_000))
    async with asking(server) as asker:
        await asker.jetstream(timeout=5).publish(f"{ASKER_INBOX}.{new_run_id()}", b"{}")
    async with asking(server, API_ACCOUNT) as api:
        await Keys(KvStore(api, API_KEYS)).add("ann")


@pytest.mark.parametrize("damage", ["one bit", "cut", "gone"])
async def test_a_damaged_backup_is_refused_before_anything_is_touched(
    server: SecuredServer, tmp_path: Path, damage: str
) -> None:
    """Also with --replace; the file is named. `show` says it too."""
    folder = tmp_path / "backup"
    await filled(server)
    manifest = await saved(server, folder)
    before = await there(server)
    path = folder / manifest.of(SERVICES_ACCOUNT)[-1].file
    if damage == "gone":
        path.unlink()
    else:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(bytes(data) if damage == "one bit" else bytes(data[:-1]))
    with pytest.raises(UsageError, match=path.name):
        await restored(server, folder, replace=True)
    with pytest.raises(UsageError, match=path.name):
        manifests.check(folder, manifests.read(folder))
    assert await there(server) == before


async def test_streams_with_messages_are_replaced_only_when_that_is_said(server: SecuredServer, tmp_path: Path) -> None:
    """What came after the save is gone then; what is in no backup stays."""
    folder = tmp_path / "backup"
    await filled(server)
    await saved(server, folder)
    before = await there(server)
    await filled(server, n=5)
    after = await there(server)
    with pytest.raises(UsageError, match=rf"{RESULTS_STREAM} \(8\).*--replace"):
        await restored(server, folder)
    assert await there(server) == after
    manifest = await restored(server, folder, replace=True)
    again = await there(server)
    assert {name: n for name, (n, _) in again.items()} == {name: n for name, (n, _) in before.items()}
    made_again = {name for name, (_, made) in again.items() if made != before[name][1]}
    assert made_again == again.keys() & {one.name for one in manifest.streams}
    await prepared(server)


async def test_nothing_is_restored_while_services_are_at_work(server: SecuredServer, tmp_path: Path) -> None:
    """Nor is a backup with runs at work taken."""
    folder = tmp_path / "backup"
    await filled(server)
    await saved(server, folder)
    async with all_services(server):
        before = await there(server)
        with pytest.raises(UsageError, match="services are at work"):
            await restored(server, folder, replace=True)
        with pytest.raises(UsageError, match="services are at work"):
            await saved(server, tmp_path / "whole", everything=True)
        assert await there(server) == before
    assert not (tmp_path / "whole").exists()


async def test_an_interrupted_save_is_no_backup(server: SecuredServer, tmp_path: Path) -> None:
    """Ctrl-C after the first stream: the folder says so, is not restored, and is not saved into again."""
    folder = tmp_path / "backup"
    await filled(server)

    def interrupt(_: str) -> None:
        saving.cancel()

    async with keepers_connected(logins(server), SAVES, without_api=False) as found:
        saving = asyncio.create_task(save(found, folder, everything=False, revision="test", tell=interrupt))
        with pytest.raises(asyncio.CancelledError):
            await saving
    assert (folder / manifests.INCOMPLETE).is_file()
    assert len(list(folder.glob("*.snapshot"))) >= 1
    with pytest.raises(UsageError, match="interrupted"):
        await restored(server, folder)
    with pytest.raises(UsageError, match="not empty"):
        await saved(server, folder)
    await saved(server, tmp_path / "another")


async def test_an_interrupted_restore_leaves_no_half_stream(
    server: SecuredServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C after the first stream: that one is whole, the next is gone, the others are as they were."""
    folder = tmp_path / "backup"
    await filled(server)
    manifest = await saved(server, folder)
    first, second = (one.name for one in manifest.streams[:2])
    before = await there(server)

    def interrupt(line: str) -> None:
        print(line)
        restoring.cancel()

    async with keepers_connected(logins(server), RESTORES, without_api=False) as found:
        restoring = asyncio.create_task(restore(found, folder, replicas=1, replace=True, tell=interrupt))
        with pytest.raises(asyncio.CancelledError):
            await restoring
    said = capsys.readouterr().out
    assert f"{second} is not restored: what was begun of it was taken away. Restored are: {first}; untouched" in said
    async with streams(server) as js:
        with pytest.raises(NotFoundError):
            await js.stream_info(second)
        assert (await js.stream_info(BLOBS.stream)).state.messages == before[BLOBS.stream][0]
    await restored(server, folder, replace=True)
    assert {name: n for name, (n, _) in (await there(server)).items()} == {name: n for name, (n, _) in before.items()}


async def test_a_killed_restore_keeps_services_from_starting(server: SecuredServer, tmp_path: Path) -> None:
    """SIGKILL in the middle of a stream: topology refuses what is half, until it is restored again."""
    folder = tmp_path / "backup"
    async with connected("gateway", server) as connection:
        blobs = Objects(connection.jetstream(timeout=5), BLOBS)
        for _ in range(4):
            await blobs.put(secrets.token_bytes(30 * 2**20))
    await saved(server, folder)
    async with streams(server) as js:
        for _ in range(10):
            command = await asyncio.create_subprocess_exec(
                *command_line("restore", str(folder), "--replace"), env=environment(server), stdout=subprocess.DEVNULL
            )
            while command.returncode is None and not await is_marked(js, BLOBS.stream):  # noqa: ASYNC110
                await asyncio.sleep(0.005)
            if command.returncode is None:
                command.kill()
            await command.wait()
            if await is_marked(js, BLOBS.stream):
                break
        assert await is_marked(js, BLOBS.stream)
        n_half = (await js.stream_info(BLOBS.stream)).state.messages
    with pytest.raises(UsageError, match=f"only a part of {BLOBS.stream} was restored"):
        await prepared(server)
    await restored(server, folder, replace=True)
    await prepared(server)
    assert (await there(server))[BLOBS.stream][0] > n_half


async def is_marked(js: JetStreamContext, stream: str) -> bool:
    try:
        return RESTORING in ((await js.stream_info(stream)).config.metadata or {})
    except NotFoundError:
        return False


def command_line(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "openwork_bus.backup", *arguments]


def environment(server: SecuredServer) -> dict[str, str]:
    prefix = "OPENWORK_NATS_PASSWORD_"
    passwords = {name: password_of(name.removeprefix(prefix).lower()) for name in password_variables()}
    return {**os.environ, **passwords, "OPENWORK_NATS_URL": server.url}


async def run(server: SecuredServer, *arguments: str, **changed: str) -> tuple[int, str]:
    """The command in a process of its own; exit code and what it said."""
    command = await asyncio.create_subprocess_exec(
        *command_line(*arguments),
        env={**environment(server), **changed},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    said, _ = await asyncio.wait_for(command.communicate(), 60)
    assert command.returncode is not None
    return command.returncode, said.decode()


async def test_the_command_saves_shows_and_restores(server: SecuredServer, tmp_path: Path) -> None:
    """As a container runs it, by its environment alone. Nobody else reads the files."""
    folder = tmp_path / "backup"
    await filled(server)
    code, said = await run(server, "save", str(folder))
    assert (code, said.splitlines()[-1]) == (0, f"saved in {folder}")
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700
    code, said = await run(server, "show", str(folder))
    assert (code, said.splitlines()[-1]) == (0, "whole: every file is what was saved")
    assert RESULTS_STREAM in said
    await erase(server)
    code, said = await run(server, "restore", str(folder))
    assert (code, said.splitlines()[-1]) == (
        0,
        "restored; now run `python -m openwork_bus.topology`, then start the services",
    )
    assert (await run(server, "restore", str(folder)))[0] == 1
    await prepared(server)


async def test_the_command_says_what_is_wrong_and_hangs_nowhere(server: SecuredServer, tmp_path: Path) -> None:
    """No password, a wrong one, no backup, a server that is not there, one that stops answering."""
    folder = tmp_path / "backup"
    await filled(server)
    code, said = await run(server, "save", str(folder), OPENWORK_NATS_PASSWORD_APIBACKUP="")
    assert code == 1
    assert "OPENWORK_NATS_PASSWORD_APIBACKUP" in said
    assert "--without-api" in said
    code, said = await run(server, "save", str(folder), OPENWORK_NATS_PASSWORD_BACKUP="wrong")
    assert code == 1
    assert "cannot be used" in said
    assert "Traceback" not in said
    code, said = await run(server, "restore", str(folder))
    assert (code, "there is no backup" in said) == (1, True)
    code, said = await run(server, "save", str(folder), OPENWORK_NATS_URL="nats://127.0.0.1:1")
    assert (code, "is it running" in said) == (1, True)
    assert not folder.exists()


async def test_a_backup_without_the_api_has_what_the_services_keep(server: SecuredServer, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    await filled(server)
    assert (await run(server, "save", str(folder), "--without-api", OPENWORK_NATS_PASSWORD_APIBACKUP=""))[0] == 0
    manifest = manifests.read(folder)
    assert not manifest.of(API_ACCOUNT)
    assert manifest.of(SERVICES_ACCOUNT)


async def test_with_everything_what_was_done_is_done_and_what_waits_goes_on(
    server: SecuredServer, tmp_path: Path
) -> None:
    """Services stopped, one question answered, one waiting: on another server it is answered, the other not again."""
    folder = tmp_path / "backup"
    async with all_services(server), asking(server) as asker:
        done = await answered(asker, QUESTIONS[0])
        before = await listed(asker)
    waiting = new_run_id()
    async with asking(server) as asker:
        body = AskRequest(question=QUESTIONS[1]).model_dump_json().encode()
        await asker.jetstream(timeout=5).publish(f"{ASKER_INBOX}.{waiting}", body)
    manifest = await saved(server, folder, everything=True)
    assert {STREAM, TIMERS_STREAM} <= {one.name for one in manifest.streams}
    n_before = (await there(server))[RESULTS_STREAM][0]
    await erase(server)
    await restored(server, folder)
    await prepared(server)
    async with streams(server) as js:
        info = await js.consumer_info(STREAM, "gateway-results")
        assert (info.num_pending, info.num_ack_pending) == (0, 0)
    async with all_services(server), asking(server) as asker:
        shown = await shown_of(asker, waiting, wait_s=30)
        assert shown.document is not None
        assert shown.document.status.value == "answered"
        async with asyncio.timeout(60):
            while waiting not in {run.run_id for run in await listed(asker)}:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert [run for run in await listed(asker) if run.run_id == done] == list(before)
    async with connected("operator", server) as connection:
        info = await connection.jetstream(timeout=5).stream_info(RESULTS_STREAM, subjects_filter=">")
    assert info.state.subjects[results_subject(LOCAL_ACCOUNT, done)] == n_before


async def test_a_deadline_that_waits_is_reached_on_the_server_it_was_restored_to(
    server: SecuredServer, tmp_path: Path
) -> None:
    """With --all: schedules are messages, and the server takes them up again."""
    due = spec_of(DeadlineReached).subject(new_run_id(), route="run")
    at = (datetime.now(UTC) + timedelta(seconds=6)).isoformat(timespec="seconds").replace("+00:00", "Z")
    async with connected("gateway", server) as connection:
        headers = {"Nats-Schedule": f"@at {at}", "Nats-Schedule-Target": due}
        await connection.jetstream(timeout=5).publish(timer_subject(due), b"{}", headers=headers)
    await saved(server, tmp_path / "backup", everything=True)
    await erase(server)
    await restored(server, tmp_path / "backup")
    async with streams(server) as js, asyncio.timeout(60):
        while not (await js.stream_info(TIMERS_STREAM, subjects_filter=due)).state.subjects:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


def test_nobody_but_those_made_for_it_saves_deletes_or_restores_a_stream() -> None:
    """By the table from which the accounts are made. Who saves changes nothing, and who restores reads nothing."""
    verbs = {"SNAPSHOT": set(SAVES.values()), "RESTORE": set(RESTORES.values()), "DELETE": set(RESTORES.values())}
    for verb, holders in verbs.items():
        found = {
            permissions.user
            for permissions in (*all_permissions(), *api_backup_permissions())
            for subject in permissions.publish
            if subject.startswith(f"$JS.API.STREAM.{verb}.")
        }
        assert found == holders
    saves = {p.user: p for p in (*all_permissions(), *api_backup_permissions()) if p.user in SAVES.values()}
    for permissions in saves.values():
        kinds = {".".join(subject.split(".")[:4]) for subject in permissions.publish}
        assert {kind.rsplit(".", 1)[1] for kind in kinds if kind.startswith("$JS.API")} <= {
            "NAMES", "INFO", "LIST", "SNAPSHOT",
        }  # fmt: skip
        assert permissions.subscribe == (f"_INBOX_{permissions.user}.>",)


@pytest.mark.parametrize("user", ["backup", "restore", "operator", "topology", "gateway", "api", "apibackup", "local"])
async def test_the_server_denies_what_is_not_a_users_own(server: SecuredServer, user: str) -> None:
    """Whatever it publishes on: the stream is there, and what it holds. Nobody hears a snapshot of another's."""
    await filled(server)
    before = await there(server)
    denied = {
        "backup": ("DELETE", "RESTORE", "UPDATE", "PURGE", "CREATE", "MSG.GET", "MSG.DELETE"),
        "restore": ("SNAPSHOT", "PURGE", "CREATE", "MSG.GET", "MSG.DELETE"),
        "apibackup": ("DELETE", "RESTORE", "UPDATE", "MSG.GET"),
    }.get(user, ("SNAPSHOT", "RESTORE", "DELETE"))
    stream = API_KEYS.stream if user.startswith("api") else RESULTS_STREAM
    async with asking(server, user) as connection:
        deliver = f"_INBOX_{user}.x"
        body = json.dumps({"deliver_subject": deliver, "config": {"name": stream}, "seq": 1}).encode()
        for verb in denied:
            await connection.publish(f"$JS.API.STREAM.{verb}.{stream}", body)
        await connection.flush()
        if user != "local":
            with suppress(TimeoutError):
                await until(lambda: all(f"$JS.API.STREAM.{verb}.{stream}" in server.log for verb in denied))
    for verb in denied:
        subject = f"$JS.API.STREAM.{verb}.{stream}"
        if user != "local":  # in its account nobody answers
            assert subject in server.log, subject
    assert await there(server) == before
    async with asking(server, API_ACCOUNT) as api:
        assert await KvStore(api, API_KEYS).keys()


async def test_who_saves_can_have_pieces_stored_where_it_likes(server: SecuredServer) -> None:
    """The server publishes a snapshot where the request's body says, and no permission reaches there. What is stored is
    a piece of a file, which no reader takes for a result; the login is kept as the disk is (docs/deployment.md)."""
    await filled(server)
    subject = results_subject(LOCAL_ACCOUNT, new_run_id())
    async with connected("backup", server) as connection:
        body = json.dumps({"deliver_subject": subject, "no_consumers": True}).encode()
        await connection.request(f"$JS.API.STREAM.SNAPSHOT.{RESULTS_STREAM}", body, timeout=5)
    async with connected("gateway", server) as connection, asyncio.timeout(20):
        results = StoredResults(JetStreamBus(connection, settings_of("gateway", server)))
        run_id = subject.rpartition(".")[2]
        while run_id not in await results.run_ids(LOCAL_ACCOUNT):  # noqa: ASYNC110 - the server says nothing by itself
            await asyncio.sleep(0.1)
        assert await results.document(LOCAL_ACCOUNT, run_id) is None
