def rnn_jvp(w, u, b, xs, target, w_dot, u_dot, b_dot):
    """Value and tangent of rnn with respect to w, u and b."""
    h = np.zeros_like(b)
    # h = np.zeros_like(b)
    h_dot = np.broadcast_to(0.0, h.shape)
    for t in range(len(xs)):
        item = xs[t]
        # h = np.tanh(w @ h + u @ xs[t] + b)
        total_dot = w_dot @ h + w @ h_dot + u_dot @ item + b_dot
        h = np.tanh(w @ h + u @ item + b)
        # h = np.tanh(w @ h + u @ xs[t] + b)
        h_dot = total_dot * (1.0 - h * h)
    difference = h - target
    return 0.5 * np.sum(difference**2), h_dot @ difference
