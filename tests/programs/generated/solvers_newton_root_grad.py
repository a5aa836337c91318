def newton_root_grad(a):
    """Gradient of newton_root with respect to a."""
    returned = False
    x = a
    kept = []
    for _ in range(50):
        value = x**3 - a * x - 1.0
        slope = 3.0 * x**2 - a
        step = value / slope
        kept.append((slope, step, x))
        x -= step
        if abs(step) < TOLERANCE:
            returned = True
            break
    if not returned:
        raise RuntimeError("no convergence")
    # for _ in range(50):
    a_bar = 0.0
    result_bar = 1.0
    x_bar = 0.0
    for slope, step, x in reversed(kept):
        if returned:
            # return x
            returned = False
            x_bar += result_bar
            # if abs(step) < TOLERANCE:
            result_bar = 0.0
        # step = value / slope
        value_bar = -x_bar / slope
        slope_bar = -value_bar * step
        # slope = 3.0 * x**2 - a
        a_bar -= slope_bar
        x_bar += 6.0 * slope_bar * x
        # value = x**3 - a * x - 1.0
        a_bar -= value_bar * x
        x_bar -= value_bar * a
        x_bar += 3 * value_bar * x * x
    # x = a
    a_bar += x_bar
    return (a_bar,)
