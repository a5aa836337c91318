def softmax_regression_grad(w, b, x, labels):
    """Gradient of softmax_regression with respect to w and b."""
    n = x.shape[0]
    logits = x @ w + b
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    exp = np.exp(shifted)
    # return -np.mean(log_probs[np.arange(n), labels])
    item_bar = -1.0 / x.shape[0]
    log_probs_bar = np.zeros_like(shifted)
    log_probs_bar[np.arange(n), labels] = item_bar
    # log_probs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    product = item_bar / np.sum(exp, axis=1, keepdims=True) * exp
    shifted_bar = log_probs_bar - product
    # logits = x @ w + b
    b_bar = np.sum(shifted_bar, axis=0)
    w_bar = x.T @ shifted_bar
    return w_bar, b_bar
