"""What goes wrong with a language model, named by what to do next; all of it ends in the deterministic fallback.

ModelUnavailable (contracts)     timeout, network, 429, 5xx, all tries used up   -> fallback, worth a later try
BudgetExceeded                   the run has spent what it may                    -> fallback, nothing more is asked
ModelRequestRefused              any other 4xx: key, model id, bad request        -> fallback, tell the operator
ModelAnswerRejected (contracts)  an answer came and cannot be used
  ModelAnswerBlocked             refusal, safety filter, blocked prompt
  ModelAnswerEmpty               no candidate, or no text in it
  ModelAnswerCut                 the output limit was reached in mid-sentence
  ModelAnswerMisshapen           not of the asked shape, also after the one re-ask
"""

from __future__ import annotations

from openwork_contracts.errors import FailureReason, ModelAnswerRejected, OpenWorkError


class BudgetExceeded(OpenWorkError):  # noqa: N818 - named by what happened, as every error of the tree
    """The run's budget of tokens, dollars or seconds does not cover the next call; nothing was sent."""

    reason = FailureReason.REFUSED


class ModelRequestRefused(OpenWorkError):  # noqa: N818
    """The model service understood and refused: a 4xx other than 429. The same request will be refused again."""

    reason = FailureReason.REFUSED


class ModelAnswerBlocked(ModelAnswerRejected):
    """The model, or a filter before or behind it, refused to answer."""

    reason = FailureReason.REFUSED


class ModelAnswerEmpty(ModelAnswerRejected):
    """The service answered 200 without a candidate, or without a word in it."""


class ModelAnswerCut(ModelAnswerRejected):
    """The answer ended at its token limit: the rest of it is missing, so none of it is used."""

    reason = FailureReason.TOO_LARGE


class ModelAnswerMisshapen(ModelAnswerRejected):
    """The answer is not of the shape asked for, and was not after the one re-ask either."""

    reason = FailureReason.CHANGED
