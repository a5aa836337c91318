def harvested_map_grad(growth, size, harvest, years):
    """Gradient of harvested_map with respect to growth, size and harvest."""
    returned = False
    condition_saved = []
    size_saved = []
    for _ in range(years):
        size_saved.append(size)
        size = growth * size * (1.0 - size) - harvest
        if size <= 0.0:
            returned = True
            break
        condition = size > 0.75
        if condition:
            extra = 0.3 * (size - 0.75)
            size -= extra
        condition_saved.append(condition)
    if returned:
        # for _ in range(years):
        size_bar = 0.0
        caught_bar = 0.0
        result_bar = 1.0
    else:
        # return caught + size
        caught_bar = 1.0
        size_bar = 1.0
        # for _ in range(years):
        result_bar = 0.0
    # for _ in range(years):
    growth_bar = 0.0
    harvest_bar = 0.0
    for size in reversed(size_saved):
        if returned:
            # return caught
            returned = False
            caught_bar += result_bar
            # if size <= 0.0:
            result_bar = 0.0
        else:
            # caught += harvest
            condition = condition_saved.pop()
            harvest_bar += caught_bar
            if condition:
                # size -= extra
                extra_bar = caught_bar - size_bar
                # extra = 0.3 * (size - 0.75)
                size_bar += 0.3 * extra_bar
        # return growth * size * (1.0 - size) - harvest
        harvest_bar -= size_bar
        product_bar = size_bar * (1.0 - size)
        growth_bar += product_bar * size
        size_bar = product_bar * growth - size_bar * growth * size
    return growth_bar, size_bar, harvest_bar
