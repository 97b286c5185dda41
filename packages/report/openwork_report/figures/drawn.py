"""Any picture of a document by one name: what the parts of a document and `--figure` ask for."""

from __future__ import annotations

from openwork_contracts.tabulation import PooledOutcome

from openwork_report.figures.flow import in_words as flow_in_words
from openwork_report.figures.flow import prisma_svg
from openwork_report.figures.forest import forest_svg
from openwork_report.figures.forest import in_words as forest_in_words
from openwork_report.figures.groups import ForestGroup
from openwork_report.prisma import PrismaFlow
from openwork_report.review.flow import ReviewPicture, flow_words, review_flow_svg
from openwork_report.review.forest import in_words as pooled_in_words
from openwork_report.review.forest import pooled_svg

Picture = PrismaFlow | ForestGroup | ReviewPicture | PooledOutcome
"""What can be drawn: of an answer, and of a review."""


def svg_of(picture: Picture, *, standalone: bool = False) -> str:
    """The picture as SVG."""
    match picture:
        case PrismaFlow():
            return prisma_svg(picture, standalone=standalone)
        case ReviewPicture():
            return review_flow_svg(picture, standalone=standalone)
        case PooledOutcome():
            return pooled_svg(picture, standalone=standalone)
        case ForestGroup():
            return forest_svg(picture.results, standalone=standalone)


def words_of(picture: Picture) -> str:
    """What it shows, for those who do not see it."""
    match picture:
        case PrismaFlow():
            return flow_in_words(picture)
        case ReviewPicture():
            return flow_words(picture)
        case PooledOutcome():
            return pooled_in_words(picture)
        case ForestGroup():
            return forest_in_words(picture.results)
