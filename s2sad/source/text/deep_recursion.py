"""Room for functions that are nested deeply.

Syntax trees and programs are walked recursively, and Python ends that at a thousand
calls: 99 ``elif`` are as many branches in one another, a sum of 1,000 terms as many
operators. Where the room isn't enough, the work is done again in a thread with a larger
stack, and a limit for it.
"""

import contextvars
import functools
import sys
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

from s2sad.errors import SourceError

P = ParamSpec("P")
R = TypeVar("R")
_STACK = 512 * 2**20
"""Bytes of stack, which the system gives as they are used."""
_LIMIT = 50_000
"""Calls in one another: at most some ten KiB of stack each."""
_has_room: ContextVar[bool] = ContextVar("_has_room", default=False)
"""Set inside: work that goes on elsewhere can't wait for locks that are held here."""
_raised = threading.Lock()
_users = 0
_usual = 0


def with_room(work: Callable[P, R]) -> Callable[P, R]:
    """``work``, which is run again with more room where it recursed too deeply. It must
    be able to run twice."""

    @functools.wraps(work)
    def run(*args: P.args, **words: P.kwargs) -> R:
        if _has_room.get():
            return work(*args, **words)
        token = _has_room.set(True)
        try:
            return work(*args, **words)
        except RecursionError:
            pass
        finally:
            _has_room.reset(token)
        return _in_thread(lambda: work(*args, **words))

    return run


def _in_thread(work: Callable[[], R]) -> R:
    """What a function gives, or raises, that runs in a thread of its own."""
    found: list[R] = []
    raised: list[BaseException] = []
    context = contextvars.copy_context()
    context.run(_has_room.set, True)

    def run() -> None:
        try:
            found.append(context.run(work))
        except BaseException as error:
            raised.append(error)

    previous = threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=run, name="s2sad, with a larger stack")
        _raise_limit()
        thread.start()
    finally:
        threading.stack_size(previous)
    try:
        thread.join()
    finally:
        _lower_limit()
    if raised and isinstance(raised[0], RecursionError):
        raise SourceError(
            "a function is nested more deeply than can be compiled; part it into "
            "several statements"
        ) from None
    if raised:
        raise raised[0]
    return found[0]


def _raise_limit() -> None:
    """The limit is one for all threads: the last one that is done restores it."""
    global _users, _usual
    with _raised:
        if _users == 0:
            _usual = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_usual, _LIMIT))
        _users += 1


def _lower_limit() -> None:
    global _users
    with _raised:
        _users -= 1
        if _users == 0:
            sys.setrecursionlimit(_usual)
