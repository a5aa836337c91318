"""``s2sad rules``."""

import pytest


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "pattern, line",
    [
        ("numpy.linalg.solve", "numpy.linalg.solve  derivative by a, b, also complex"),
        ("scipy.special.gammainc", "derivative by x but not by a"),
        ("numpy.floor", "derivative zero"),
        ("numpy.savez", "none (files and text)"),
        ("numpy.float*", "numpy.float32"),
        ("scipy.stats.cauchy", "derivative of cdf, isf, logcdf"),
    ],
)
def test_lists_what_matches(s2sad, pattern, line):
    result = s2sad("rules", pattern)
    assert result.exit_code == 0
    assert line in result.stdout


def test_counts(s2sad):
    last = s2sad("rules", "numpy").stdout.splitlines()[-1]
    names, have, lack = (int(w) for w in last.split() if w.isdigit())
    assert names > have > 200 and lack < 100
    lacking = s2sad("rules", "--lacking", "numpy").stdout.splitlines()
    assert len(lacking) == lack + 1
    assert all(line.endswith("  lacks a rule") for line in lacking[:-1])


def test_the_page(s2sad):
    result = s2sad("rules", "--markdown")
    assert result.exit_code == 0
    assert result.stdout.startswith("# What has derivatives\n")


def test_a_pattern_that_nothing_matches(refused):
    assert "no public name of NumPy and SciPy matches 'nothing.'" in refused(
        "rules", "nothing."
    )
