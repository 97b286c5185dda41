"""A real Chromium on the web app of a real stack: one of each for all tests, a page of its own for every test."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from openwork_bus.run_ids import new_run_id
from openwork_contracts.answer import AnswerDocument
from openwork_gateway.results import StoredResults, put_document
from openwork_laptop.stack import client as bus_of

from tests.api_stack import ApiStack, api_stack, new_key

T = TypeVar("T")
HERE = Path(__file__).parent
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
NARROW, WIDE = {"width": 360, "height": 800}, {"width": 1440, "height": 900}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here is one of the browser's."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


class Running:
    """A stack in a thread of its own, so that a test may wait for a page while the services work."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loop: asyncio.AbstractEventLoop
        self._ready = threading.Event()
        self._over: asyncio.Event
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.stack: ApiStack
        self.failed: BaseException | None = None

    def __enter__(self) -> Running:
        self._thread.start()
        is_ready = self._ready.wait(60)
        if self.failed:
            raise self.failed
        assert is_ready, "no stack within a minute"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(60)

    @property
    def url(self) -> str:
        """Where the web app is."""
        return self.stack.url

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something in the stack's thread, and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    def service(self, name: str) -> Any:
        """A service of the stack."""
        return next(one for one in self.stack.services.services if one.name == name)

    def asked(self, question: str, **options: object) -> str:
        """The run id of a question that was asked."""
        with httpx.Client(base_url=self.url, timeout=60) as client:
            body = {"question": question, "options": {"sources": ["library"], **options}}
            return str(client.post("/api/v1/runs", json=body).json()["run_id"])

    def answered(self, question: str) -> str:
        """The run id of a question that has ended."""
        run_id = self.asked(question)
        with httpx.Client(base_url=self.url, timeout=60) as client:
            client.get(f"/api/v1/runs/{run_id}", params={"wait_s": 30})
        return run_id

    def put(self, made: Callable[[str], AnswerDocument]) -> str:
        """Store a document as what a run came to; its run id."""
        run_id = new_run_id()

        async def work() -> None:
            async with bus_of(self.stack.server.url) as bus:
                await put_document(StoredResults(bus), made(run_id))

        self.do(work())
        return run_id

    def restart_api(self) -> None:
        """The web app stops, and another one begins on its port."""

        async def work() -> None:
            port = int(self.stack.url.rpartition(":")[2])
            await self.stack.api.stop()
            self.stack.api = self.stack.another(api_port=port)
            await self.stack.api.start()

        self.do(work())

    @contextmanager
    def closed_api(self) -> Iterator[tuple[str, dict[str, str]]]:
        """A second web app that asks for keys; its address, and the keys of two persons."""
        closed = self.stack.another(api_open=False)
        self.do(closed.start())
        try:
            keys = {person: self.do(new_key(closed, person)) for person in ("alice", "bob")}
            yield closed.url, keys
        finally:
            self.do(closed.stop())

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # told to whoever waits
            self.failed = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        async with api_stack(self._folder) as self.stack:
            self._ready.set()
            await self._over.wait()


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The stack of all tests."""
    with Running(tmp_path_factory.mktemp("stack")) as found:
        yield found


@pytest.fixture
def stalled(tmp_path: Path) -> Iterator[Running]:
    """A stack of one test in which nothing is written: its runs go on until they are cancelled or out of time."""
    with Running(tmp_path / "stalled") as found:
        found.do(found.service("synthesiser").stop())
        found.do(found.service("gap").stop())
        yield found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One Chromium; a test without one is skipped, and fails where OPENWORK_BROWSER says that there has to be one."""
    path = os.environ.get("OPENWORK_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        if os.environ.get("OPENWORK_BROWSER") == "required":
            pytest.fail("no Chromium on this machine, and OPENWORK_BROWSER=required: install the package chromium")
        pytest.skip("no Chromium on this machine: install the package chromium, or set OPENWORK_CHROMIUM")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any, running: Running) -> Iterator[Any]:
    """A page of a browser that knows nothing yet; what it logs as an error fails the test."""
    context = chromium.new_context(base_url=running.url, viewport=WIDE)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.allowed_errors = []
    yield page
    context.close()
    unexpected = [error for error in errors if not any(words in error for words in page.allowed_errors)]
    assert not unexpected, unexpected
