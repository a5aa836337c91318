def leapfrog_energy_grad(state, coupling, n):
    """Gradient of leapfrog_energy with respect to state and coupling."""
    q, p = state
    power = q**4
    h = 0.1
    product = 0.5 * h
    power_2 = q**3
    p_2 = p + product * (-q - coupling * power_2)
    condition_saved = []
    q_saved = []
    for i in range(n):
        q_saved.append(q)
        q += h * p_2
        condition = i < n - 1
        choice = (
            h * (-q - coupling * q**3)
            if condition
            else 0.5 * h * (-q - coupling * q**3)
        )
        p_2 += choice
        condition_saved.append(condition)
    # return 0.5 * p**2 + 0.5 * q**2 + 0.25 * coupling * q**4
    coupling_bar = 250.0 * q**4
    q_bar = 1000.0 * (coupling * q**3 + q)
    p_bar = 1000.0 * p_2
    for condition in reversed(condition_saved):
        if condition:
            # p += h * force(q) if i < n - 1 else 0.5 * h * force(q)
            difference_bar = p_bar * h
            # return -q - coupling * q**3
            coupling_bar -= difference_bar * q**3
            q_bar -= 3 * difference_bar * coupling * q * q
            q_bar -= difference_bar
        else:
            # p += h * force(q) if i < n - 1 else 0.5 * h * force(q)
            difference_bar = 0.5 * p_bar * h
            # return -q - coupling * q**3
            coupling_bar -= difference_bar * q**3
            q_bar -= 3 * difference_bar * coupling * q * q
            q_bar -= difference_bar
        # q += h * p
        q = q_saved.pop()
        p_bar += q_bar * h
    # p += 0.5 * h * force(q)
    difference_bar = p_bar * product
    # return -q - coupling * q**3
    coupling_bar -= difference_bar * power_2
    q_bar -= 3 * difference_bar * coupling * q**2
    q_bar -= difference_bar
    # return 0.5 * p**2 + 0.5 * q**2 + 0.25 * coupling * q**4
    q_bar -= 1000.0 * coupling * q**3
    coupling_bar -= 250.0 * power
    q_bar -= 1000.0 * q
    p_bar -= 1000.0 * p
    # q, p = state
    state_bar = np.zeros_like(state)
    state_bar[1] = p_bar
    state_bar[0] = q_bar
    return state_bar, coupling_bar
