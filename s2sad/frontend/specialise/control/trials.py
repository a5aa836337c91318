"""Running a part of the program on trial."""

from collections.abc import Callable
from typing import Any

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser


def attempt(spec: Specialiser, run: Callable[[], Any]) -> Any:
    """The result of ``run``; where it raises, nothing of it is left."""
    frames = spec.frames_at_stake()
    names = [frame.names for frame in frames]
    state = len(spec.problems), len(spec.module.reads), spec.consumed, spec.unreachable
    outer, spec.block = spec.block, []
    spec.slice_bounds = {}
    frame = spec.frame
    for one, held in zip(frames, names, strict=True):
        one.names = dict(held)
    try:
        result = run()
        outer += spec.block
        return result
    except core.NothingFollows:
        outer += spec.block
        raise
    except BaseException:
        for one, held in zip(frames, names, strict=True):
            one.names = held
        spec.frame = frame
        del spec.problems[state[0] :], spec.module.reads[state[1] :]
        spec.consumed, spec.unreachable = state[2:]
        raise
    finally:
        spec.block = outer
