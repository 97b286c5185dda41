"""Files from reference managers and databases become library records; nothing is lost without a word.

Read: PubMed XML, nbib/MEDLINE, RIS, EndNote (XML and tagged text), Web of Science text, BibTeX, CSL-JSON, and tables
(CSV, TSV) of PubMed, Embase, Scopus, Web of Science, Zotero and others.
"""

from openwork_laptop.library_import.importer import FileReport, ImportResult, import_records

__all__ = ["FileReport", "ImportResult", "import_records"]
