"""A sheet to draw on: lines, boxes and letters with the colours of a page or of a file, and the SVG of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from openwork_report.figures.lettering import LINE, inert

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif"
_MOST_WORDS = 4_000
"""Characters of a description: who listens to it cannot skip."""

_MOST_TITLE = 400


@dataclass(frozen=True, slots=True)
class Colours:
    """Of letters and lines, of letters that matter less, of the ground in a box; `page` = the ground of all."""

    ink: str
    soft: str
    wash: str
    page: str | None


OF_THE_PAGE = Colours("currentColor", "var(--soft, currentColor)", "var(--wash, none)", None)
OF_A_FILE = Colours("#1b1f24", "#4b545e", "#f4f6f8", "#ffffff")


@dataclass(slots=True)
class Sheet:
    """What was drawn so far; coordinates are pixels at the picture's own size."""

    width: int
    colours: Colours
    drawn: list[str] = field(default_factory=list)

    def letters(
        self,
        x: float,
        y: float,
        lines: Sequence[str],
        size: float,
        *,
        bold: bool = False,
        soft: bool = False,
        anchor: str = "start",
    ) -> float:
        """Lines of text, the top of the first at `y`; where the next may begin."""
        colour = self.colours.soft if soft else self.colours.ink
        weight = ' font-weight="700"' if bold else ""
        for place, line in enumerate(lines):
            at = y + size * (LINE * place + 1.0)
            self.drawn.append(
                f'<text x="{x:.1f}" y="{at:.1f}" font-size="{size:g}" fill="{colour}" text-anchor="{anchor}"{weight}>'
                f"{inert(line)}</text>"
            )
        return y + size * LINE * len(lines)

    def upright(self, x: float, y: float, words: str, size: float) -> None:
        """One bold line from below to above, its middle at (x, y)."""
        self.drawn.append(
            f'<text transform="translate({x:.1f} {y:.1f}) rotate(-90)" font-size="{size:g}" font-weight="700" '
            f'fill="{self.colours.ink}" text-anchor="middle">{inert(words)}</text>'
        )

    def box(self, x: float, y: float, width: float, height: float, *, filled: bool = False) -> None:
        """A frame with round corners."""
        ground = self.colours.wash if filled else "none"
        self.drawn.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4" fill="{ground}" '
            f'stroke="{self.colours.ink}" stroke-width="1.2"/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, *, width: float = 1.2, faint: bool = False) -> None:
        """A straight line."""
        opacity = ' stroke-opacity="0.3"' if faint else ""
        self.drawn.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{self.colours.ink}" '
            f'stroke-width="{width:g}"{opacity}/>'
        )

    def arrow(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """A line, level or upright, with a head at its end."""
        self.line(x1, y1, x2, y2)
        self.head(x2, y2, (x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1))

    def head(self, x: float, y: float, dx: int, dy: int, size: float = 7.0) -> None:
        """The head of an arrow that points to (x, y)."""
        back_x, back_y = x - dx * size, y - dy * size
        side_x, side_y = dy * size / 2, dx * size / 2
        self.shape((x, y), (back_x + side_x, back_y + side_y), (back_x - side_x, back_y - side_y))

    def shape(self, *points: tuple[float, float]) -> None:
        """A filled polygon."""
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.drawn.append(f'<polygon points="{places}" fill="{self.colours.ink}"/>')

    def svg(self, height: float, title: str, description: str) -> str:
        """The picture; a page reads `title` and `description` to those who do not see it."""
        tall = int(height + 0.999)
        ground = f'<rect width="{self.width}" height="{tall}" fill="{self.colours.page}"/>' if self.colours.page else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {tall}" width="{self.width}" '
            f'height="{tall}" role="img" font-family="{_FONT}">'
            f"<title>{inert(title[:_MOST_TITLE])}</title><desc>{inert(description[:_MOST_WORDS])}</desc>"
            f"{ground}{''.join(self.drawn)}</svg>"
        )
