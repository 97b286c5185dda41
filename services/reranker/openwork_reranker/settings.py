"""Settings of the reranker. The only reader of the environment here; every setting is `OPENWORK_<NAME>`."""

from __future__ import annotations

from typing import Literal

from openwork_bus.settings import ServiceSettings
from openwork_serving.availability import RETRY_AFTER_S
from pydantic import Field
from pydantic_settings import SettingsConfigDict

from openwork_reranker.domain.documents import RECENT_YEARS, SHORTLIST_LENGTH, SHORTLIST_TITLES
from openwork_reranker.domain.hybrid import DEPTH, MEANING_SHARE
from openwork_reranker.domain.passages import OVERLAP_CHARS, PASSAGE_CHARS
from openwork_reranker.domain.policies import MINIMUM_SCORE
from openwork_reranker.domain.scoring import MIN_SEPARATION, TIE_BREAKER_WEIGHT
from openwork_reranker.domain.selection import DIVERSITY, MAX_PER_DOCUMENT, N_PASSAGES, PASSAGE_SHARE
from openwork_reranker.domain.weights import LEXICAL_WEIGHTS, LexicalWeights


class Settings(ServiceSettings):
    """What may be changed about ranking; the defaults are the constants that the domain modules explain."""

    model_config = SettingsConfigDict(env_nested_delimiter="__")

    fulltext: bool = True
    """Whether full texts are asked for; off where no full-text service runs. Works that only the library gave are never
    asked for: what it holds is a summary, and without a network it must answer at once."""
    shortlist_length: int = Field(default=SHORTLIST_LENGTH, ge=1, le=500)
    """Documents that stage 1 passes on."""
    shortlist_titles: int = Field(default=SHORTLIST_TITLES, ge=0, le=500)
    """Works without an abstract, ranked by their title, whose full text is looked for beside those."""
    minimum_score: float = Field(default=MINIMUM_SCORE, ge=0, le=1)
    """Least stage-1 score of an article; other sources take their share of it. For lexical scores, fused ones too."""
    model_minimum_score: float | None = Field(default=None, ge=0, le=1)
    """The same for a cross-encoder's scores; `None` = the parameter minimum_score of the model's config on the server,
    else 0. `make calibrate-reranker` finds it on labelled pairs."""
    recent_years: int = Field(default=RECENT_YEARS, ge=0, le=50)
    """Evidence of this year and so many before it is not dropped by a minimum score."""
    lexical: LexicalWeights = LEXICAL_WEIGHTS
    """What the lexical scorer weighs; bounds and reasons are in `domain/weights.py`."""
    passages: int = Field(default=N_PASSAGES, ge=1, le=100)
    """Passages of the evidence pack."""
    passages_per_document: int = Field(default=MAX_PER_DOCUMENT, ge=1, le=20)
    """Most passages of one work in the pack."""
    passage_chars: int = Field(default=PASSAGE_CHARS, ge=200, le=8000)
    """Aimed-at length of a passage, in characters."""
    passage_overlap_chars: int = Field(default=OVERLAP_CHARS, ge=0, le=1000)
    """Most characters repeated from one passage to the next."""
    passage_share: float = Field(default=PASSAGE_SHARE, ge=0, le=1)
    """Share of the passage's own score in its rank; the rest is its document's."""
    passage_diversity: float = Field(default=DIVERSITY, ge=0, le=1)
    """Weight of dissimilarity when passages are chosen; 0 = score alone."""
    tie_breaker_separation: float = Field(default=MIN_SEPARATION, ge=0, le=1)
    """Scores spread less than this are blended with lexical ones."""
    tie_breaker_weight: float = Field(default=TIE_BREAKER_WEIGHT, ge=0, le=1)
    """Share of the lexical score in that blend."""
    local_model: Literal["auto", "minilm", "none"] = "auto"
    """The model in this process: MiniLM fused with the lexical order; auto = when its extra is installed."""
    local_model_depth: int = Field(default=DEPTH, ge=2, le=500)
    """Texts at the top of the lexical order that a bi-encoder reads, here or on Triton."""
    local_model_share: float = Field(default=MEANING_SHARE, ge=0, le=1)
    """Weight of a bi-encoder's order against that of the words, here or on Triton."""
    triton_url: str | None = None
    """host:port of a Triton server's gRPC; `None` = no model server."""
    triton_model: Literal["reranker", "embedder"] = "reranker"
    """The cross-encoder, or the bi-encoder whose order is fused with the lexical one."""
    triton_timeout_s: float = Field(default=8.0, gt=0, le=600)
    """Seconds for all requests of one stage; then the local scorer stands in. BGE on two CPU cores needs about 60."""
    triton_batch_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    """Tokens per request, padding included; `None` = the parameter batch_tokens of the model's config on the server:
    512 on a CPU, 16,384 on a GPU."""
    triton_max_in_flight: int = Field(default=16, ge=1, le=512)
    """Requests of one stage that wait for an answer at the same time."""
    triton_retry_after_s: float = Field(default=RETRY_AFTER_S, ge=0, le=600)
    """Seconds for which a server that failed is left alone."""
    score_cache: bool = True
    """Whether scores of a model server are shared by the replicas through the bus."""
