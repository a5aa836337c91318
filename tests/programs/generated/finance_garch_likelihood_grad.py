def garch_likelihood_grad(alpha, beta, returns):
    """Gradient of garch_likelihood with respect to alpha, beta and returns."""
    condition = alpha + beta >= 1.0
    variance_saved = []
    if not condition:
        longrun = np.mean(returns**2)
        difference = 1.0 - alpha - beta
        omega = longrun * difference
        variance = longrun
        for r in returns:
            variance_saved.append(variance)
            variance = omega + alpha * r**2 + beta * variance
    if condition:
        # if alpha + beta >= 1.0:
        returns_bar = np.zeros_like(returns)
        beta_bar = 0.0
        alpha_bar = 0.0
    else:
        # for r in returns:
        alpha_bar = 0.0
        beta_bar = 0.0
        omega_bar = 0.0
        returns_bar = np.zeros_like(returns)
        variance_bar = 0.0
        for r_index in reversed(range(len(returns))):
            # variance = omega + alpha * r**2 + beta * variance
            variance = variance_saved.pop()
            beta_bar += variance_bar * variance
            variance_bar_2 = variance_bar * beta
            omega_bar += variance_bar
            r = returns.item(r_index)
            alpha_bar += variance_bar * r * r
            r_bar = 2 * variance_bar * alpha * r
            # total += 0.5 * (math.log(variance) + r**2 / variance)
            variance_bar = variance_bar_2 - 0.5 * r * r / variance / variance
            r_bar += r / variance
            variance_bar += 0.5 / variance
            # for r in returns:
            returns_bar[r_index] = r_bar
        # omega = longrun * (1.0 - alpha - beta)
        longrun_bar = variance_bar + omega_bar * difference
        difference_bar = omega_bar * longrun
        beta_bar -= difference_bar
        alpha_bar -= difference_bar
        # longrun = np.mean(returns**2)
        product = 2 * longrun_bar / returns.shape[0] * returns
        returns_bar += product
    return alpha_bar, beta_bar, returns_bar
