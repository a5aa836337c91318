"""What operations do: the records of NumPy's functions, and of those of this room."""

import builtins
import operator

import numpy as np

from s2sad.ops import buffers, inner_lists, lists, rows, selections
from s2sad.ops.numerics import matrices
from s2sad.ops.records import Does, record
from s2sad.ops.runtime import broadcasting, sequences
from s2sad.ops.runtime import rows as rows_of_numbers

# ------------------------------------------------------------------ arrays rearranged

record(np, "transpose", Does.REARRANGES)
record(np, "rot90", Does.REARRANGES, "axes")
record(np, "swapaxes", Does.REARRANGES, "axis1", "axis2", own_inverse=True)
record(np, "moveaxis", Does.REARRANGES, "source", "destination")
record(np, "matrix_transpose fliplr flipud", Does.REARRANGES, own_inverse=True)
record(np, "flip", Does.REARRANGES, "axis", own_inverse=True)
record(np, "expand_dims squeeze", Does.REARRANGES, "axis")
record(np, "atleast_1d atleast_2d", Does.REARRANGES)

# ------------------------------------------------------------------ elements moved

record(
    np,
    """array asanyarray asarray ascontiguousarray array_split broadcast_to column_stack
    concatenate diag full full_like hstack meshgrid pad ravel repeat reshape resize roll
    split stack take take_along_axis tile tril triu vstack""",
    Does.MOVES,
)
record(np, "diagonal", Does.MOVES, "axis1", "axis2")
record(np, "where", Does.MOVES | Does.ELEMENTWISE)
record(np.ndarray, "flatten", Does.MOVES)
record(np.lib.stride_tricks, "sliding_window_view", Does.MOVES)
record(operator, "getitem", Does.MOVES)
record(
    buffers,
    "stored index_set overwritten_part broadcast_like full_like_of",
    Does.MOVES,
)
record(
    broadcasting,
    """broadcast_along_items broadcast_each_to_shape_of broadcast_to_shape_of reshape_as
    restore_reduced_axes""",
    Does.MOVES,
)
record(
    sequences,
    """part_along_axis split_like unstack nested_like zero_row_inserted stacked_tangents
    zero_row_in_each without_row_in_each unless_empty""",
    Does.MOVES,
)
record(rows_of_numbers, "repeated_rows stacked_rows rows_apart", Does.MOVES)
record(rows, "rows_of own_rows in_lists with_row with_zero_row without_row", Does.MOVES)
record(
    lists,
    """tuple_of list_of appended with_inserted_item without_item with_item_stored
    zero_inserted zero_appended without_place tuple_with joined_tuples joined_lists
    repeated without_last as_list as_tuple shaped_as_items""",
    Does.MOVES,
)
record(
    inner_lists,
    """item_within with_item_stored_within appended_within without_item_within
    with_zero_element with_shorter_row with_longer_row""",
    Does.MOVES,
)
record(selections, "gathered", Does.MOVES)

# ------------------------------------------------------------------ element by element

record(builtins, "abs", Does.ELEMENTWISE)
record(operator, "lt le gt ge eq ne and_ or_ invert floordiv", Does.ELEMENTWISE)
record(
    np,
    """absolute ceil clip conjugate equal floor floor_divide fmax fmin greater
    greater_equal heaviside imag isfinite isinf isnan less less_equal logical_and
    logical_not logical_or logical_xor maximum minimum not_equal real rint sign
    trunc""",
    Does.ELEMENTWISE,
)
record(np, "astype copy nan_to_num", Does.ELEMENTWISE)
record(np.ndarray, "astype copy", Does.ELEMENTWISE)
record(broadcasting, "as_dtype_of", Does.ELEMENTWISE)
record(matrices, "lower_with_half_diagonal", Does.ELEMENTWISE)
record(buffers, "own_copy shared_result", Does.ELEMENTWISE)

# ------------------------------------------------------------------ along axes

record(
    np,
    """all amax amin any count_nonzero max mean median min prod ptp std sum var""",
    Does.REDUCES,
    "axis",
)
record(np, "cumprod cumsum partition sort", Does.RUNS, "axis")
