"""LOINC codes of label sections (FDA's SPL terminology, "Section Headings (LOINC)") and what is read of them.

42229-5, "unclassified", is left out: most subsections have it, and belong to the section above them.
"""

from __future__ import annotations

from openwork_knowledge.tables import table

SECTION_NAMES = {row[1]: row[2] for row in table("label_sections").rows if row[0] == "loinc"}
BOXED_WARNING = "34066-1"

NOT_READ = frozenset(table("label_sections").words("not read"))
INDEX_DATA = "48779-3"
"""Indexing data elements: the section of an index file, which is not a label."""

OPENFDA_NAMES = {row[1]: row[2] for row in table("label_sections").rows if row[0] == "openfda"}
"""openFDA's fields, in the order of a label. `*_table` fields hold a section's tables as markup."""
