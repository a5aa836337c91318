"""Garbage while a program is compiled, and while a gradient is made of many objects.

Python searches for cycles each time that some hundreds of objects more are alive. A
program being compiled is many objects without cycles that stay alive, and so are the
adjoints of objects: these searches would take up to half of the time.
"""

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

OBJECTS = 20_000
"""After how many new objects there is a search meanwhile."""
_lock = threading.Lock()
_before: list[tuple[int, int, int]] = []
"""The user's thresholds, once for each compilation under way."""


@contextmanager
def rare_searches() -> Iterator[None]:
    """Let Python search for cycles less often; then as before. Where the user has
    switched the searches off or made them rarer, they stay so.

    >>> before = gc.get_threshold()
    >>> with rare_searches(), rare_searches():
    ...     print(gc.get_threshold()[0])
    20000
    >>> gc.get_threshold() == before
    True
    """
    with _lock:
        now = gc.get_threshold()
        _before.append(_before[0] if _before else now)
        if 0 < now[0] < OBJECTS:
            gc.set_threshold(OBJECTS, *now[1:])
    try:
        yield
    finally:
        with _lock:
            known = _before.pop()
            if not _before and gc.get_threshold()[0] == OBJECTS:
                gc.set_threshold(*known)


def searching_rarely(run: Callable[..., Any]) -> Callable[..., Any]:
    """A function that lets Python search less often while it runs. It waits for no
    other thread: who made the searches rarer brings them back.

    >>> before = gc.get_threshold()
    >>> searching_rarely(gc.get_threshold)()[0]
    20000
    >>> gc.get_threshold() == before
    True
    """

    @wraps(run)
    def quietly(*values: Any) -> Any:
        before = gc.get_threshold()
        if not 0 < before[0] < OBJECTS:
            return run(*values)
        gc.set_threshold(OBJECTS, *before[1:])
        try:
            return run(*values)
        finally:
            if gc.get_threshold()[0] == OBJECTS:
                gc.set_threshold(*before)

    return quietly
