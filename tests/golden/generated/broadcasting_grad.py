def broadcasting_grad(column, row, offset, level):
    """Gradient of broadcasting with respect to column, row, offset and level."""
    tanh = np.tanh(column * row + offset)
    surface = tanh - level
    # return np.mean(surface**2)
    surface_bar = 2.0 / surface.size * surface
    # surface = np.tanh(column * row + offset) - level
    level_bar = -np.sum(surface_bar)
    total_bar = surface_bar * (1.0 - tanh * tanh)
    offset_bar = np.sum(total_bar, axis=0)
    column_bar = total_bar @ row.T
    row_bar = column.T @ total_bar
    return column_bar, row_bar, offset_bar, level_bar
