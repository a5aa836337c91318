def newton_sqrt_grad(a):
    """Gradient of newton_sqrt with respect to a."""
    estimate = a
    iterations = 0
    estimate_saved = []
    quotient_saved = []
    while abs(estimate * estimate - a) > 1e-12 * a:
        quotient = a / estimate
        estimate_saved.append(estimate)
        estimate = 0.5 * (estimate + quotient)
        iterations += 1
        quotient_saved.append(quotient)
    # while abs(estimate * estimate - a) > 1e-12 * a:
    a_bar = 0.0
    estimate_bar = 1.0
    for _ in range(iterations):
        # estimate = 0.5 * (estimate + a / estimate)
        quotient = quotient_saved.pop()
        total_bar = 0.5 * estimate_bar
        estimate = estimate_saved.pop()
        estimate_bar = total_bar
        product = total_bar / estimate
        a_bar += product
        estimate_bar -= product * quotient
    # estimate = a
    a_bar += estimate_bar
    return a_bar
