def adaptive_simpson_grad(a, b, sharpness):
    """Gradient of adaptive_simpson with respect to a, b and sharpness."""
    _, residuals = adaptive_forward(a, b, 1e-05, 0, sharpness)
    # return adaptive(lambda t: math.exp(-sharpness * (t - 1.0) ** 2), a, b, 1e-5)
    a_bar, b_bar, sharpness_bar = adaptive_reverse(residuals, 1.0)
    return a_bar, b_bar, sharpness_bar


def adaptive_forward(a, b, tolerance, depth, sharpness):
    """Value and residuals of adaptive."""
    residuals = None
    residuals_2 = None
    middle = 0.5 * (a + b)
    quotient = (b - a) / 6.0
    negated = -sharpness
    difference = a - 1.0
    exp = math.exp(negated * difference**2)
    lambda_t = 0.5 * (a + b)
    difference_2 = lambda_t - 1.0
    exp_2 = math.exp(-sharpness * difference_2**2)
    difference_3 = b - 1.0
    exp_3 = math.exp(-sharpness * difference_3**2)
    total = exp + 4.0 * exp_2 + exp_3
    whole = quotient * total
    quotient_2 = (middle - a) / 6.0
    lambda_t = 0.5 * (a + middle)
    difference_4 = lambda_t - 1.0
    exp_4 = math.exp(-sharpness * difference_4**2)
    total_2 = exp + 4.0 * exp_4 + exp_2
    left = quotient_2 * total_2
    quotient_3 = (b - middle) / 6.0
    lambda_t = 0.5 * (middle + b)
    difference_5 = lambda_t - 1.0
    exp_5 = math.exp(-sharpness * difference_5**2)
    total_3 = exp_2 + 4.0 * exp_5 + exp_3
    right = quotient_3 * total_3
    condition = depth >= 10 or abs(left + right - whole) < 15.0 * tolerance
    if condition:
        result = left + right + (left + right - whole) / 15.0
    else:
        adaptive, residuals = adaptive_forward(
            a, middle, tolerance / 2.0, depth + 1, sharpness
        )
        adaptive_2, residuals_2 = adaptive_forward(
            middle, b, tolerance / 2.0, depth + 1, sharpness
        )
        result = adaptive + adaptive_2
    return (
        result,
        (
            condition,
            difference,
            difference_2,
            difference_3,
            difference_4,
            difference_5,
            exp,
            exp_2,
            exp_3,
            exp_4,
            exp_5,
            negated,
            quotient,
            quotient_2,
            quotient_3,
            residuals,
            residuals_2,
            total,
            total_2,
            total_3,
        ),
    )


def adaptive_reverse(residuals, gradient):
    """Pullback of adaptive."""
    (
        condition,
        difference,
        difference_2,
        difference_3,
        difference_4,
        difference_5,
        exp,
        exp_2,
        exp_3,
        exp_4,
        exp_5,
        negated,
        quotient,
        quotient_2,
        quotient_3,
        residuals,
        residuals_2,
        total,
        total_2,
        total_3,
    ) = residuals
    if condition:
        # return left + right + (left + right - whole) / 15.0
        difference_bar = 0.06666666666666667 * gradient
        whole_bar = -difference_bar
        left_bar = difference_bar
        right_bar = difference_bar
        left_bar += gradient
        right_bar += gradient
        # if depth >= 10 or abs(left + right - whole) < 15.0 * tolerance:
        a_bar = 0.0
        sharpness_bar = 0.0
        b_bar = 0.0
        middle_bar = 0.0
    else:
        # return adaptive(f, a, middle, tolerance / 2.0, depth + 1) + adaptive(f, mid...
        middle_bar, b_bar, sharpness_bar = adaptive_reverse(residuals_2, gradient)
        a_bar, part, part_2 = adaptive_reverse(residuals, gradient)
        middle_bar += part
        sharpness_bar += part_2
        # if depth >= 10 or abs(left + right - whole) < 15.0 * tolerance:
        right_bar = 0.0
        left_bar = 0.0
        whole_bar = 0.0
    # left, right = simpson(f, a, middle), simpson(f, middle, b)
    total_bar = right_bar * quotient_3
    # lambda t: math.exp(-sharpness * (t - 1.0) ** 2)
    product_bar = 4.0 * total_bar * exp_5
    sharpness_bar -= product_bar * difference_5**2
    # return (b - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + b)) + f(b))
    total_bar_2 = product_bar * negated * difference_5
    middle_bar += total_bar_2
    b_bar += total_bar_2
    difference_bar = 0.16666666666666666 * right_bar * total_3
    b_bar += difference_bar
    middle_bar -= difference_bar
    # left, right = simpson(f, a, middle), simpson(f, middle, b)
    total_bar_2 = left_bar * quotient_2
    # lambda t: math.exp(-sharpness * (t - 1.0) ** 2)
    product_bar = 4.0 * total_bar_2 * exp_4
    sharpness_bar -= product_bar * difference_4**2
    # return (b - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + b)) + f(b))
    total_bar_3 = product_bar * negated * difference_4
    a_bar += total_bar_3
    middle_bar += total_bar_3
    difference_bar = 0.16666666666666666 * left_bar * total_2
    middle_bar += difference_bar
    a_bar -= difference_bar
    total_bar_3 = whole_bar * quotient
    # lambda t: math.exp(-sharpness * (t - 1.0) ** 2)
    product_bar = (total_bar + total_bar_3) * exp_3
    b_bar += 2 * product_bar * negated * difference_3
    sharpness_bar -= product_bar * difference_3**2
    product_bar = (total_bar + total_bar_2 + 4.0 * total_bar_3) * exp_2
    sharpness_bar -= product_bar * difference_2**2
    # return (b - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + b)) + f(b))
    total_bar = product_bar * negated * difference_2
    a_bar += total_bar
    b_bar += total_bar
    # lambda t: math.exp(-sharpness * (t - 1.0) ** 2)
    product_bar = (total_bar_2 + total_bar_3) * exp
    a_bar += 2 * product_bar * negated * difference
    sharpness_bar -= product_bar * difference**2
    # return (b - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + b)) + f(b))
    difference_bar = 0.16666666666666666 * whole_bar * total
    b_bar += difference_bar
    a_bar -= difference_bar
    # middle = 0.5 * (a + b)
    total_bar = 0.5 * middle_bar
    a_bar += total_bar
    b_bar += total_bar
    return a_bar, b_bar, sharpness_bar
