"""Options and settings of the whole suite."""

from __future__ import annotations

import os

# Every program is checked after every pass; see s2sad/ir/verify.py.
os.environ["S2SAD_VERIFY"] = "1"


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite tests/golden/generated and the outputs shown in docs",
    )
