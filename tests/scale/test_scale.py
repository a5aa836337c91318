from __future__ import annotations

import pytest

from s2sad.dispatch.cache import MEMORY
from tests.scale.checking import Checked
from tests.scale.program import SMALL
from tests.scale.table import TABLE


def check_at(program, sizes):
    MEMORY.clear()
    checked = Checked(program)
    checked.check(sizes[0])
    compiled = len(checked.compiled)
    for size in sizes[1:]:
        checked.check(size)
    assert len(checked.compiled) == compiled, "other sizes are compiled anew"
    assert len(checked.texts) <= 1, "other sizes have other texts"


@pytest.mark.sampled(6)
@pytest.mark.parametrize("program", TABLE, ids=lambda p: p.name)
def test_small(program):
    check_at(program, SMALL)


@pytest.mark.long
@pytest.mark.parametrize("program", TABLE, ids=lambda p: p.name)
def test_large(program):
    check_at(program, program.sizes)
