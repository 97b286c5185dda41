"""Puts the faults of `faults.py` in, one at a time, and says which of them the tests notice.

    make test-mutations                      all of them (two minutes)
    make test-mutations ARGS="rival join"    those whose names hold one of the words

Works on copies of the checkout in a temporary folder, never on the checkout itself. Exit code 1 when a fault survives.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from time import monotonic

from tests.faults import FAULTS, Fault

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT_S = 120
"""A fault that makes its tests hang this long is noticed too."""
_FAILED, _PASSED = 1, 0
"""pytest's exit codes; any other means that the tests could not be run at all, which proves nothing."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one fault."""

    fault: Fault
    result: str
    """killed, SURVIVED, or ERROR: the tests could not be run with it."""
    elapsed_s: float
    detail: str = ""


class Copy:
    """A copy of the checkout whose own packages are imported in place of the installed ones."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, check=True, text=True,
        ).stdout  # fmt: skip
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        packages = (path.parent for path in folder.glob("**/pyproject.toml"))
        self._environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, packages))}
        self._moments = count(int(Path(__file__).stat().st_mtime) + 1)

    def run_tests(self, tests: Sequence[str]) -> tuple[int | None, str]:
        """pytest's exit code, `None` when it took too long, and its last lines."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not nats", *tests]
        try:
            done = subprocess.run(
                command, cwd=self.root, env=self._environment, capture_output=True, text=True, timeout=TIMEOUT_S
            )
        except subprocess.TimeoutExpired:
            return None, f"no end within {TIMEOUT_S} s"
        return done.returncode, "\n".join((done.stdout + done.stderr).splitlines()[-15:])

    def check_imports(self) -> None:
        """Whether what is imported there is the copy: else every fault would survive unseen."""
        code = "import openwork_bus, openwork_contracts; print(openwork_bus.__file__, openwork_contracts.__file__)"
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=self.root,
            env=self._environment,
            capture_output=True,
            text=True,
            check=True,
        )
        if not all(name.startswith(str(self.root)) for name in done.stdout.split()):
            raise RuntimeError(f"the copy imports {done.stdout.strip()}, not itself")

    @contextmanager
    def with_fault(self, fault: Fault) -> Iterator[None]:
        """The copy with a fault in it."""
        path, changed = fault.put_into(self.root)
        before = path.read_text()
        self._write(path, changed)
        try:
            yield
        finally:
            self._write(path, before)

    def _write(self, path: Path, text: str) -> None:
        """With a new time each: compiled files are told apart by second and size."""
        path.write_text(text)
        moment = next(self._moments)
        os.utime(path, (moment, moment))


def judged(copy: Copy, fault: Fault) -> Outcome:
    """Whether its tests notice a fault."""
    started = monotonic()
    try:
        with copy.with_fault(fault):
            code, output = copy.run_tests(fault.tests)
    except LookupError as error:
        return Outcome(fault, "ERROR", 0.0, str(error))
    result = {_FAILED: "killed", None: "killed", _PASSED: "SURVIVED"}.get(code, "ERROR")
    return Outcome(fault, result, monotonic() - started, output if result == "ERROR" else "")


def judge_all(faults: Sequence[Fault], copies: Sequence[Copy]) -> list[Outcome]:
    """Every fault, each in a copy that no other is in."""
    free: SimpleQueue[Copy] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def one(fault: Fault) -> Outcome:
        copy = free.get()
        try:
            outcome = judged(copy, fault)
        finally:
            free.put(copy)
        print(f"{outcome.result:9} {outcome.elapsed_s:5.1f} s  {fault.name}", flush=True)
        return outcome

    with ThreadPoolExecutor(len(copies)) as pool:
        return list(pool.map(one, faults))


def main() -> int:
    """0: every fault was noticed; 1: one survived; 2: the tests fail without any fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only faults whose names hold one of these")
    parser.add_argument("--jobs", type=int, default=2, help="copies that are tested at once (2)")
    arguments = parser.parse_args()
    faults = [f for f in FAULTS if not arguments.words or any(word in f.name for word in arguments.words)]
    with tempfile.TemporaryDirectory(prefix="openwork-mutations-") as folder:
        copies = [Copy(Path(folder).resolve() / str(n)) for n in range(min(arguments.jobs, len(faults)))]
        copies[0].check_imports()
        code, output = copies[0].run_tests(sorted({test for fault in faults for test in fault.tests}))
        if code != _PASSED:
            print(f"the tests fail without any fault:\n{output}")
            return 2
        outcomes = judge_all(faults, copies)
    missed = [outcome for outcome in outcomes if outcome.result != "killed"]
    print(f"\n{len(outcomes) - len(missed)} of {len(outcomes)} faults were noticed")
    for outcome in missed:
        print(f"{outcome.result}: {outcome.fault.name} ({', '.join(outcome.fault.tests)})\n{outcome.detail}".rstrip())
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
