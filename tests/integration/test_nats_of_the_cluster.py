"""NATS as k8s/nats-values.yaml has its own chart make it: three real nodes with TLS, on which the topology is made.

The configuration is read from k8s/rendered/nats.yaml. Changed for this machine are addresses, ports and folders alone.
"""

from __future__ import annotations

import ipaddress
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from openwork_laptop.embedded import server_binary

from deploy.permissions import password_variables
from tests.free_ports import free_ports

ROOT = Path(__file__).resolve().parents[2]
NODES = 3
SECONDS = 90

pytestmark = pytest.mark.slow


def password_of(variable: str) -> str:
    return f"p-{variable.rpartition('_')[2].lower()}"


def make_certificates(folder: Path) -> None:
    """An authority, and one certificate of it for server and client, as the Secret openwork-nats-tls holds them."""
    now = datetime.now(UTC)

    def certificate(subject: str, key: Any, issuer: str, by: Any, *extensions: Any) -> x509.Certificate:
        builder = x509.CertificateBuilder().serial_number(x509.random_serial_number()).public_key(key.public_key())
        builder = builder.subject_name(named(subject)).issuer_name(named(issuer))
        builder = builder.not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(days=1))
        for extension in extensions:
            builder = builder.add_extension(extension, critical=False)
        return builder.sign(by, hashes.SHA256())

    def named(name: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])

    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority = certificate("authority", authority_key, "authority", authority_key, x509.BasicConstraints(True, None))
    names = (x509.IPAddress(ipaddress.ip_address("127.0.0.1")), *map(x509.DNSName, ("nats", "localhost")))
    address = x509.SubjectAlternativeName(names)
    uses = x509.ExtendedKeyUsage([x509.OID_SERVER_AUTH, x509.OID_CLIENT_AUTH])
    leaf = certificate("nats", key, "authority", authority_key, address, uses)
    folder.mkdir()
    pem = serialization.Encoding.PEM
    (folder / "ca.crt").write_bytes(authority.public_bytes(pem))
    (folder / "tls.crt").write_bytes(leaf.public_bytes(pem))
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "tls.key").write_bytes(private)


def configuration(node: int, folder: Path, clients: list[int], routes: list[int]) -> str:
    objects = [o for o in yaml.safe_load_all((ROOT / "k8s/rendered/nats.yaml").read_text()) if o]
    (config,) = [o["data"]["nats.conf"] for o in objects if o["kind"] == "ConfigMap"]
    for other, port in enumerate(routes):
        config = config.replace(f"nats-{other}.nats-headless:6222", f"127.0.0.1:{port}")
    for path in ("/etc/nats-ca-cert", "/etc/nats-certs/cluster", "/etc/nats-certs/nats"):
        assert path in config
        config = config.replace(path, str(folder / "tls"))
    changes = {
        '"port": 4222': f'"host": "127.0.0.1", "port": {clients[node]}',
        '"port": 6222': f'"host": "127.0.0.1", "port": {routes[node]}',
        '"http_port": 8222,': "",
        '"store_dir": "/data"': f'"store_dir": "{folder}/data-{node}"',
        "/var/run/nats/nats.pid": f"{folder}/nats-{node}.pid",
    }
    for old, new in changes.items():
        assert old in config, old
        config = config.replace(old, new)
    return config


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[list[str]]:
    """Addresses of three nodes that found each other."""
    make_certificates(tmp_path / "tls")
    mounted = tmp_path / "nats-openwork"
    mounted.mkdir()
    (mounted / "accounts.conf").write_text((ROOT / "k8s/openwork/files/accounts.conf").read_text())
    (mounted / "askers.conf").touch()
    ports = free_ports(2 * NODES)
    clients, routes = ports[:NODES], ports[NODES:]
    passwords = {name: password_of(name) for name in password_variables()}
    started = []
    for node in range(NODES):
        folder = tmp_path / f"nats-config-{node}"
        folder.mkdir()
        path = folder / "nats.conf"
        path.write_text(configuration(node, tmp_path, clients, routes))
        environ = {**os.environ, **passwords, "SERVER_NAME": f"nats-{node}"}
        log = (tmp_path / f"nats-{node}.log").open("wb")
        command = [server_binary(), "--config", str(path)]
        started.append(subprocess.Popen(command, env=environ, stdout=log, stderr=log, stdin=subprocess.DEVNULL))
        log.close()
    yield [f"tls://127.0.0.1:{port}" for port in clients]
    for process in started:
        process.terminate()
    for process in started:
        process.wait(20)


def topology(url: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What the job of the chart runs, with its settings."""
    objects = [o for o in yaml.safe_load_all((ROOT / "k8s/rendered/production.yaml").read_text()) if o]
    (settings,) = [o["data"] for o in objects if o["metadata"]["name"] == "openwork-settings"]
    user = {"OPENWORK_NATS_USER": "topology", "OPENWORK_NATS_PASSWORD": password_of("_TOPOLOGY")}
    here = {"OPENWORK_NATS_URL": url, "OPENWORK_NATS_CA_FILE": str(folder / "tls/ca.crt")}
    environ = {**os.environ, **settings, **user, **here, "OPENWORK_STORE_GB": "2"}
    environ.pop("OPENWORK_OTLP_ENDPOINT", None)
    command = [sys.executable, "-m", "openwork_bus.topology"]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=SECONDS, check=False)


def test_the_topology_is_made_in_three_copies_over_tls(nodes: list[str], tmp_path: Path) -> None:
    """As the user of the job, with the rights that the mounted accounts give it. A second time nothing changes."""
    for _ in range(20):  # the job's pod is tried again too: the nodes elect their first leader
        done = topology(",".join(nodes), tmp_path)
        if done.returncode == 0:
            break
    logs = "\n".join((tmp_path / f"nats-{node}.log").read_text()[-1500:] for node in range(NODES))
    assert done.returncode == 0, f"{done.stderr[-2000:]}\n{logs}"
    assert topology(nodes[1], tmp_path).returncode == 0
    kept = [{path.name for path in (tmp_path / f"data-{node}").rglob("OPENWORK_EVENTS")} for node in range(NODES)]
    assert kept == [{"OPENWORK_EVENTS"}] * NODES
