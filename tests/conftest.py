"""Options and settings of the whole suite, and the two steps it is run in."""

from __future__ import annotations

import os
import zlib
from collections import defaultdict

import hypothesis
import pytest

from tests.fuzz import checking
from tests.support.kept_calls import keep_all_calls
from tests.support.kept_structures import keep_all_structures
from tests.support.reach import reaches

# Every program is checked after every pass; see s2sad/analysis/passes/verify.py.
os.environ["S2SAD_VERIFY"] = "1"

# Neither the machine's speed nor chance decides whether a property holds.
hypothesis.settings.register_profile(
    "suite",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("suite")


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite tests/golden/generated and the outputs shown in docs",
    )
    parser.addoption(
        "--second-step",
        action="store_true",
        help="run what make test leaves out: tests marked as long, and the other forms "
        "of the derivatives that it compares some of",
    )
    parser.addoption(
        "--keep-calls",
        action="store_true",
        help="write no call of a user's function out: each is a pair of its own",
    )
    parser.addoption(
        "--keep-structures",
        action="store_true",
        help="take no list, dict or object of an argument apart that can be kept as it "
        "is, and unroll no loop over items that are alike",
    )


def pytest_configure(config):
    if config.getoption("--keep-calls"):
        keep_all_calls()
    if config.getoption("--keep-structures"):
        keep_all_structures()


def pytest_runtest_setup(item):
    step = 2 if item.config.getoption("--second-step") else 1
    # what is left out of the first step compares everything in the second
    checking.step_of_the_suite = 0 if item.get_closest_marker("long") else step


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """With --keep-calls tests of how calls are written out are skipped, and with
    --keep-structures those of what is taken apart. Of a walk of which one case in n is
    sampled, the others are long. The second step has the long tests, and those that
    compare derivatives in other forms there; of walks it has one case in ``of_long``,
    by default in two, and all with S2SAD_ALL_RULES=1."""
    if config.getoption("--keep-calls"):
        for item in items:
            if item.get_closest_marker("written_out"):
                item.add_marker(pytest.mark.skip("of calls that are written out"))
    if config.getoption("--keep-structures"):
        for item in items:
            if item.get_closest_marker("taken_apart"):
                item.add_marker(pytest.mark.skip("of what is taken apart"))
    walks = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled"):
            walks[item.nodeid.partition("[")[0]].append(item)
    left_out = set()
    for walk, cases in walks.items():
        # else the workers wouldn't agree on what is sampled
        if any(" at 0x" in item.nodeid for item in cases):
            raise pytest.UsageError(f"{walk}: an address in the name of a case")
        cases.sort(key=lambda item: zlib.crc32(item.nodeid.encode()))
        for place, item in enumerate(cases):
            marker = item.get_closest_marker("sampled")
            if place % marker.args[0]:
                item.add_marker("long")
                if place % marker.kwargs.get("of_long", 2):
                    left_out.add(item)
    if left_out and os.environ.get("S2SAD_ALL_RULES") != "1":
        config.hook.pytest_deselected(items=[i for i in items if i in left_out])
        items[:] = [item for item in items if item not in left_out]
    if not config.getoption("--second-step"):
        return
    kept = [
        item
        for item in items
        if item.get_closest_marker("long")
        or reaches(getattr(item, "function", None), checking.check)
    ]
    left = set(items) - set(kept)
    config.hook.pytest_deselected(items=[i for i in items if i in left])
    items[:] = kept


class FailuresAtOnce:
    """Prints what failed as soon as it is known, beside the dots of others."""

    def __init__(self, terminal) -> None:
        self.terminal = terminal

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.terminal.write_line("")
            self.terminal.write_sep("_", f"{report.nodeid} ({report.when})", red=True)
            self.terminal.write_line(report.longreprtext)

    def pytest_collectreport(self, report):
        if report.failed:
            self.terminal.write_line("")
            self.terminal.write_line(report.longreprtext)


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session):
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:  # not in the processes that run the tests
        session.config.pluginmanager.register(FailuresAtOnce(terminal))
