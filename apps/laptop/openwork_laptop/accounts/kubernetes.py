"""Accounts of the server on a cluster: a Secret that is mounted beside accounts.conf."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openwork_bus.settings import ServiceSettings
from openwork_contracts.errors import BusUnavailable

from openwork_laptop.accounts.askers import FILE
from openwork_laptop.accounts.commands import Command, Programs, Runs, line
from openwork_laptop.accounts.places import Address, changed_meanwhile

SECRET = "openwork-nats-askers"  # noqa: S105 - its name
JOBS = "topology"
"""The suspended CronJob of the chart: jobs are made from it, with the image, settings and certificates of now."""
SERVER_NAME = "nats"
"""Name of the service, which stands in the server's certificate."""
_JOB_S = 120
_MOUNTED_S = 180.0
"""A kubelet renews projected volumes every minute or so, by default."""
_POLL_S = 3.0


@dataclass(frozen=True, slots=True)
class Kubectl:
    """The command lines, for one namespace."""

    namespace: str = "openwork"

    @property
    def _program(self) -> Command:
        return ("kubectl", "-n", self.namespace)

    def get_secret(self) -> Command:
        """Also tells its version."""
        return (*self._program, "get", "secret", SECRET, "-o", "json")

    def patch_secret(self) -> Command:
        """Takes the patch on its standard input: what is secret enough for a Secret is on no command line."""
        return (*self._program, "patch", "secret", SECRET, "--type=merge", "--patch-file=/dev/stdin")

    def get_pods(self) -> Command:
        """Every node of the server."""
        return (*self._program, "get", "pods", "-l", "app.kubernetes.io/name=nats", "-o", "name")

    def read_mounted(self, pod: str) -> Command:
        """The file as that node sees it."""
        return (*self._program, "exec", pod, "-c", "nats", "--", "cat", f"/etc/nats-openwork/{FILE}")

    def reload_pod(self, pod: str) -> Command:
        """That node reads its configuration."""
        return (
            *self._program,
            "exec",
            pod,
            "-c",
            "nats",
            "--",
            "nats-server",
            "--signal",
            "reload=/var/run/nats/nats.pid",
        )

    def render_job(self) -> Command:
        """A job as the release in the cluster would make it, as JSON; nothing is made."""
        return (*self._program, "create", "job", JOBS, f"--from=cronjob/{JOBS}", "--dry-run=client", "-o", "json")

    def delete_job(self, account: str) -> Command:
        """One of an earlier try."""
        return (*self._program, "delete", "job", job_name(account), "--ignore-not-found")

    def apply(self) -> Command:
        """Takes the object on its standard input."""
        return (*self._program, "apply", "-f", "-")

    def wait_for_job(self, account: str) -> Command:
        """Until it is done."""
        return (*self._program, "wait", "--for=condition=complete", f"job/{job_name(account)}", f"--timeout={_JOB_S}s")

    def logs_of_job(self, account: str) -> Command:
        """Why it was not."""
        return (*self._program, "logs", f"job/{job_name(account)}", "--tail=5")

    def forward(self) -> Command:
        """A port of this machine that leads to the server, chosen by kubectl."""
        return (*self._program, "port-forward", "service/nats", ":4222")


def patch(text: str, version: str) -> str:
    """The patch; refused by the cluster when the Secret is not of that version any more."""
    data = {FILE: base64.b64encode(text.encode()).decode()}
    return json.dumps({"metadata": {"resourceVersion": version}, "data": data})


def text_and_version(secret: Mapping[str, Any]) -> tuple[str, str]:
    """The file in a Secret."""
    data = (secret.get("data") or {}).get(FILE, "")
    return base64.b64decode(data).decode(), secret["metadata"]["resourceVersion"]


def inbox_job(rendered: str, account: str, *, again: bool) -> dict[str, Any]:
    """The topology job for one inbox.

    Args:
        rendered: what `Kubectl.render_job` printed.
    """
    job = json.loads(rendered)
    pod = job["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    command = ["python", "-m", "openwork_bus.topology", f"--account={account}", *(["--again"] if again else [])]
    # A refusal is final: it is read in the log, not tried again.
    spec = {**pod["spec"], "restartPolicy": "Never", "containers": [{**container, "command": command}]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": job_name(account), "namespace": job["metadata"]["namespace"]},
        "spec": {
            "backoffLimit": 0,
            "ttlSecondsAfterFinished": 600,
            "template": {"metadata": {"labels": pod["metadata"]["labels"]}, "spec": spec},
        },
    }


def job_name(account: str) -> str:
    """Names of accounts have capitals, names of jobs do not."""
    return f"topology-account-{hashlib.sha256(account.encode()).hexdigest()[:12]}"


def forwarded(said: str) -> str | None:
    """The address in what kubectl says of it; `None` = it says something else."""
    if not said.startswith("Forwarding from 127.0.0.1:"):
        return None
    return said.split(" ")[2]


class KubernetesPlace:
    """The namespace of a release of the chart."""

    where = f"the Secret {SECRET}"

    def __init__(self, checkout: Path, namespace: str, run: Runs | None = None) -> None:
        self._checkout = checkout
        self._kubectl = Kubectl(namespace)
        self._run = run or Programs(checkout)

    async def read(self) -> str:
        """The file in the Secret."""
        return text_and_version(json.loads(await self._run(self._kubectl.get_secret())))[0]

    async def replace(self, old: str, new: str) -> None:
        """Patch the Secret, and wait until every node sees it."""
        text, version = text_and_version(json.loads(await self._run(self._kubectl.get_secret())))
        if text != old:
            raise changed_meanwhile(self.where)
        await self._run(self._kubectl.patch_secret(), patch(new, version))
        give_up = asyncio.get_running_loop().time() + _MOUNTED_S
        for pod in await self._pods():
            while await self._run(self._kubectl.read_mounted(pod)) != new:
                if asyncio.get_running_loop().time() > give_up:
                    raise BusUnavailable(f"{pod} does not see the new {FILE} within {_MOUNTED_S:.0f} s")
                await asyncio.sleep(_POLL_S)

    async def make_inbox(self, account: str, *, again: bool) -> None:
        """By a job of the topology's image."""
        job = inbox_job(await self._run(self._kubectl.render_job()), account, again=again)
        await self._run(self._kubectl.delete_job(account))
        await self._run(self._kubectl.apply(), json.dumps(job))
        try:
            await self._run(self._kubectl.wait_for_job(account))
        except BusUnavailable as error:
            raise BusUnavailable(
                f"the inbox was not made: {await self._run(self._kubectl.logs_of_job(account))}"
            ) from error

    async def reload(self) -> None:
        """Every node; whether they took it shows when the account is tried."""
        for pod in await self._pods():
            await self._run(self._kubectl.reload_pod(pod))

    def reached(self) -> AbstractAsyncContextManager[Address]:
        """Through kubectl."""
        return forwarded_address(self._kubectl.forward(), self._checkout)

    def plan(self, account: str) -> list[str]:
        """The command lines; `POD` stands for each node."""
        return [
            line(self._kubectl.get_secret()),
            f"{line(self._kubectl.render_job())}      (that job, for {account})",
            line(self._kubectl.delete_job(account)),
            f"{line(self._kubectl.apply())}      (that job on its standard input)",
            line(self._kubectl.wait_for_job(account)),
            f"{line(self._kubectl.patch_secret())}      (the accounts on its standard input)",
            line(self._kubectl.get_pods()),
            f"{line(self._kubectl.read_mounted('POD'))}      (until it is what was written)",
            line(self._kubectl.reload_pod("POD")),
            line(self._kubectl.reload_pod("POD")),
            line(self._kubectl.forward()),
            f"log in as {account} there, ask its inbox and the gateway",
        ]

    async def _pods(self) -> list[str]:
        pods = (await self._run(self._kubectl.get_pods())).split()
        if not pods:
            raise BusUnavailable("the cluster has no pod of NATS")
        return pods


@asynccontextmanager
async def forwarded_address(command: Command, folder: Path) -> AsyncIterator[Address]:
    """The server's address while the command runs.

    Raises:
        BusUnavailable: it says none within 20 s.
    """
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    assert process.stdout is not None
    try:
        said = ""
        try:
            async with asyncio.timeout(20):
                while not (address := forwarded(said)):
                    if not (read := (await process.stdout.readline()).decode(errors="replace").strip()):
                        raise BusUnavailable(f"`{line(command)}` ended: {said}")
                    said = read
        except TimeoutError:
            raise BusUnavailable(f"`{line(command)}` says no address: {said}") from None
        yield Address(f"nats://{address}", hostname=SERVER_NAME if ServiceSettings().nats_ca_file else None)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
