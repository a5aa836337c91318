def rnn_grad(w, u, b, xs, target):
    """Gradient of rnn with respect to w, u and b."""
    h = np.zeros_like(b)
    h_saved = []
    for t in range(len(xs)):
        h_saved.append(h)
        h = np.tanh(w @ h + u @ xs[t] + b)
    # return 0.5 * np.sum((h - target) ** 2)
    h_bar = h - target
    # for t in range(len(xs)):
    b_bar = np.zeros_like(b)
    u_bar = np.zeros_like(u)
    w_bar = np.zeros_like(w)
    for t in reversed(range(len(xs))):
        # h = np.tanh(w @ h + u @ xs[t] + b)
        total_bar = h_bar * (1.0 - h * h)
        h = h_saved.pop()
        b_bar += total_bar
        u_bar += np.outer(total_bar, xs[t])
        h_bar = w.T @ total_bar
        w_bar += np.outer(total_bar, h)
    return w_bar, u_bar, b_bar
