"""The truth of values, where it is known at compile time."""

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.source.annotations.annotation_nodes import holds_name


def static_truth(value: core.Value) -> bool | None:
    """The truth value where it is known at compile time, else None."""
    if isinstance(value, core.Cell) and value.frame.place is None:
        content = value.frame.names.get(value.frame.title)
        if content is not None:
            return static_truth(content)
    if core.is_object(value) or core.is_cell_of_object(value):
        cls = value.constructor  # type: ignore[union-attr]
        if not isinstance(cls, type):
            return None
        own = hasattr(cls, "__bool__") or hasattr(cls, "__len__")
        return None if own else True
    if isinstance(value, core.FUNCTIONS):
        return True
    if isinstance(value, core.Choice):
        truths = {static_truth(option) for _, option in value.options}
        return truths.pop() if value.complete and len(truths) == 1 else None
    if isinstance(value, core.Aggregate):
        cls = value.constructor
        if core.list_in(value) is not None:
            return None
        if isinstance(cls, type) and issubclass(cls, tuple | list | dict):
            base = next(b for b in (tuple, list, dict) if issubclass(cls, b))
            if hasattr(cls, "__bool__") or cls.__len__ is not base.__len__:
                return None  # a NamedTuple may say itself what it is
        return bool(value.items)
    if isinstance(value, core.Leaf):
        if isinstance(value.kind, ir.Reference):
            return True if _is_always_true(value.kind) else None
        if isinstance(value.kind, ir.Known):
            return bool(value.kind.value)
        if isinstance(value.kind, ir.List) and value.kind.item is None:
            return False  # nothing was ever put into it
        if isinstance(value.kind, ir.Scalar) and value.kind.value is not None:
            return bool(value.kind.value)
    return None


def _is_always_true(kind: ir.Reference) -> bool:
    """True for objects whose classes say nothing of their truth."""
    return not kind.may_be_none and not any(
        holds_name(form.constructor, name)
        for form in kind.forms
        for name in ("__bool__", "__len__")
    )
