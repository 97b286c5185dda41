"""References for reference managers: RIS, BibTeX and CSL-JSON, all made of the same items."""
