def logistic_regression_grad(w, b, x, y):
    """Gradient of logistic_regression with respect to w and b."""
    logits = x @ w + b
    # return np.mean(np.logaddexp(0.0, logits) - y * logits)
    difference_bar = 1.0 / logits.size
    product = difference_bar * np.exp(logits - np.logaddexp(0.0, logits))
    logits_bar = product - difference_bar * y
    # logits = x @ w + b
    b_bar = np.sum(logits_bar)
    w_bar = x.T @ logits_bar
    return w_bar, b_bar
