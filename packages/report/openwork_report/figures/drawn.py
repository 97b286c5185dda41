"""Any picture of a document by one name: what the parts of a document and `--figure` ask for."""

from __future__ import annotations

from openwork_report.figures.flow import in_words as flow_in_words
from openwork_report.figures.flow import prisma_svg
from openwork_report.figures.forest import forest_svg
from openwork_report.figures.forest import in_words as forest_in_words
from openwork_report.figures.groups import ForestGroup
from openwork_report.prisma import PrismaFlow


def svg_of(picture: PrismaFlow | ForestGroup, *, standalone: bool = False) -> str:
    """The picture as SVG."""
    if isinstance(picture, PrismaFlow):
        return prisma_svg(picture, standalone=standalone)
    return forest_svg(picture.results, standalone=standalone)


def words_of(picture: PrismaFlow | ForestGroup) -> str:
    """What it shows, for those who do not see it."""
    return flow_in_words(picture) if isinstance(picture, PrismaFlow) else forest_in_words(picture.results)
