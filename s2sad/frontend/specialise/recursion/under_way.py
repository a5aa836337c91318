"""Functions that are called while they are under way."""

from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.kept_objects import keep_objects, keep_one_of
from s2sad.frontend.specialise.recursion.forms import form_of
from s2sad.frontend.specialise.run_time import queries


class RecursionFound(Exception):
    """A function that is under way is called again with arguments of the same form."""

    def __init__(self, frame: core.Frame) -> None:
        super().__init__(frame.source.name)
        self.frame = frame


def note_recursion(
    spec: Specialiser, frame: core.Frame, bound: dict[str, core.Value]
) -> None:
    """Find out whether the same function is under way, called with the same functions
    and with arguments of the same form."""
    under_way = [
        other
        for other in spec.active
        if other.source.identity == frame.source.identity
        and other.parent is frame.parent
        and other.called_with == frame.called_with
    ]
    draft = _draft_of(frame, bound)
    given = {n: _of_whole(value) for n, value in bound.items() if value is not draft}
    try:
        frame.form = form_of(given)
    except core.Unsupported:
        if under_way:
            with spec.kept_if_refused(*bound.values()):
                raise
        return
    for other in under_way:
        if other.form == frame.form and draft is None:
            # that of a procedure has none, and is no call
            raise RecursionFound(next(o for o in under_way if o.form is not None))
        if other.form == frame.form and draft is not None:
            _let_call_itself(spec, draft)
    if len(under_way) > 2:
        forms: Any = frame.form
        known: Any = under_way[-1].form or ()
        unlike = [bound[name] for name, *form in forms if (name, *form) not in known]
        if all(isinstance(value, core.Cell) for value in unlike):
            keep_one_of(spec, unlike)  # it makes ever other lists, dicts or objects


def _of_whole(value: core.Value) -> core.Value:
    """A part of a tuple as the tuple, whichever part it is: the next one is another."""
    return value.sources[0] if isinstance(value, core.Part) else value


def _draft_of(frame: core.Frame, bound: dict[str, core.Value]) -> core.Value | None:
    """The object that ``__init__`` is called for; None for other functions."""
    if frame.source.name != "__init__":
        return None
    parameters = frame.source.node.args
    own, *_ = (*parameters.posonlyargs, *parameters.args, None)
    return None if own is None else bound.get(own.arg)


def _let_call_itself(spec: Specialiser, draft: core.Value) -> None:
    """Let it be known that ``__init__`` of a class makes others of the class."""
    kept = queries.kind_of(draft) if queries.is_reference(draft) else draft
    if not isinstance(kept, core.Cell | ir.Reference):
        return
    cls = queries.class_of_kept(kept.constructor)
    if cls in spec.facts.made_in_others:
        return
    spec.learn(replace(spec.facts, made_in_others=spec.facts.made_in_others | {cls}))
    keep_objects(spec, cls, surely=True)
    raise core.Learned
