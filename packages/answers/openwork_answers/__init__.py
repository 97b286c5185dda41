"""The answer object, made from evidence before any prose: results read, held against the question, concluded, told."""
