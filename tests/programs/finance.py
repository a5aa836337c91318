"""Prices, rates and risk."""

import math
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tests.programs.registry import normal, program

DAYS_A_YEAR = 252


class Kind(Enum):
    """What an option gives the right to."""

    CALL = 1
    PUT = -1


def phi(x):
    """Cumulative normal distribution."""
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


class Market(NamedTuple):
    """What the market says."""

    spot: float
    rate: float
    volatility: float


@program(
    Market(100.0, 0.03, 0.2),
    105.0,
    0.75,
    Kind.PUT,
    wrt=("market", "strike", "maturity"),
    scalar=True,
)
def black_scholes(market, strike, maturity, kind=Kind.CALL, /):
    """The price of a European option."""
    if not (maturity > 0.0 and market.volatility > 0.0):
        raise ValueError("maturity and volatility must be positive")
    total = market.volatility * math.sqrt(maturity)
    forward = market.spot * math.exp(market.rate * maturity)
    d1 = math.log(forward / strike) / total + 0.5 * total
    d2 = d1 - total
    discount = math.exp(-market.rate * maturity)
    match kind:
        case Kind.CALL:
            return discount * (forward * phi(d1) - strike * phi(d2))
        case Kind.PUT:
            return discount * (strike * phi(-d2) - forward * phi(-d1))
    raise ValueError(kind)


@program(
    95.0, 0.3, 0.04, 8, "american", wrt=("spot", "volatility", "rate"), scalar=True
)
def binomial_tree(spot, volatility, rate, steps, style):
    """A put on a Cox-Ross-Rubinstein tree, rolled back level by level."""
    dt = 1.0 / steps
    up = math.exp(volatility * math.sqrt(dt))
    down = 1.0 / up
    p = (math.exp(rate * dt) - down) / (up - down)
    discount = math.exp(-rate * dt)
    strike = 97.3

    def payoff(level, ups):
        return max(strike - spot * up ** (2 * ups - level), 0.0)

    values = [payoff(steps, ups) for ups in range(steps + 1)]
    for level in range(steps - 1, -1, -1):
        held = [
            discount * (p * above + (1.0 - p) * below)
            for below, above in zip(values[:-1], values[1:], strict=True)
        ]
        if style == "american":
            values = [max(h, payoff(level, ups)) for ups, h in enumerate(held)]
        else:
            values = held
    (value,) = values
    return value


@lru_cache(maxsize=None)
def coupon_times(years, frequency):
    """When coupons are paid; the last one comes with the face value."""
    return tuple(k / frequency for k in range(1, years * frequency + 1))


@program(0.05, 98.0, wrt=("coupon", "price"), scalar=True)
def yield_to_maturity(coupon, price, *, face=100.0, years=5, frequency=2):
    """The rate at which the payments of a bond are worth its price."""
    times = coupon_times(years, frequency)

    def worth(rate):
        *early, final = times
        paid = face * coupon / frequency
        total = sum(paid * math.exp(-rate * t) for t in early)
        return total + (face + paid) * math.exp(-rate * final)

    def duration(rate):
        paid = face * coupon / frequency
        flows = [(t, paid + face * (t == times[-1])) for t in times]
        return sum(t * flow * math.exp(-rate * t) for t, flow in flows)

    rate = coupon
    while abs(gap := worth(rate) - price) > 1e-9:
        rate += gap / duration(rate)
    return 100.0 * rate


@dataclass(frozen=True)
class Leg:
    """A position in a portfolio."""

    weight: float
    mu: float
    sigma: float = 0.2

    @property
    def sharpe(self):
        return self.mu / self.sigma

    @classmethod
    def riskless(cls, weight, rate):
        return cls(weight, rate, sigma=1.0)

    def __mul__(self, factor):
        return Leg(self.weight * factor, self.mu, self.sigma)

    __rmul__ = __mul__


@program(
    [Leg(0.5, 0.08, 0.25), Leg(0.3, 0.05), Leg(0.1, 0.03, 0.1)],
    0.25,
    wrt=("legs", "correlation"),
    scalar=True,
)
def portfolio_utility(legs, correlation):
    """Mean-variance utility after the rest is put into cash."""
    rest = 1.0 - sum(leg.weight for leg in legs)
    cash = Leg.riskless(rest, 0.01)
    scaled = [1.1 * leg for leg in legs if leg.sharpe > 0.2]
    variance = sum(
        a.weight * b.weight * a.sigma * b.sigma * (1.0 if a is b else correlation)
        for a in scaled
        for b in scaled
    )
    mean = sum(leg.weight * leg.mu for leg in scaled) + cash.weight * cash.mu
    return mean - 2.0 * variance


@program(
    0.1, 0.85, 0.05 * normal(11, 10), wrt=("alpha", "beta", "returns"), scalar=True
)
def garch_likelihood(alpha, beta, returns):
    """Negative log-likelihood of a GARCH(1, 1) model."""
    if alpha + beta >= 1.0:
        return math.inf
    longrun = np.mean(returns**2)
    omega = longrun * (1.0 - alpha - beta)
    variance = longrun
    total = 0.0
    for r in returns:
        total += 0.5 * (math.log(variance) + r**2 / variance)
        variance = omega + alpha * r**2 + beta * variance
    return total


@program(100.0, 0.2, normal(12, 6, 5), wrt=("spot", "volatility"), scalar=True)
def asian_barrier(spot, volatility, shocks):
    """A smoothed down-and-out Asian option on given paths."""
    barrier = 84.0
    dt = 1.0 / DAYS_A_YEAR * 20.0

    def path(row):
        s = spot
        for z in row:
            s = s * math.exp(-0.5 * volatility**2 * dt + volatility * math.sqrt(dt) * z)
            yield s

    total, alive = 0.0, 0
    for row in shocks:
        prices = tuple(path(row))
        if any(price < barrier for price in prices):
            continue
        alive += 1
        gain = sum(prices) / len(prices) - 98.0
        total += 2.0 * math.log(1.0 + math.exp(gain / 2.0))
    return total / alive if alive else 0.0
