def branches_in_loop_grad(x, rate, n):
    """Gradient of branches_in_loop with respect to x and rate."""
    condition_saved = []
    exp_saved = []
    x_saved = []
    for i in range(n):
        condition = x > 1.0
        if condition:
            x_saved.append(x)
            x = x - rate * x**2
        else:
            exp = np.exp(-x)
            x_saved.append(x)
            x = x + rate * exp
            exp_saved.append(exp)
        condition_saved.append(condition)
    # for i in range(n):
    rate_bar = 0.0
    x_bar = 0.0
    for condition in reversed(condition_saved):
        # total += np.log(x)
        x_bar += quotient(1.0, x)
        if condition:
            # x = x - rate * x**2
            x = x_saved.pop()
            rate_bar -= x_bar * x * x
            x_bar -= 2 * x_bar * rate * x
        else:
            # x = x + rate * np.exp(-x)
            exp = exp_saved.pop()
            x = x_saved.pop()
            product = x_bar * exp
            rate_bar += product
            x_bar -= product * rate
    return x_bar, rate_bar
