def lotka_volterra_grad(prey, predator, rates, step, n):
    """Gradient of lotka_volterra with respect to prey, predator and rates."""
    rates_0 = rates[0]
    rates_1 = rates[1]
    rates_2 = rates[2]
    rates_3 = rates[3]
    predator_saved = []
    predator_growth_saved = []
    prey_saved = []
    prey_growth_saved = []
    for i in range(n):
        prey_growth = rates_0 - rates_1 * predator
        predator_growth = rates_2 * prey - rates_3
        prey_saved.append(prey)
        prey = prey + step * prey * prey_growth
        predator_saved.append(predator)
        predator = predator + step * predator * predator_growth
        predator_growth_saved.append(predator_growth)
        prey_growth_saved.append(prey_growth)
    # return prey - predator
    prey_bar = 1.0
    predator_bar = -1.0
    # for i in range(n):
    rates_0_bar = 0.0
    rates_1_bar = 0.0
    rates_2_bar = 0.0
    rates_3_bar = 0.0
    for prey, predator, predator_growth, prey_growth in zip(
        reversed(prey_saved),
        reversed(predator_saved),
        reversed(predator_growth_saved),
        reversed(prey_growth_saved),
    ):
        # prey, predator = (prey + step * prey * prey_growth, predator + step * preda...
        predator_growth_bar = predator_bar * step * predator
        predator_bar += predator_bar * predator_growth * step
        prey_growth_bar = prey_bar * step * prey
        prey_bar += prey_bar * prey_growth * step
        # predator_growth = conversion * prey - death
        rates_3_bar -= predator_growth_bar
        rates_2_bar += predator_growth_bar * prey
        prey_bar += predator_growth_bar * rates_2
        # prey_growth = birth - predation * predator
        rates_0_bar += prey_growth_bar
        rates_1_bar -= prey_growth_bar * predator
        predator_bar -= prey_growth_bar * rates_1
    return prey_bar, predator_bar, (rates_0_bar, rates_1_bar, rates_2_bar, rates_3_bar)
