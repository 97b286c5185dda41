"""Cross-encoders of four nodes, written byte by byte: a model server is tested with no library and no weights.

Their numbers grow with sum(input_ids x attention_mask). Padding adds nothing: a pair has one score in any batch.
The field numbers are those of onnx.proto (ONNX, opset 11).
"""

from __future__ import annotations

import struct

_FLOAT, _INT64 = 1, 7
_INT_ATTRIBUTE, _INTS_ATTRIBUTE = 2, 7


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def _bytes(field: int, value: bytes | str) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(raw)) + raw


def _node(kind: str, inputs: list[str], output: str, *attributes: bytes) -> bytes:
    parts = [_bytes(1, name) for name in inputs]
    return _bytes(1, b"".join([*parts, _bytes(2, output), _bytes(4, kind), *attributes]))


def _attribute(name: str, value: int | list[int]) -> bytes:
    if isinstance(value, int):
        return _bytes(5, _bytes(1, name) + _number(3, value) + _number(20, _INT_ATTRIBUTE))
    return _bytes(5, _bytes(1, name) + b"".join(_number(8, v) for v in value) + _number(20, _INTS_ATTRIBUTE))


def _value(name: str, kind: int, *axes: str | int) -> bytes:
    shape = b"".join(_dimension(axis) for axis in axes)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape)))


def _dimension(axis: str | int) -> bytes:
    return _bytes(1, _bytes(2, axis) if isinstance(axis, str) else _number(1, axis))


def tiny_cross_encoder() -> bytes:
    """The file of a reranker: one score per pair, the sum / 1,000,000."""
    scale = _number(2, _FLOAT) + _bytes(8, "scale") + _bytes(9, struct.pack("<f", 1e-6))
    return _summing(scale, keepdims=0, output=("score", "batch"))


def tiny_nli() -> bytes:
    """The file of an inference model: three logits per pair; the first grows with the sum, the last falls."""
    values = struct.pack("<3f", 1e-4, 0.0, -1e-4)
    scale = _number(1, 1) + _number(1, 3) + _number(2, _FLOAT) + _bytes(8, "scale") + _bytes(9, values)
    return _summing(scale, keepdims=1, output=("logits", "batch", 3))


def _summing(scale: bytes, *, keepdims: int, output: tuple[str | int, ...]) -> bytes:
    """sum(input_ids x attention_mask) x scale."""
    name = str(output[0])
    graph = b"".join(
        [
            _node("Mul", ["input_ids", "attention_mask"], "attended"),
            _node("Cast", ["attended"], "numbers", _attribute("to", _FLOAT)),
            _node("ReduceSum", ["numbers"], "sum", _attribute("axes", [1]), _attribute("keepdims", keepdims)),
            _node("Mul", ["sum", "scale"], name),
            _bytes(2, "tiny"),
            _bytes(5, scale),
            _bytes(11, _value("input_ids", _INT64, "batch", "length")),
            _bytes(11, _value("attention_mask", _INT64, "batch", "length")),
            _bytes(12, _value(name, _FLOAT, *output[1:])),
        ]
    )
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _number(2, 11))
