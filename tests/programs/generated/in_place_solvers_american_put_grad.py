def american_put_grad(spot, volatility, rate, strike):
    """Gradient of american_put with respect to spot, volatility, rate and strike."""
    steps = 6
    dt = 0.1
    sqrt = math.sqrt(dt)
    up = math.exp(volatility * sqrt)
    exp = math.exp(rate * dt)
    quotient = 1.0 / up
    difference = up - quotient
    p = (exp - quotient) / difference
    discount = math.exp(-rate * dt)
    difference_2 = 0 - steps
    power_2 = up**difference_2
    difference_3 = 2 - steps
    power_3 = up**difference_3
    difference_4 = 4 - steps
    power_4 = up**difference_4
    power_5 = up ** (6 - steps)
    difference_5 = 8 - steps
    power_6 = up**difference_5
    difference_6 = 10 - steps
    power_7 = up**difference_6
    difference_7 = 12 - steps
    power_8 = up**difference_7
    prices = np.array(
        [
            spot * power_2,
            spot * power_3,
            spot * power_4,
            spot * power_5,
            spot * power_6,
            spot * power_7,
            spot * power_8,
        ]
    )
    values = np.maximum(strike - prices, 0.0)
    item_2_saved = []
    item_saved = []
    old_saved = []
    values_saved = []
    for level in range(steps, 0, -1):
        values_2 = values.copy()
        values_2[:level] = p * values[1 : level + 1] + (1.0 - p) * values[:level]
        item = values_2[:level]
        item_part = item.copy()
        values_2[:level] = item * discount
        old = prices[:level].copy()
        prices[:level] = prices[:level] * up
        item = values_2[:level]
        item_part_2 = item.copy()
        values_saved.append(values)
        values_2[:level] = np.maximum(item, strike - prices[:level])
        values = values_2
        item_2_saved.append(item_part)
        item_saved.append(item_part_2)
        old_saved.append(old)
    # return values[0]
    values_bar = np.zeros_like(values)
    values_bar[0] = 1.0
    # for level in range(steps, 0, -1):
    discount_bar = 0.0
    p_bar = 0.0
    prices_bar = np.zeros_like(prices)
    strike_bar = 0.0
    up_bar = 0.0
    for level in reversed(range(steps, 0, -1)):
        # np.maximum(values[:level], strike - prices[:level], out=values[:level])
        old = old_saved.pop()
        item = item_saved.pop()
        item_2 = item_2_saved.pop()
        maximum_bar = values_bar[:level].copy()
        values = values_saved.pop()
        difference_8 = strike - prices[:level]
        product = 0.5 * maximum_bar
        item_bar = np.where(
            item > difference_8,
            maximum_bar,
            np.where(item == difference_8, product, 0.0),
        )
        difference_bar = np.where(
            difference_8 > item,
            maximum_bar,
            np.where(item == difference_8, product, 0.0),
        )
        strike_bar += np.sum(difference_bar)
        prices_bar[:level] -= difference_bar
        values_bar[:level] = item_bar
        # prices[:level] = prices[:level] * up
        prices[:level] = old
        product_bar = prices_bar[:level].copy()
        up_bar += product_bar @ prices[:level]
        prices_bar[:level] = up * product_bar
        # values[:level] *= discount
        product_bar = values_bar[:level].copy()
        discount_bar += product_bar @ item_2
        values_bar[:level] = discount * product_bar
        # values[:level] = p * values[1 : level + 1] + (1.0 - p) * values[:level]
        bound = level + 1
        item = values[1:bound]
        product = p * item
        difference_8 = 1.0 - p
        item_2 = values[:level]
        product_2 = difference_8 * item_2
        total_bar = sum_to_shape_of(values_bar[:level].copy(), product + product_2)
        product_bar = sum_to_shape_of(total_bar, product)
        product_bar_2 = sum_to_shape_of(total_bar, product_2)
        values_bar[:level] = difference_8 * product_bar_2
        p_bar -= product_bar_2 @ item_2
        p_bar += product_bar @ item
        values_bar[1:bound] += p * product_bar
    # values = np.maximum(strike - prices, 0.0)
    difference_bar = np.where(values > 0, values_bar, 0.0)
    strike_bar += np.sum(difference_bar)
    prices_bar -= difference_bar
    # prices = np.array([spot * up ** (2 * j - steps) for j in range(steps + 1)])
    product_bar = prices_bar[0]
    product_bar_2 = prices_bar[1]
    product_bar_3 = prices_bar[2]
    product_bar_4 = prices_bar[3]
    product_bar_5 = prices_bar[4]
    product_bar_6 = prices_bar[5]
    product_bar_7 = prices_bar[6]
    spot_bar = product_bar_7 * power_8
    up_bar += product_bar_7 * spot * difference_7 * up**5
    spot_bar += product_bar_6 * power_7
    up_bar += product_bar_6 * spot * difference_6 * up**3
    spot_bar += product_bar_5 * power_6
    up_bar += product_bar_5 * spot * difference_5 * up
    spot_bar += product_bar_4 * power_5
    up_bar += 0.0 * product_bar_4 * spot
    spot_bar += product_bar_3 * power_4
    product = product_bar_3 * spot * difference_4 * power(up, -3)
    up_bar += product
    spot_bar += product_bar_2 * power_3
    product = product_bar_2 * spot * difference_3 * power(up, -5)
    up_bar += product
    spot_bar += product_bar * power_2
    product = product_bar * spot * difference_2 * power(up, -7)
    up_bar += product
    # p = (math.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    difference_bar = p_bar / difference
    difference_bar_2 = -difference_bar * p
    up_bar += difference_bar_2
    up_bar += difference_bar_2 * quotient / up
    up_bar += difference_bar * quotient / up
    rate_bar = difference_bar * exp * dt - discount_bar * discount * dt
    # up = math.exp(volatility * math.sqrt(dt))
    volatility_bar = up_bar * up * sqrt
    return spot_bar, volatility_bar, rate_bar, strike_bar
