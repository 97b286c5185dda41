"""`openwork.verify`: the gate alone on a text and what it cites. Nothing is stored, no language model is asked."""

from __future__ import annotations

import asyncio
import logging

from openwork_contracts.requests import VerifyReply, VerifyRequest
from pydantic import ValidationError

from openwork_verifier.domain.gate import verify_answer

log = logging.getLogger(__name__)


async def answer_verify(account: str, body: bytes) -> bytes:
    """The verdict on each sentence, or in words why there is none; never raises, so that nobody waits in vain.

    Args:
        account: who asks; everybody gets the same.
    """
    return (await _reply(body)).model_dump_json().encode()


async def _reply(body: bytes) -> VerifyReply:
    try:
        request = VerifyRequest.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        return VerifyReply(error=f"{_field(first['loc'])}: {first['msg']}", error_type="UsageError")
    try:
        return VerifyReply(report=await asyncio.to_thread(verify_answer, request.text, request.evidence))
    except Exception as error:
        log.exception("a text could not be verified")
        return VerifyReply(
            error=f"The verifier failed unexpectedly ({type(error).__name__}).", error_type="OpenWorkError"
        )


def _field(path: tuple[int | str, ...]) -> str:
    """Where in the request, counted as its writer counts: `evidence 1, text`."""
    match path:
        case ("evidence", int(place), *rest):
            return f"evidence {place + 1}, {'.'.join(map(str, rest)) or 'item'}"
        case _:
            return ".".join(map(str, path)) or "body"
