def mlp_grad(params, x, y):
    """Gradient of mlp with respect to params."""
    params_w1 = params["w1"]
    params_b1 = params["b1"]
    params_w2 = params["w2"]
    params_b2 = params["b2"]
    hidden = np.tanh(x @ params_w1 + params_b1)
    output = hidden @ params_w2 + params_b2
    # return np.mean((output - y) ** 2)
    output_bar = 2.0 / output.size * (output - y)
    # output = hidden @ params["w2"] + params["b2"]
    params_b2_bar = np.sum(output_bar, axis=0)
    hidden_bar = output_bar @ params_w2.T
    params_w2_bar = hidden.T @ output_bar
    # hidden = np.tanh(x @ params["w1"] + params["b1"])
    total_bar = hidden_bar * (1.0 - hidden * hidden)
    params_b1_bar = np.sum(total_bar, axis=0)
    params_w1_bar = x.T @ total_bar
    return {
        "w1": params_w1_bar,
        "b1": params_b1_bar,
        "w2": params_w2_bar,
        "b2": params_b2_bar,
    }
