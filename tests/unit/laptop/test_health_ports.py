"""Where the services of `openwork up --processes` tell their health and their figures."""

from __future__ import annotations

from openwork_laptop.processes import Processes


def test_processes_have_ports_in_a_row_where_the_first_is_named() -> None:
    """What Prometheus is told once stays true."""
    processes = Processes("nats://127.0.0.1:4222", ("gap", "query"), replicas=2, health_port=9464)
    assert processes.health_ports == {"gap-0": 9464, "gap-1": 9465, "query-0": 9466, "query-1": 9467}


def test_otherwise_each_has_any_free_one() -> None:
    assert Processes("nats://127.0.0.1:4222", ("gap", "query")).health_ports == {"gap-0": 0, "query-0": 0}
