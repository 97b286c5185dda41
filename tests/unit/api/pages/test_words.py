"""Words that stand in several places are the same in all of them."""

from __future__ import annotations

import pytest
from openwork_api.pages.views import verdicts
from openwork_cli import remarks as cli
from openwork_contracts.answer import RunStatus
from openwork_contracts.conclusion import ConclusionVerdict
from openwork_report.whole.content import whole
from openwork_report.words import run_status_words

from tests.exports import document


def test_verdicts_and_what_to_look_at_are_called_as_on_the_command_line() -> None:
    assert {key.value: words for key, words in verdicts.VERDICTS.items()} == dict(cli.VERDICTS)
    assert {key.value: words for key, words in verdicts.LOOK_AT.items()} == dict(cli.LOOK_AT)
    assert {key.value: words for key, words in verdicts.NOT_BORNE_OUT.items()} == dict(cli.NOT_BORNE_OUT)


@pytest.mark.parametrize("status", list(RunStatus))
def test_a_run_ends_in_the_words_of_its_export(status: RunStatus) -> None:
    assert run_status_words(status) == whole(document(status=status)).facts[0]


@pytest.mark.parametrize("verdict", list(ConclusionVerdict))
def test_every_verdict_has_a_word_and_a_sign(verdict: ConclusionVerdict) -> None:
    mark = verdicts.mark_of(RunStatus.ANSWERED, verdict)
    assert mark.words
    assert "_" not in mark.words
    assert mark.sign in {"yes", "harm", "same", "open", "apart", "none", "text"}


def test_a_verdict_or_a_state_of_a_newer_service_is_shown_as_it_is() -> None:
    assert verdicts.mark_of(RunStatus.ANSWERED, ConclusionVerdict("much_better")).words == "Much better"
    assert run_status_words(RunStatus("half_done")) == "Half done"
