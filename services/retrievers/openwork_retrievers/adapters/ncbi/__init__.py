"""NCBI E-utilities: PubMed, its books, and PubMed Central."""
