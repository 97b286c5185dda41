"""The accounts of every deployment on NATS in a container, with the files and the entry point of docker-compose.yml.

The tests are those of tests/integration; without an engine they run on an embedded nats-server, as there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from openwork_bus.connection import connect
from openwork_bus.topology import ensure_topology

from tests.containers.engine import leave_out, no_engine
from tests.containers.nats_container import ComposeContainer, ContainerSecuredServer
from tests.integration.secured_server import SecuredServer
from tests.integration.secured_services import settings_of
from tests.integration.test_compose_server import (  # noqa: F401
    ComposeServer,
    running,
    test_accounts_are_added_by_the_commands_of_compose,
    test_secured_nobody_gets_in_without_and_the_passwords_are_those_of_env,
    test_services_log_in_and_who_asks_needs_no_password,
)
from tests.integration.test_permissions import (  # noqa: F401
    test_a_bucket_of_objects_is_read_and_written_by_those_alone_whose_it_is,
    test_a_service_may_not_touch_what_is_not_its_own,
    test_a_timer_is_aimed_at_deadlines_alone,
    test_a_wrong_password_is_one_clear_error_and_no_hang,
    test_an_acknowledgement_cannot_be_sent_into_a_stream,
    test_the_whole_pipeline_answers_with_one_user_per_service,
    test_who_asks_may_make_no_consumer_and_write_no_event,
    test_who_makes_or_runs_the_bus_may_not_empty_it,
)

pytestmark = pytest.mark.containers


@pytest.fixture
def server_class() -> type[ComposeServer]:
    return ComposeServer if no_engine() else ComposeContainer


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[SecuredServer]:
    """The server with its streams and consumers, made by the topology user."""
    server = SecuredServer(tmp_path / "nats") if no_engine() else ContainerSecuredServer(tmp_path / "nats")
    try:
        await server.start()
        connection = await connect(settings_of("topology", server), name="topology")
        await ensure_topology(connection.jetstream(timeout=5), settings_of("topology", server))
        await connection.close()
        yield server
    finally:
        await server.stop()


async def test_the_health_check_runs_in_the_servers_image(tmp_path: Path) -> None:
    """With the shell and the `nc` that are there; it says nothing of a server that is well."""
    if reason := no_engine():
        leave_out(reason)
    async with running(ComposeContainer(tmp_path)) as server:
        assert server.run(["sh", "/etc/nats/health.sh"]) == ""
