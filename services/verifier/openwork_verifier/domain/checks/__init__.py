"""The checks of the gate, one module per kind of error."""
