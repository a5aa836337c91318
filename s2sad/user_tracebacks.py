"""What of an exception is the user's: shown where it leaves s2sad.

A refusal shows the user's call and the problem, and none of the frames of s2sad. An
exception that the program of a derivative raises gets a note with the user's line.

The functions that users call end with ::

    except Exception as error:
        for_user(error)
        raise

A bare ``raise`` adds no entry to the traceback, so that the frame of the function
itself is gone, too.
"""

import contextlib
import functools
import os
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TypeVar, cast

from s2sad.errors import S2sadError, VerificationError, one_line

_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
_READ_ONLY = {
    f"{what} is read-only" for what in ("assignment destination", "output array")
}
_OF_MODULE = """
an array of the module or class was put there, and a derivative changes none; instead: \
put a copy there"""
Function = TypeVar("Function", bound=Callable[..., object])


def border(function: Function) -> Function:
    """A function that users call, whose exceptions are shown as theirs."""

    @functools.wraps(function)
    def called(*arguments: object, **keywords: object) -> object:
        try:
            return function(*arguments, **keywords)
        except Exception as error:
            for_user(error)
            raise

    return cast(Function, called)


def for_user(error: Exception) -> None:
    """Take the frames of s2sad out of a refusal; give other exceptions a note that says
    which line of the user's the program of a derivative came from.

    ``S2SAD_TRACEBACK=1`` leaves all frames in place.
    """
    if isinstance(error, VerificationError):
        return
    entries = list(_entries(error.__traceback__))
    if not isinstance(error, S2sadError) and not _is_of_binding(error, entries):
        _add_note(error, entries)
        return
    if os.environ.get("S2SAD_TRACEBACK"):
        return
    error.__traceback__ = _without_own(entries)
    context = error.__context__
    if context is not None and error.__cause__ is None and _is_own(context):
        error.__suppress_context__ = True


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _without_own(entries: list[TracebackType]) -> TracebackType | None:
    """A traceback of these entries, less those of s2sad."""
    others: list[TracebackType] = []
    own = False
    for entry in entries:
        filename = entry.tb_frame.f_code.co_filename
        # What decorates a function of s2sad stands between two of its frames.
        own = filename.startswith(_OWN) or (own and filename == contextlib.__file__)
        others += [] if own else [entry]
    for entry, following in zip(others, [*others[1:], None]):
        entry.tb_next = following
    return others[0] if others else None


def _is_own(error: BaseException) -> bool:
    """True for an exception that s2sad raised and handled itself."""
    entries = list(_entries(error.__traceback__))
    return bool(entries) and entries[0].tb_frame.f_code.co_filename.startswith(_OWN)


def _is_of_binding(error: Exception, entries: list[TracebackType]) -> bool:
    """True for Python's own error of a call with other arguments than there are
    parameters, which ``Target.bind`` raises."""
    code = entries[-1].tb_frame.f_code
    own = code.co_filename.startswith(_OWN)
    return type(error) is TypeError and own and code.co_name == "bind"


def _add_note(error: Exception, entries: list[TracebackType]) -> None:
    from s2sad.codegen.places import place_of

    for position, entry in reversed(list(enumerate(entries))):
        code = entry.tb_frame.f_code
        span = place_of(code.co_filename, entry.tb_lineno)
        if span is not None:
            place = f"{one_line(span.filename)}:{span.line}"
            note = f"while {code.co_name} ran, for {place}: {span.statement}"
            note = note.removesuffix(": ")
            if str(error) in _READ_ONLY:
                note += _OF_MODULE
            if note not in getattr(error, "__notes__", ()):
                error.add_note(note)
            if not os.environ.get("S2SAD_TRACEBACK"):
                before = _without_own(entries[:position])
                error.__traceback__ = _joined(before, entry)
            return


def _joined(before: TracebackType | None, entry: TracebackType) -> TracebackType:
    """The entries of one traceback, then those of another."""
    if before is None:
        return entry
    *_, last = _entries(before)
    last.tb_next = entry
    return before
