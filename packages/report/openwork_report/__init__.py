"""An answer as a file: references for reference managers, tables, the whole document. Pure functions, no I/O."""
