def logistic_regression_grad(w, b, x, y):
    """Gradient of logistic_regression with respect to w and b."""
    logits = x @ w + b
    logaddexp_2 = np.logaddexp(0.0, logits)
    # return np.mean(np.logaddexp(0.0, logits) - y * logits)
    difference_bar = 1.0 / logits.size
    exp_2 = np.exp(logits - np.where(logaddexp_2 == -np.inf, 0.0, logaddexp_2))
    logits_bar = difference_bar * exp_2 - difference_bar * y
    # logits = x @ w + b
    b_bar = np.sum(logits_bar)
    w_bar = x.T @ logits_bar
    return w_bar, b_bar
