"""The graph for onnxruntime's CUDA provider: attention, layer norms and activations each as one kernel of its own.

PyTorch exports attention as eight operators, each of which reads and writes a matrix of tokens x tokens per head. The
contrib operators `MultiHeadAttention`, `SkipLayerNormalization` and `BiasGelu` (domain `com.microsoft`,
https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md) do the same without: twice the pairs per
second on an H200 (docs/serving.md). TensorRT does not know them and gets the graph as it was exported.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

_DOMAIN = "com.microsoft"
_SHAPING = frozenset({"Transpose", "Reshape", "Mul"})
"""Between a projection and the product that it enters: heads are split off, and a scale may stand there."""


class GraphUnknown(Exception):  # noqa: N818 - named by what happened, as all our errors
    """The attention of the graph has another form than the one that is replaced."""


class _Uses:
    """Who makes a tensor and who takes it."""

    def __init__(self, graph: Any) -> None:
        self._maker = {output: node for node in graph.node for output in node.output}
        self._takers: dict[str, list[Any]] = {}
        for node in graph.node:
            for tensor in node.input:
                self._takers.setdefault(tensor, []).append(node)

    def maker(self, tensor: str, kinds: frozenset[str]) -> Any:
        """The node that makes it, of one of these kinds; `None` = another or none."""
        node = self._maker.get(tensor)
        return node if node is not None and node.op_type in kinds else None

    def only_taker(self, tensor: str, kind: str) -> Any:
        """The one node that takes it.

        Raises:
            GraphUnknown: there are more, or it is of another kind.
        """
        takers = self._takers.get(tensor, [])
        if len(takers) != 1 or takers[0].op_type != kind:
            raise GraphUnknown(f"{tensor} goes to {[node.op_type for node in takers]} and not to one {kind}")
        return takers[0]

    def before_shaping(self, tensor: str) -> str:
        """The projection of shape (batch, tokens, hidden) that a product's operand was shaped from."""
        while (node := self.maker(tensor, _SHAPING)) is not None:
            tensor = node.input[0]
        return tensor


def write_fused(full: Path, path: Path, *, heads: int, hidden: int) -> None:
    """Write the graph of `full` in FP16 with its attention, layer norms and activations fused.

    Args:
        full: FP32, exported with attention written out ("eager").
        heads: attention heads of a layer.
        hidden: width of a layer, a multiple of the heads.
    Raises:
        GraphUnknown: a layer's attention has another form.
    """
    import onnx  # type: ignore[import-not-found,unused-ignore]
    from onnxruntime.transformers.float16 import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        convert_float_to_float16,
    )
    from onnxruntime.transformers.fusion_options import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        FusionOptions,
    )
    from onnxruntime.transformers.optimizer import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        optimize_by_fusion,
    )

    model = onnx.load(str(full))
    del model.graph.value_info[:]
    fuse_attention(model, heads=heads, hidden=hidden)
    fused = optimize_by_fusion(
        model, "bert", num_heads=heads, hidden_size=hidden, optimization_options=FusionOptions("bert")
    )
    fused.prune_graph()
    half = convert_float_to_float16(fused.model, keep_io_types=True, disable_shape_infer=True)
    onnx.save_model(half, str(path))


def fuse_attention(model: Any, *, heads: int, hidden: int) -> int:
    """Put one `MultiHeadAttention` in the place of each softmax(q k / sqrt(width) + mask) v; how many there were.

    Raises:
        GraphUnknown: there is none, or one has another form.
    """
    from onnx import helper  # type: ignore[import-not-found,unused-ignore]

    graph = model.graph
    uses = _Uses(graph)
    put, dropped = {}, set()
    for softmax in [node for node in graph.node if node.op_type == "Softmax"]:
        (query, key, value, mask), parts, last = _attention(uses, softmax)
        put[last.output[0]] = helper.make_node(
            "MultiHeadAttention",
            [query, key, value, "", "", mask],
            [last.output[0]],
            name=f"{softmax.name}_attention",
            domain=_DOMAIN,
            num_heads=heads,
            scale=(hidden / heads) ** -0.5,
        )
        dropped |= {node.output[0] for node in parts}
    if not put:
        raise GraphUnknown("there is no attention in it")
    nodes = list(_replaced(graph.node, put, dropped))
    del graph.node[:]
    graph.node.extend(nodes)
    if all(known.domain != _DOMAIN for known in model.opset_import):
        model.opset_import.append(helper.make_opsetid(_DOMAIN, 1))
    return len(put)


def _attention(uses: _Uses, softmax: Any) -> tuple[tuple[str, str, str, str], list[Any], Any]:
    """Query, key, value and mask as they enter it; the nodes it is made of; and the last, which gives its output."""
    masked = uses.maker(softmax.input[0], frozenset({"Add"}))
    if masked is None:
        raise GraphUnknown(f"{softmax.name}: no mask is added before it")
    scores, mask = masked.input
    scaled = uses.maker(scores, frozenset({"Mul"}))
    product = uses.maker(scaled.input[0] if scaled is not None else scores, frozenset({"MatMul"}))
    if product is None:
        raise GraphUnknown(f"{softmax.name}: no product of query and key before it")
    mixed = uses.only_taker(softmax.output[0], "MatMul")
    joined = uses.only_taker(mixed.output[0], "Transpose")
    last = uses.only_taker(joined.output[0], "Reshape")
    query, key = (uses.before_shaping(operand) for operand in product.input)
    value = uses.before_shaping(mixed.input[1])
    parts = [masked, product, softmax, mixed, joined, *([scaled] if scaled is not None else [])]
    return (query, key, value, mask), parts, last


def _replaced(nodes: Any, put: dict[str, Any], dropped: set[str]) -> Iterator[Any]:
    for node in nodes:
        if node.output[0] not in dropped:
            yield put.get(node.output[0], node)
