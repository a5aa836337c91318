def adaptive_simpson_grad(a, b, sharpness):
    """Gradient of adaptive_simpson with respect to a, b and sharpness."""
    _, partials = adaptive_value_and_grad(a, b, 1e-05, 0, sharpness)
    # return adaptive(lambda t: math.exp(-sharpness * (t - 1.0) ** 2), a, b, 1e-5)
    by_a, by_b, by_sharpness = partials
    a_bar = by_a
    b_bar = by_b
    sharpness_bar = by_sharpness
    return a_bar, b_bar, sharpness_bar


def adaptive_value_and_grad(a, b, tolerance, depth, sharpness):
    """Value and gradient of adaptive."""
    middle = 0.5 * (a + b)
    quotient = (b - a) / 6.0
    difference = a - 1.0
    power = difference**2
    exp = math.exp(-sharpness * power)
    lambda_t = 0.5 * (a + b)
    difference_2 = lambda_t - 1.0
    power_2 = difference_2**2
    exp_2 = math.exp(-sharpness * power_2)
    difference_3 = b - 1.0
    power_3 = difference_3**2
    exp_3 = math.exp(-sharpness * power_3)
    total = exp + 4.0 * exp_2 + exp_3
    whole = quotient * total
    quotient_2 = (middle - a) / 6.0
    lambda_t = 0.5 * (a + middle)
    difference_4 = lambda_t - 1.0
    power_4 = difference_4**2
    exp_4 = math.exp(-sharpness * power_4)
    total_2 = exp + 4.0 * exp_4 + exp_2
    left = quotient_2 * total_2
    quotient_3 = (b - middle) / 6.0
    lambda_t = 0.5 * (middle + b)
    difference_5 = lambda_t - 1.0
    power_5 = difference_5**2
    exp_5 = math.exp(-sharpness * power_5)
    total_3 = exp_2 + 4.0 * exp_5 + exp_3
    right = quotient_3 * total_3
    if depth >= 10 or abs(left + right - whole) < 15.0 * tolerance:
        result = left + right + (left + right - whole) / 15.0
        # return left + right + (left + right - whole) / 15.0
        whole_bar = -0.06666666666666667
        left_bar = 1.0666666666666667
        right_bar = 1.0666666666666667
        # if depth >= 10 or abs(left + right - whole) < 15.0 * tolerance:
        a_bar = 0.0
        sharpness_bar = 0.0
        b_bar = 0.0
        middle_bar = 0.0
    else:
        adaptive, partials = adaptive_value_and_grad(
            a, middle, tolerance / 2.0, depth + 1, sharpness
        )
        adaptive_2, partials_2 = adaptive_value_and_grad(
            middle, b, tolerance / 2.0, depth + 1, sharpness
        )
        result = adaptive + adaptive_2
        # return adaptive(f, a, middle, tolerance / 2.0, depth + 1) + adaptive(f, mid...
        middle_bar, b_bar, sharpness_bar = partials_2
        a_bar, by_b, by_sharpness = partials
        middle_bar += by_b
        sharpness_bar += by_sharpness
        # if depth >= 10 or abs(left + right - whole) < 15.0 * tolerance:
        right_bar = 0.0
        left_bar = 0.0
        whole_bar = 0.0
    # left, right = simpson(f, a, middle), simpson(f, middle, b)
    total_bar = right_bar * quotient_3
    # lambda t: math.exp(-sharpness * (t - 1.0) ** 2)
    product_bar = 4.0 * total_bar * exp_5
    sharpness_bar -= product_bar * power_5
    # return (b - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + b)) + f(b))
    total_bar_2 = -product_bar * sharpness * difference_5
    middle_bar += total_bar_2
    b_bar += total_bar_2
    difference_bar = 0.16666666666666666 * right_bar * total_3
    b_bar += difference_bar
    middle_bar -= difference_bar
    # left, right = simpson(f, a, middle), simpson(f, middle, b)
    total_bar_2 = left_bar * quotient_2
    # lambda t: math.exp(-sharpness * (t - 1.0) ** 2)
    product_bar = 4.0 * total_bar_2 * exp_4
    sharpness_bar -= product_bar * power_4
    # return (b - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + b)) + f(b))
    total_bar_3 = -product_bar * sharpness * difference_4
    a_bar += total_bar_3
    middle_bar += total_bar_3
    difference_bar = 0.16666666666666666 * left_bar * total_2
    middle_bar += difference_bar
    a_bar -= difference_bar
    total_bar_3 = whole_bar * quotient
    # lambda t: math.exp(-sharpness * (t - 1.0) ** 2)
    product_bar = (total_bar + total_bar_3) * exp_3
    b_bar -= 2 * product_bar * sharpness * difference_3
    sharpness_bar -= product_bar * power_3
    product_bar = (total_bar + total_bar_2 + 4.0 * total_bar_3) * exp_2
    sharpness_bar -= product_bar * power_2
    # return (b - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + b)) + f(b))
    total_bar = -product_bar * sharpness * difference_2
    a_bar += total_bar
    b_bar += total_bar
    # lambda t: math.exp(-sharpness * (t - 1.0) ** 2)
    product_bar = (total_bar_2 + total_bar_3) * exp
    a_bar -= 2 * product_bar * sharpness * difference
    sharpness_bar -= product_bar * power
    # return (b - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + b)) + f(b))
    difference_bar = 0.16666666666666666 * whole_bar * total
    b_bar += difference_bar
    a_bar -= difference_bar
    # middle = 0.5 * (a + b)
    total_bar = 0.5 * middle_bar
    a_bar += total_bar
    b_bar += total_bar
    return result, (a_bar, b_bar, sharpness_bar)
