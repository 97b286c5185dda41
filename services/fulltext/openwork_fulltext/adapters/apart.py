"""PDFs are read in a process of their own, which the operating system holds to its share of time and memory.

A PDF is a program for a drawing machine. Some kilobytes of it can ask for hours and gigabytes (forms within forms, a
pattern of a billion tiles), and the library that draws it is C++ code that cannot be interrupted. What goes wrong there
ends that process and is told as a text that cannot be had; the service goes on.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from openwork_contracts.errors import FailureReason, OpenWorkError, SourceChanged, SourceRefused, SourceUnavailable

from openwork_fulltext.domain.document import ParsedDocument
from openwork_fulltext.domain.parse import parse_fulltext

_ERRORS: dict[str, type[OpenWorkError]] = {
    kind.__name__: kind for kind in (SourceChanged, SourceRefused, SourceUnavailable)
}
AT_ONCE = 2
"""Files that are read at the same time: the pod's memory is for as many."""
_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Limits:
    """What reading one file may take."""

    cpu_s: int = 20
    """91 pages of a guideline take 3 to 8 s. At 70 % of it the reading ends with the pages so far."""
    wall_s: float = 40.0
    memory_mb: int = 600
    """Of address space; those 91 pages take 110. The memory limit of the service's pod leaves room for it."""


async def read_apart(body: bytes, limits: Limits | None = None) -> ParsedDocument:
    """The document of a JATS or PDF file; XML is read here, everything else in a process of its own.

    Raises:
        SourceRefused: over the limits; or what `parse_fulltext` raises.
        SourceChanged, SourceUnavailable: what `parse_fulltext` raises.
    """
    limits = limits or Limits()
    if body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return await asyncio.to_thread(parse_fulltext, body)
    async with _TURNS.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE)):
        return _document(await _answer(body, limits))


async def _answer(body: bytes, limits: Limits) -> bytes:
    process = await asyncio.create_subprocess_exec(
        # -P: no module of the working directory goes before the installed ones.
        *(sys.executable, "-P", "-m", "openwork_fulltext.reading", str(limits.cpu_s), str(limits.memory_mb)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(limits.wall_s):
            answer, _ = await process.communicate(body)
    except TimeoutError:
        raise _over(f"over {limits.wall_s:.0f} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise _over(f"over {limits.cpu_s} s of CPU or {limits.memory_mb} MB of memory, or broke the reader")
    return answer


def _over(words: str) -> SourceRefused:
    return SourceRefused(f"reading the file took {words}, and was given up", reason=FailureReason.TOO_LARGE)


def _document(answer: bytes) -> ParsedDocument:
    found = json.loads(answer)
    if "error" in found:
        reason = FailureReason(found["reason"]) if found["reason"] else None
        kind = _ERRORS.get(found["error"], SourceRefused)
        raise kind(found["words"], reason=reason) if reason else kind(found["words"])
    return ParsedDocument.model_validate(found["document"])
