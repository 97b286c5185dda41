"""Results of a study, cell by cell, each bound to the place and the words it stands on. Pure functions; no I/O."""
