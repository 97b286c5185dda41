"""A cross-encoder of four nodes, written byte by byte: a model server is tested with no library and no weights.

score = sum(input_ids x attention_mask) / 1,000,000 per pair. Padding adds nothing: a pair has one score in any batch.
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


def _value(name: str, kind: int, *axes: str) -> bytes:
    shape = b"".join(_bytes(1, _bytes(2, axis)) for axis in axes)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape)))


def tiny_cross_encoder() -> bytes:
    """The file."""
    scale = _number(2, _FLOAT) + _bytes(8, "scale") + _bytes(9, struct.pack("<f", 1e-6))
    graph = b"".join(
        [
            _node("Mul", ["input_ids", "attention_mask"], "attended"),
            _node("Cast", ["attended"], "numbers", _attribute("to", _FLOAT)),
            _node("ReduceSum", ["numbers"], "sum", _attribute("axes", [1]), _attribute("keepdims", 0)),
            _node("Mul", ["sum", "scale"], "score"),
            _bytes(2, "tiny"),
            _bytes(5, scale),
            _bytes(11, _value("input_ids", _INT64, "batch", "length")),
            _bytes(11, _value("attention_mask", _INT64, "batch", "length")),
            _bytes(12, _value("score", _FLOAT, "batch")),
        ]
    )
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _number(2, 11))
