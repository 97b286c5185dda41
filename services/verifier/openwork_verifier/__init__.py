"""A draft gets a verdict per claim; the only way out to a reader."""

from openwork_verifier.domain import verify_answer, verify_claim

__all__ = ["verify_answer", "verify_claim"]
