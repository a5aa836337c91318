def newton_sqrt_grad(a):
    """Gradient of newton_sqrt with respect to a."""
    estimate = a
    estimate_saved = []
    quotient_saved = []
    while abs(estimate * estimate - a) > 1e-12 * a:
        quotient = a / estimate
        estimate_saved.append(estimate)
        estimate = 0.5 * (estimate + quotient)
        quotient_saved.append(quotient)
    # while abs(estimate * estimate - a) > 1e-12 * a:
    a_bar = 0.0
    estimate_bar = 1.0
    for estimate, quotient in zip(reversed(estimate_saved), reversed(quotient_saved)):
        # estimate = 0.5 * (estimate + a / estimate)
        estimate_bar = 0.5 * estimate_bar
        product = estimate_bar / estimate
        a_bar += product
        estimate_bar -= product * quotient
    # estimate = a
    a_bar += estimate_bar
    return a_bar
