"""Each service can do its work with its own NATS user, and nothing more: on a real nats-server."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Collection
from contextlib import suppress
from pathlib import Path

import pytest
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import APIError, KeyNotFoundError
from openwork_bus.connection import connect
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.objects import Objects
from openwork_bus.run_ids import new_run_id
from openwork_bus.topology import ensure_topology
from openwork_contracts.accounts import (
    API_ACCOUNT,
    ASKER_INBOX,
    LOCAL_ACCOUNT,
    inbox_stream,
    inbox_subject,
    results_subject,
)
from openwork_contracts.buckets import ANSWERS, BLOBS, BUCKETS, LIMITS, TEXTS, BucketKind
from openwork_contracts.end import RunEnded
from openwork_contracts.errors import BusUnavailable, SubjectTaken
from openwork_contracts.meta import Contract
from openwork_contracts.pipelines import REVIEW
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.question import AskReply, AskRequest, QuerySubmitted
from openwork_contracts.requests import EventsRequest, ListReply, ListRequest, ShowReply, ShowRequest
from openwork_contracts.subjects import (
    ASK_SUBJECT,
    DEAD_LETTER_STREAM,
    EVENTS_SUBJECT,
    LIST_SUBJECT,
    RESULTS_STREAM,
    SHOW_SUBJECT,
    STREAM,
    TIMERS_STREAM,
    spec_of,
    timer_subject,
)

from deploy.permissions import OPERATOR, OWNER, all_permissions, backup_permissions, consumers_of
from deploy.registry import services
from tests.builders import completed, run_on, source_failed
from tests.integration.forbidden_subjects import HEARD_BY_NO_SERVICE, TIMERS, foreign_events, foreign_messages, shapes
from tests.integration.secured_server import SecuredServer
from tests.integration.secured_services import SERVICES, all_services, asking, connected, settings_of
from tests.waiting import until

pytestmark = pytest.mark.nats

MODEL_USERS = tuple(service.name for service in services() if "model" in service.reaches)
DEAD_LETTERS_BY_NUMBER = {
    (OPERATOR, f"$JS.API.{verb}.{DEAD_LETTER_STREAM}") for verb in ("STREAM.MSG.DELETE", "DIRECT.GET")
}
QUESTION = "Compare apixaban versus rivaroxaban in atrial fibrillation with chronic kidney disease"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[SecuredServer]:
    """The server with its streams and consumers, made by the topology user."""
    server = SecuredServer(tmp_path / "nats")
    await server.start()
    settings = settings_of("topology", server)
    connection = await connect(settings, name="topology")
    await ensure_topology(connection.jetstream(timeout=5), settings)
    await ensure_topology(connection.jetstream(timeout=5), settings)  # and again: an update needs no other rights
    await connection.close()
    yield server
    server.kill()


async def test_the_whole_pipeline_answers_with_one_user_per_service(
    server: SecuredServer, caplog: pytest.LogCaptureFixture
) -> None:
    """A question over `openwork.ask`, of the account `local`; no denial anywhere, in our logs or the server's."""
    async with all_services(server), asking(server) as connection:

        async def request(subject: str, body: Contract) -> bytes:
            return (await connection.request(subject, body.model_dump_json().encode(), timeout=40)).data

        asked = AskReply.model_validate_json(await request(ASK_SUBJECT, AskRequest(question=QUESTION)))
        shown = await request(SHOW_SUBJECT, ShowRequest(run_id=asked.run_id, wait_s=30))
        async with asyncio.timeout(60):  # a run is shown as soon as it has ended, and listed when it is stored
            while not (runs := ListReply.model_validate_json(await request(LIST_SUBJECT, ListRequest())).runs):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        events = await request(EVENTS_SUBJECT, EventsRequest(run_id=asked.run_id))
    assert ShowReply.model_validate_json(shown).document.status.value == "answered"
    assert [run.run_id for run in runs] == [asked.run_id]
    assert b"answer-concluded" in events
    assert "violation" not in server.log.lower()
    assert not [record for record in caplog.records if "permissions violation" in record.getMessage().lower()]


async def test_services_that_go_out_use_the_shared_limits_answers_and_texts(server: SecuredServer) -> None:
    """Compare-and-set of a rate slot, a cached answer; a text stored, replaced, and read by whom it is referred to."""
    async with connected("retrievers", server) as connection:
        js = connection.jetstream(timeout=10)
        limits, answers = await js.key_value(LIMITS.name), await js.key_value(ANSWERS.name)
        with pytest.raises(KeyNotFoundError):
            await limits.get("rate.ncbi")
        revision = await limits.update("rate.ncbi", b"1.0", last=0)
        assert (await limits.get("rate.ncbi")).revision == revision
        await answers.put("abc", b"body")
        assert (await answers.get("abc")).value == b"body"
        await answers.delete("abc")
    async with connected("fulltext", server) as connection:
        texts = Objects(connection.jetstream(timeout=10), TEXTS)
        for body in (b"x" * 600_000, b"y" * 10):
            await texts.set_name("v1.pmid.1", await texts.put(body))
            ref = await texts.named("v1.pmid.1")
            assert ref is not None
            assert await texts.get(ref) == body
    async with connected("reranker", server) as connection:
        assert await JetStreamBus(connection, settings_of("reranker", server)).get_blob(ref) == b"y" * 10
    assert "violation" not in server.log.lower()


async def test_a_publication_whose_acknowledgement_was_lost_is_told_from_anothers(server: SecuredServer) -> None:
    """What is there is read by the service that published it, though it may read no other bodies."""
    async with connected("retrievers", server) as connection:
        bus = JetStreamBus(connection, settings_of("retrievers", server))
        run = run_on(bus, service="retrievers")
        run.pipeline = REVIEW
        for event in (source_failed(run, "pubmed"), completed(run, "europepmc")):
            assert await bus.publish(event)
            assert not await bus.publish(event)
            other = event.model_copy(update={"meta": event.meta.model_copy(update={"producer": "library"})})
            with pytest.raises(SubjectTaken):
                await bus.publish(other)
    assert "violation" not in server.log.lower()


@pytest.mark.parametrize("service", MODEL_USERS)
async def test_services_that_ask_models_share_accounts_and_answers(service: str, server: SecuredServer) -> None:
    """An account made and changed by compare-and-set, an answer kept and read."""
    async with connected(service, server) as connection:
        js = connection.jetstream(timeout=10)
        ledger, answers = await js.key_value("openwork-model-ledger"), await js.key_value("openwork-model-answers")
        run_id = new_run_id()
        revision = await ledger.create(run_id, b"{}")
        await ledger.update(run_id, b"{1}", last=revision)
        assert (await ledger.get(run_id)).value == b"{1}"
        await answers.put("abc", b"answer")
        assert (await answers.get("abc")).value == b"answer"
    assert "violation" not in server.log.lower()


def logged_in(caplog: pytest.LogCaptureFixture) -> str:
    return " ".join(record.getMessage() for record in caplog.records).lower()


async def told(caplog: pytest.LogCaptureFixture, subjects: Collection[str]) -> None:
    """Wait for the denial of each; the server tells of it after it has answered."""
    with suppress(TimeoutError):  # which one was not told of, the test says
        await until(lambda: all(f'"{subject}"'.lower() in logged_in(caplog) for subject in subjects))


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_may_not_touch_what_is_not_its_own(
    service: str, server: SecuredServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Another's consumer, changes of streams and consumers, others' events, timers, results and letters; each denial is
    logged."""
    forbidden = [*shapes(service), *foreign_messages(service), *foreign_events(service)]
    caplog.set_level(logging.ERROR)
    async with connected(service, server) as connection:
        for subject in forbidden:
            await connection.publish(subject, b"{}")
        for subject in HEARD_BY_NO_SERVICE:
            await connection.subscribe(subject)
        await connection.flush()
        wanted = (*forbidden, *HEARD_BY_NO_SERVICE)
        await told(caplog, wanted)
    logged = logged_in(caplog)
    for subject in wanted:
        assert f'"{subject}"'.lower() in logged, f"{service} was not denied {subject}"
        assert subject in server.log
    async with connected("topology", server) as connection:
        info = await connection.jetstream(timeout=10).stream_info(STREAM)
    assert info.state.messages == 0


def test_dead_letters_are_read_by_operators_alone() -> None:
    """They hold what services could not handle: questions and texts of everybody."""
    reading = ("STREAM.MSG.GET", "DIRECT.GET", "CONSUMER.MSG.NEXT", "CONSUMER.CREATE", "CONSUMER.DURABLE.CREATE")
    readers = {
        permissions.user
        for permissions in all_permissions()
        for subject in (*permissions.publish, *permissions.subscribe)
        if subject.startswith(tuple(f"$JS.API.{verb}.{DEAD_LETTER_STREAM}" for verb in reading))
        or (subject.startswith("openwork.dead") and subject in permissions.subscribe)
    }
    assert readers == {OPERATOR}


@pytest.mark.parametrize("user", [OWNER, OPERATOR])
async def test_who_makes_or_runs_the_bus_may_not_empty_it(
    user: str, server: SecuredServer, caplog: pytest.LogCaptureFixture
) -> None:
    """No stream deleted or purged, no consumer without a name; the owner reads nothing, the operator makes nothing."""
    forbidden = [f"$JS.API.STREAM.{verb}.{STREAM}" for verb in ("DELETE", "PURGE", "MSG.DELETE")]
    forbidden += [f"$JS.API.CONSUMER.CREATE.{STREAM}", f"$JS.API.CONSUMER.MSG.NEXT.{STREAM}.gap"]
    forbidden += [f"$JS.API.CONSUMER.CREATE.{STREAM}.mine", results_subject("ALICE", "X"), "openwork.ask.ALICE"]
    if user == OWNER:
        forbidden += [f"$JS.API.STREAM.MSG.GET.{STREAM}", f"$JS.API.DIRECT.GET.{RESULTS_STREAM}", "openwork.dead.gap"]
        forbidden += [spec_of(RunEnded).subject(new_run_id()), f"$JS.API.STREAM.MSG.GET.{DEAD_LETTER_STREAM}"]
    else:
        forbidden += [f"$JS.API.STREAM.UPDATE.{STREAM}", f"$JS.API.STREAM.CREATE.{STREAM}_COPY"]
        forbidden += [f"$JS.API.CONSUMER.CREATE.{STREAM}.gap", f"$JS.API.CONSUMER.DELETE.{STREAM}.gap"]
    caplog.set_level(logging.ERROR)
    async with connected(user, server) as connection:
        for subject in forbidden:
            await connection.publish(subject, b"{}")
        await connection.flush()
        await told(caplog, forbidden)
    logged = logged_in(caplog)
    assert [subject for subject in forbidden if f'"{subject}"'.lower() not in logged] == []


async def test_who_asks_may_make_no_consumer_and_write_no_event(server: SecuredServer) -> None:
    """No consumer of any form (a service's durable could be changed by one), no event, no other's inbox."""
    from nats.js.api import ConsumerConfig

    async with asking(server) as connection:
        js = connection.jetstream(timeout=0.5)
        for config in (ConsumerConfig(name="gap", durable_name="gap"), ConsumerConfig(name="gap"), ConsumerConfig()):
            with pytest.raises((NatsTimeoutError, APIError)):
                await js.add_consumer(STREAM, config)
        body = json.dumps({"stream_name": STREAM, "config": {"name": "gap", "ack_policy": "none"}})
        end = spec_of(RunEnded).subject(new_run_id())
        for subject in (f"$JS.API.CONSUMER.CREATE.{STREAM}", end, inbox_subject(API_ACCOUNT, "x"), "openwork.ask.api"):
            with pytest.raises(NatsTimeoutError):
                await connection.request(subject, body.encode(), timeout=0.3)


async def test_an_acknowledgement_cannot_be_sent_into_a_stream(server: SecuredServer) -> None:
    """The server stores what it answers where the asker wants the reply; in its own account there is no stream."""
    end = spec_of(RunEnded).subject(new_run_id())
    async with asking(server) as connection:
        await connection.publish(f"{ASKER_INBOX}.{new_run_id()}", b"{}", reply=end)
        await connection.publish(ASK_SUBJECT, b"{}", reply=end)
        await connection.flush()
    async with connected("topology", server) as connection:
        js = connection.jetstream(timeout=10)
        async with asyncio.timeout(60):
            while not (await js.stream_info(inbox_stream(LOCAL_ACCOUNT))).state.messages:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert (await js.stream_info(STREAM)).state.messages == 0


async def test_a_timer_is_aimed_at_deadlines_alone(server: SecuredServer) -> None:
    """nats-server publishes what a timer is aimed at without asking for its owner's rights, in the timer's own stream:
    where deadlines are and no event."""
    run_id = new_run_id()
    due = spec_of(DeadlineReached).subject(run_id, route="normaliser", track="affirmative", round_=1)
    timer = timer_subject(due)
    at = {"Nats-Schedule": "@at 2020-01-01T00:00:00Z"}
    async with asking(server) as connection:
        with pytest.raises(NatsTimeoutError):
            await connection.request(timer, b"{}", timeout=0.3, headers={**at, "Nats-Schedule-Target": due})
    async with connected("gap", server) as connection:
        js = connection.jetstream(timeout=10)
        with pytest.raises(APIError) as refused:
            await js.publish(timer, b"{}", headers={**at, "Nats-Schedule-Target": spec_of(RunEnded).subject(run_id)})
        assert refused.value.err_code == 10190


async def test_a_wrong_password_is_one_clear_error_and_no_hang(server: SecuredServer) -> None:
    """Within the time of one connection attempt, naming the settings that are wrong."""
    settings = settings_of("gap", server).model_copy(update={"nats_user": "verifier"})
    with pytest.raises(BusUnavailable, match="OPENWORK_NATS_PASSWORD"):
        await asyncio.wait_for(connect(settings, name="gap"), 15)


def test_every_publisher_and_every_consumer_of_the_contracts_has_its_rights() -> None:
    """What each service.toml says of timers agrees with the contracts, and each durable has exactly one user."""
    assert {name for name, joiners in TIMERS.items() if joiners} == set(spec_of(DeadlineReached).publishers)
    assert spec_of(QuerySubmitted).publishers == ("gateway",)
    durables = [spec.durable for service in SERVICES for _, spec in consumers_of(service)]
    for durable in durables:
        holders = [
            p.user
            for p in all_permissions()
            if any(subject.endswith(f".{durable}") and ".MSG.NEXT." in subject for subject in p.publish)
        ]
        assert len(holders) == 1, durable


async def test_a_bucket_of_objects_is_read_and_written_by_those_alone_whose_it_is(server: SecuredServer) -> None:
    """The verifier reads no full texts, the reranker writes none; both read and write blobs, and none replaces one."""
    async with connected("fulltext", server) as connection:
        ref = await Objects(connection.jetstream(timeout=10), TEXTS).put(b"text")
    async with connected("verifier", server) as connection:
        js = connection.jetstream(timeout=0.5)
        with pytest.raises(BusUnavailable):
            await Objects(js, TEXTS).get(ref)
        blob = await Objects(js, BLOBS).put(b"body")
        assert await Objects(js, BLOBS).get(blob) == b"body"
    async with connected("reranker", server) as connection:
        js = connection.jetstream(timeout=0.5)
        with pytest.raises(BusUnavailable):
            await Objects(js, TEXTS).put(b"other")
        with pytest.raises(APIError):
            await js.publish(f"$O.{BLOBS.name}.C.{blob.name}.0", b"forged")
        assert await Objects(js, BLOBS).get(blob) == b"body"


def test_nobody_has_a_right_whose_object_stands_only_in_a_messages_body() -> None:
    """No consumer without a name, no purge, no deletion; a read by a body only of one whole stream.

    `STREAM.MSG.GET` names its stream: buckets that the leader answers for, each its user's to read whole, and the
    events and deadlines for the gateway, which may read them all. Operators read and delete dead letters by their
    number; who looks for the inboxes of accounts sees the names of streams. Who saves and restores: test_backup.py.
    """
    by_body = {
        (p.user, subject.removeprefix("$JS.API.STREAM.MSG.GET."))
        for p in all_permissions()
        for subject in p.publish
        if subject.startswith("$JS.API.STREAM.MSG.GET.")
    } - {("gateway", STREAM), ("gateway", TIMERS_STREAM), (OPERATOR, DEAD_LETTER_STREAM)}
    leaders = {bucket.stream for bucket in BUCKETS if bucket.kind is BucketKind.KEY_VALUE and not bucket.is_cache}
    assert {stream for _, stream in by_body} == leaders
    keepers = {permissions.user for permissions in backup_permissions()}
    for permissions in all_permissions():
        if permissions.user in keepers:
            continue
        for subject in permissions.publish:
            assert not subject.startswith((">", "*", "$JS.>", "$JS.API.>", "$JS.API.*")), subject
            assert ".PURGE." not in subject, subject
            assert not subject.startswith(("$JS.API.STREAM.DELETE", "$JS.API.STREAM.LIST", "$JS.FC.")), subject
            if subject.startswith("$JS.API.STREAM.NAMES"):
                assert permissions.user in ("gateway", OWNER, OPERATOR)
            if (permissions.user, subject) in DEAD_LETTERS_BY_NUMBER:
                continue
            assert not subject.startswith("$JS.API.STREAM.MSG.DELETE"), subject
            if subject.startswith("$JS.API.CONSUMER.CREATE."):
                consumer = subject.split(".")[5:6]
                assert consumer not in ([], ["*"], [">"]), subject
            if subject.startswith("$JS.API.DIRECT.GET."):
                assert len(subject.split(".")) > 5, subject
