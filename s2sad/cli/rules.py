"""``s2sad rules``: the functions of NumPy and SciPy that have derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from s2sad.coverage import Entry


@click.command(
    "rules",
    short_help="List the functions of NumPy and SciPy that have derivatives.",
    epilog="""\b
Examples:
  s2sad rules numpy.linalg
  s2sad rules "scipy.special.*gamma*"
  s2sad rules --lacking scipy.signal""",
)
@click.argument("pattern", default="*", metavar="[PATTERN]")
@click.option("--lacking", is_flag=True, help="Only those that lack a rule.")
@click.option("--markdown", is_flag=True, help="All of them, as docs/coverage.md.")
def command(pattern: str, lacking: bool, markdown: bool) -> None:
    """List the public names of NumPy and SciPy that PATTERN is part of, or matches, and
    say whether a derivative flows through them.

    SciPy's are listed where it is installed.
    """
    from s2sad.coverage import entries, page

    if markdown:
        click.echo(page(), nl=False)
        return
    found = entries(pattern)
    if not found:
        raise click.UsageError(f"no public name of NumPy and SciPy matches {pattern!r}")
    if lacking:
        found = tuple(e for e in found if e.status == "lacks")
    width = max((len(e.qualified_name) for e in found), default=0)
    for entry in found:
        click.echo(f"{entry.qualified_name:{width}}  {_told(entry)}")
    have = sum(e.status == "derivative" for e in found)
    lack = sum(e.status == "lacks" for e in found)
    click.echo(f"{len(found)} names: {have} have derivatives, {lack} lack a rule")


def _told(entry: Entry) -> str:
    if entry.status == "derivative":
        parts = ["derivative"]
        if entry.by:
            parts.append(f"by {', '.join(entry.by)}")
        if entry.refused:
            parts.append(f"but not by {', '.join(entry.refused)}")
        methods = [m for m in entry.methods if m[0] != "_"]
        if methods:
            parts.append(f"of {', '.join(methods)}")
        return " ".join(parts) + (", also complex" if entry.complex else "")
    if entry.status == "zero":
        return "derivative zero"
    return "lacks a rule" if entry.status == "lacks" else f"none ({entry.reason})"
