"""What has to hold of the flow of records of every run."""

from __future__ import annotations

from itertools import pairwise

from openwork_contracts.answer import AnswerDocument
from openwork_report.prisma import PrismaFlow, prisma_flow


def assert_adds_up(document: AnswerDocument) -> PrismaFlow:
    """Each step less what it left out is the next one; the last one is what the answer cites."""
    flow = prisma_flow(document)
    assert [step.name for step in flow.steps] == ["identified", "screened", "sought", "assessed", "included"]
    for step, following in pairwise(flow.steps):
        assert step.n - sum(out.n for out in step.left_out) == following.n, (step, following)
        assert all(out.n > 0 for out in step.left_out)
    assert flow.steps[-1].n == len(document.references)
    assert flow.steps[-1].left_out == ()
    return flow
