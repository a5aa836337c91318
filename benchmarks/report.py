"""Tables of results, for the terminal and for a Markdown file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable


@dataclass(frozen=True)
class Table:
    """Rows of text under headings; the first column is aligned left."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    summary: Sequence[Sequence[str]] = ()
    """Rows set off at the end."""
    notes: Sequence[str] = ()
    """Paragraphs below the table."""

    def show(self, console: Console) -> None:
        """Print the table."""
        table = RichTable(
            title=self.title,
            title_justify="left",
            box=box.SIMPLE_HEAD,
            pad_edge=False,
            show_header=any(self.columns),
        )
        for k, column in enumerate(self.columns):
            table.add_column(column, justify="right" if k else "left", no_wrap=not k)
        for rows, style in ((self.rows, ""), (self.summary, "bold")):
            for row in rows:
                table.add_row(*map(escape, row), style=style)
            table.add_section()
        console.print(table)
        for note in self.notes:
            console.print(note, markup=False, highlight=False, soft_wrap=True)
            console.print()

    def markdown(self) -> str:
        """The table in Markdown, under a heading."""
        rule = [":--"] + ["--:"] * (len(self.columns) - 1)
        summary = [[f"**{cell}**" if cell else "" for cell in r] for r in self.summary]
        lines = [_line(row) for row in (self.columns, rule, *self.rows, *summary)]
        blocks = [f"## {self.title}", "\n".join(lines), *self.notes]
        return "\n\n".join(blocks) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def duration(seconds: float) -> str:
    """Seconds with three digits in a unit that suits.

    >>> duration(0.0123), duration(4.2e-6), duration(1.5)
    ('12.3 ms', '4.20 µs', '1.50 s')
    """
    units = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
    unit = next((u for u, size in units.items() if abs(seconds) >= size), "ns")
    number = seconds / units[unit]
    digits = 2 if abs(number) < 10 else 1 if abs(number) < 100 else 0
    return f"{number:.{digits}f} {unit}"


def times(ratio: float) -> str:
    """A ratio with two decimals, or two digits where it is small.

    >>> times(1.234), times(0.0456), times(0.00123)
    ('1.23', '0.046', '0.0012')
    """
    decimals = 2 if ratio >= 0.1 or ratio <= 0 else 1 - math.floor(math.log10(ratio))
    return f"{ratio:.{min(decimals, 5)}f}"
