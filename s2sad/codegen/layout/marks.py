"""Marks among the parts of a logical line: where it may be broken, and how."""

WIDTH = 88
INDENT = 4


class Mark(str):
    """A place in a logical line, equal to itself alone; its text is that unbroken."""

    __slots__ = ()
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__


LINE = Mark(" ")  # a place to break at
CONTINUE = Mark(" ")  # a place to break at by a backslash, where brackets can't be
OPEN = Mark("")  # brackets follow: break after the opening and before the closing one
ARGUMENTS = Mark("")  # the same; inside, all on one line or one a line
INDEX = Mark("")  # as ARGUMENTS, in a subscript
ITEMS = Mark("")  # brackets with one item a line
PARAMETERS = Mark("")  # as ARGUMENTS, with a last comma always
CHAIN = Mark("")  # operands and operators: break before each operator
OPTIONAL = Mark("")  # an expression that may be given parentheses
ENCLOSED = Mark("")  # the same, parentheses before breaking inside
SEQUENCE = Mark("")  # bare items: in parentheses and one a line if too long
VALUE = Mark("")  # in brackets after a name: in parentheses if else too long
SLICE = Mark("")  # break before each colon if else too long
JOINT = Mark("")  # a place to break at, without a blank
POWER = Mark("**")  # the operator without blanks, and a place to break before it
END = Mark("")  # the end of each of the above

PLACES = (LINE, JOINT, POWER, CONTINUE)
BRACKETS = (OPEN, ARGUMENTS, INDEX, ITEMS, PARAMETERS)
