"""Effects of the user's program that the emitted code keeps, as functions of the IR."""

from typing import Any, NoReturn

from s2sad import ir


def raise_assertion_error(*message: Any) -> NoReturn:
    """``raise AssertionError(message)``, the failing end of an assert statement."""
    raise AssertionError(*message)


def raise_exception(exception: Any, *args: Any, **keywords: Any) -> NoReturn:
    """``raise exception(*args)``, or ``raise exception`` where no argument follows."""
    raise exception(*args, **keywords) if args or keywords else exception


def raise_from(cause: Any, exception: Any, *args: Any, **keywords: Any) -> NoReturn:
    """``raise exception(*args) from cause``."""
    raise (exception(*args, **keywords) if args or keywords else exception) from cause


def raise_again() -> NoReturn:
    """``raise`` without an exception: the one that is being handled."""
    raise


def method_of_object(receiver: Any, *args: Any, **keywords: Any) -> Any:
    """``receiver.name(*args)`` of an object that nothing is known of; the operation's
    spelling has the name."""
    raise NotImplementedError


def attribute_of_object(receiver: Any) -> Any:
    """``receiver.name``, in the same way."""
    raise NotImplementedError


def evaluated(value: Any) -> None:
    """A value that nobody needs: computing it may raise."""


def is_read_alone(statement: ir.Statement) -> bool:
    """True for the effect of a value that nobody needs."""
    return isinstance(statement, ir.Effect) and statement.value.function is evaluated


RAISING = (raise_assertion_error, raise_exception, raise_from, raise_again)


def never_returns(statement: ir.Statement) -> bool:
    """True for a statement after which nothing is run: one that always raises."""
    return isinstance(statement, ir.Effect) and statement.value.function in RAISING


def ends_raising(block: ir.Block) -> bool:
    """True where control never reaches the end of a block."""
    for s in block:
        if never_returns(s):
            return True
        if isinstance(s, ir.If) and ends_raising(s.body) and ends_raising(s.orelse):
            return True
    return False


def format_string(*parts: Any) -> str:
    """An f-string: its literal and formatted parts joined."""
    return "".join(parts)


def format_value(value: Any, conversion: str, specification: str) -> str:
    """One ``{value!r:spec}`` of an f-string."""
    if conversion:
        convert: Any = {"r": repr, "s": str, "a": ascii}[conversion]
        value = convert(value)
    return format(value, specification)
