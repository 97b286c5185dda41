"""A cross-encoder of BGE-reranker-v2-m3's architecture with random weights, and what PyTorch says of pairs of texts.

    stand_in.py make FOLDER SIZE TEXT...     SIZE: tiny, or bge = the exact sizes of the original, 568 M parameters
    stand_in.py logits FOLDER                pairs as JSON on standard input, logits as JSON on standard output

Random weights cost what trained ones cost, and what a server says of them can be compared with PyTorch; nothing can be
said of their order. The tokenizer is trained on the given texts, in the form of XLM-RoBERTa's. Run by the Python of
.export-venv (scripts/export-setup.sh); imports nothing of ours.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

MAX_TOKENS = 512
SIZES: dict[str, dict[str, int]] = {
    "tiny": {
        "vocab_size": 2_000,
        "hidden_size": 64,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "intermediate_size": 256,
        "max_position_embeddings": 514,
    },
    # XLM-RoBERTa-large with the 8,192 positions of bge-m3, as the original's config.json is quoted; not fetched by us.
    "bge": {
        "vocab_size": 250_002,
        "hidden_size": 1_024,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "intermediate_size": 4_096,
        "max_position_embeddings": 8_194,
    },
}
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
"""Ids 0 to 3 of XLM-RoBERTa's vocabulary."""
_ROLES = {
    "bos_token": "<s>",
    "cls_token": "<s>",
    "pad_token": "<pad>",
    "eos_token": "</s>",
    "sep_token": "</s>",
    "unk_token": "<unk>",
}
_MOST_TOKENS = 8_000
"""Of the trained vocabulary; the original's 250,002 come from a hundred languages."""


def train_tokenizer(texts: list[Path], most: int) -> Any:
    """Unigram over pieces with a mark for the space, pairs as `<s> A </s> </s> B </s>`: the form of XLM-RoBERTa's."""
    from tokenizers import (  # type: ignore[import-not-found,unused-ignore]
        Tokenizer,
        models,
        normalizers,
        pre_tokenizers,
        processors,
        trainers,
    )

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=min(most, _MOST_TOKENS),
        special_tokens=list(_SPECIAL),
        unk_token=_ROLES["unk_token"],
        show_progress=False,
    )
    lines = (line for path in texts for line in path.read_text(encoding="utf-8").splitlines())
    tokenizer.train_from_iterator(lines, trainer)
    marks = [(token, tokenizer.token_to_id(token)) for token in ("<s>", "</s>")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B:0 </s>:0", special_tokens=marks
    )
    return tokenizer


def make(folder: Path, size: str, texts: list[Path]) -> None:
    """Write model and tokenizer as Transformers reads them."""
    import torch  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from transformers import (  # type: ignore[import-not-found,unused-ignore]
        PreTrainedTokenizerFast,
        XLMRobertaConfig,
        XLMRobertaForSequenceClassification,
    )

    torch.manual_seed(0)
    sizes = SIZES[size]
    config = XLMRobertaConfig(
        **sizes,
        type_vocab_size=1,
        layer_norm_eps=1e-5,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        num_labels=1,
        # Wide enough for logits that differ between texts, narrow enough for attention to more than one token.
        initializer_range=1.5 / math.sqrt(sizes["hidden_size"]),
    )
    model = XLMRobertaForSequenceClassification(config).eval()
    model.save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=train_tokenizer(texts, sizes["vocab_size"]),
        **_ROLES,
        model_max_length=MAX_TOKENS,
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)
    print(sum(parameter.numel() for parameter in model.parameters()))  # noqa: T201


def logits(folder: str, pairs: list[tuple[str, str]]) -> list[float]:
    """PyTorch's logits, one pair at a time: no padding, no neighbour."""
    import torch  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from transformers import (  # type: ignore[import-not-found,unused-ignore]
        AutoModelForSequenceClassification,
        AutoTokenizer,
    )

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    found = []
    with torch.inference_mode():
        for question, passage in pairs:
            tokens = tokenizer([question], [passage], truncation=True, max_length=MAX_TOKENS, return_tensors="pt")
            output = model(input_ids=tokens["input_ids"], attention_mask=tokens["attention_mask"])
            found.append(float(output.logits[0, 0]))
    return found


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), sys.argv[3], [Path(text) for text in sys.argv[4:]])
    else:
        print(json.dumps(logits(sys.argv[2], json.load(sys.stdin))))  # noqa: T201
