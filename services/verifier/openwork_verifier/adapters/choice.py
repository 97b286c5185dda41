"""Who judges, from the settings: a language model where there is one, else an inference model, else nobody."""

from __future__ import annotations

from contextlib import AsyncExitStack

from openwork_bus.figures import Figures
from openwork_contracts.errors import UsageError
from openwork_llm.client import LanguageModel

from openwork_verifier.adapters.model_judge import ModelJudge
from openwork_verifier.domain.judging.answers import Judge
from openwork_verifier.settings import Settings


def choose_judge(
    settings: Settings, model: LanguageModel, resources: AsyncExitStack, figures: Figures | None = None
) -> Judge | None:
    """The judge; `None` = verdicts are the code's.

    Args:
        resources: where to close the client.
        figures: where requests to a model server are counted.
    Raises:
        UsageError: a setting asks for something that is not installed.
    """
    if model.enabled:
        return ModelJudge(model)
    if not settings.nli_model or not settings.triton_url:
        return None
    from openwork_serving.client import TritonOptions

    from openwork_verifier.adapters.nli_judge import NliJudge, NliOptions

    triton = TritonOptions(
        url=settings.triton_url,
        timeout_s=settings.nli_timeout_s,
        batch_tokens=settings.nli_batch_tokens,
        max_in_flight=settings.nli_max_in_flight,
    )
    options = NliOptions(
        model=settings.nli_model,
        labels=settings.nli_label_order,
        entailed=settings.nli_entailed,
        contradicted=settings.nli_contradicted,
        doubted=settings.nli_doubted,
        max_pairs=settings.nli_max_pairs,
        sentences=settings.nli_sentences,
        reserve_s=settings.model_reserve_s,
        retry_after_s=settings.triton_retry_after_s,
    )
    try:
        judge = NliJudge(triton, options, thresholds=settings.gate, figures=figures)
    except ImportError as error:
        raise UsageError("OPENWORK_NLI_MODEL needs the extra openwork-verifier[triton]") from error
    resources.push_async_callback(judge.close)
    return judge
