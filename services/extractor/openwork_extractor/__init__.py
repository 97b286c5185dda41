"""What a study reports, cell by cell, each with the place where it stands."""
