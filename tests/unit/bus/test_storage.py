"""What the server's answers to a publish mean: each was tried on nats-server 2.15.1."""

from __future__ import annotations

import pytest
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import APIError
from openwork_bus.storage import Refusal, is_full, refusal_of

PER_SUBJECT = "maximum messages per subject exceeded"
BYTES = "maximum bytes exceeded"

ANSWERS = [
    # a new subject into a full stream, with or without the create-only header; a batch of which a part would fit
    pytest.param(503, 10077, BYTES, Refusal.FULL, id="stream full"),
    pytest.param(503, 10077, "maximum messages exceeded", Refusal.FULL, id="stream full of messages"),
    # the same code and status for what is there already: only the words tell them apart
    pytest.param(503, 10077, PER_SUBJECT, Refusal.THERE_ALREADY, id="repeat without header"),
    pytest.param(400, 10071, "wrong last sequence: 7", Refusal.THERE_ALREADY, id="repeat with header"),
    pytest.param(400, 10164, "wrong last sequence", Refusal.THERE_ALREADY, id="repeat with header, in a race"),
    pytest.param(503, 10023, "insufficient resources", Refusal.FULL, id="the server's store is full"),
    pytest.param(500, 10047, "insufficient storage resources available", Refusal.FULL, id="all bytes are reserved"),
    pytest.param(503, 10008, "JetStream system temporarily unavailable", Refusal.TRY_AGAIN, id="no leader"),
    pytest.param(503, 10077, "no space left on device", Refusal.TRY_AGAIN, id="an error of the disk"),
    pytest.param(503, 10077, None, Refusal.TRY_AGAIN, id="no words"),
    *(
        pytest.param(400, code, "batch", Refusal.TRY_AGAIN, id=f"batch is gone {code}")
        for code in (10176, 10210, 10211)
    ),
    pytest.param(400, 10054, "message size exceeds maximum allowed", Refusal.FINAL, id="too large"),
    pytest.param(400, 10060, "expected stream does not match", Refusal.FINAL, id="another stream"),
    pytest.param(400, 10190, "a timer's target in another stream", Refusal.FINAL, id="a timer's target"),
]


@pytest.mark.parametrize(("code", "err_code", "description", "meaning"), ANSWERS)
def test_an_answer_of_the_server_means(code: int, err_code: int, description: str | None, meaning: Refusal) -> None:
    error = APIError(code=code, err_code=err_code, description=description)
    assert refusal_of(error) is meaning
    assert is_full(error) is (meaning is Refusal.FULL)


@pytest.mark.parametrize("words", [PER_SUBJECT.upper(), f" {PER_SUBJECT}\n"])
def test_the_words_are_read_whatever_their_case(words: str) -> None:
    assert refusal_of(APIError(code=503, err_code=10077, description=words)) is Refusal.THERE_ALREADY


def test_an_answer_that_is_not_known_is_never_read_as_stored() -> None:
    for err_code in range(10000, 10250):
        if err_code not in (10071, 10164):
            error = APIError(code=400, err_code=err_code, description="something new")
            assert refusal_of(error) is not Refusal.THERE_ALREADY


def test_an_answer_that_did_not_come_is_no_full_store() -> None:
    assert not is_full(NatsTimeoutError())
