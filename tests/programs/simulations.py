"""Simulations and learners with state: classes, lists that grow, dicts, buffers."""

import copy
import heapq
import math
from collections import defaultdict, deque
from dataclasses import dataclass, field, replace

import numpy as np

from tests.programs.registry import normal, program, uniform

CITY = {"a": ("b", "c"), "b": ("c", "d"), "c": ("d",), "d": ("a",)}


class Account:
    """A bank account with interest and a record of its balances."""

    def __init__(self, balance, rate):
        self.balance = balance
        self.rate = rate
        self.history = [balance]

    def deposit(self, amount):
        """Add an amount."""
        self.balance += amount
        self.history.append(self.balance)

    def withdraw(self, amount):
        """Take an amount out, or fail."""
        if amount > self.balance:
            raise ValueError("not enough money")
        self.deposit(-amount)

    def close_month(self):
        """Add the interest."""
        self.deposit(self.balance * self.rate / 12.0)


class Overdraft(Account):
    """An account that may go below zero, at a price."""

    def withdraw(self, amount):
        """Take an amount out."""
        if amount > self.balance:
            self.balance -= 0.05 * (amount - self.balance) ** 2
        self.deposit(-amount)


@program(100.0, 0.12, 30.0, wrt=("start", "rate", "rent"), scalar=True)
def bank_accounts(start, rate, rent):
    """Two accounts over a year; one refuses when it is empty."""
    savings, current = Account(start, rate), Overdraft(0.4 * start, 0.01)
    missed = 0
    for month in range(12):
        current.withdraw(rent)
        try:
            savings.withdraw(0.7 * rent)
            current.deposit(0.7 * rent)
        except ValueError:
            missed += 1
        for account in (savings, current):
            account.close_month()
    lowest = min(savings.history + current.history)
    return savings.balance + current.balance + 0.1 * lowest**2 / start + missed


@dataclass
class Body:
    """A planet."""

    q: np.ndarray
    p: np.ndarray
    mass: float
    trail: list = field(default_factory=list)


@program(
    normal(51, 3, 2),
    normal(52, 3, 2),
    uniform(53, 1.0, 2.0, 3),
    wrt=("positions", "momenta", "masses"),
)
def planets(positions, momenta, masses):
    """Three bodies whose positions and momenta change in place."""
    bodies = [Body(3.0 * q, p.copy(), m) for q, p, m in zip(positions, momenta, masses)]
    dt = 0.05
    for step in range(4):
        for i, one in enumerate(bodies):
            for other in bodies[:i]:
                apart = other.q - one.q
                force = one.mass * other.mass * apart / (apart @ apart + 0.1) ** 1.5
                one.p += dt * force
                other.p -= dt * force
        for body in bodies:
            body.q += dt * body.p / body.mass
            body.trail.append(body.q[0])
    return sum(b.p @ b.p / b.mass for b in bodies) + np.sum(np.array(bodies[0].trail))


class LSTM:
    """A cell that keeps its state and a list of all states."""

    def __init__(self, weights, bias):
        self.weights, self.bias = weights, bias
        n = len(bias) // 4
        self.h, self.c = np.zeros(n), np.zeros(n)
        self.states = []

    def step(self, x):
        """Take in one input."""
        gates = self.weights @ np.concatenate([self.h, x]) + self.bias
        i, f, o, g = np.split(gates, 4)
        self.c *= 1.0 / (1.0 + np.exp(-f))
        self.c += np.tanh(g) / (1.0 + np.exp(-i))
        self.h = np.tanh(self.c) / (1.0 + np.exp(-o))
        self.states.append(self.h)


@program(normal(54, 8, 4), normal(55, 8), normal(56, 4, 2), wrt=("w", "b", "inputs"))
def lstm_with_states(w, b, inputs):
    """Attention over the states that an LSTM has gathered."""
    cell = LSTM(w, b)
    for x in inputs:
        cell.step(x)
    states = np.stack(cell.states)
    scores = states @ cell.h
    scores -= np.max(scores)
    weights = np.exp(scores)
    weights /= weights.sum()
    return np.sum((weights @ states) ** 2) + cell.c @ cell.c


class ReplayBuffer:
    """Keeps the last few transitions in arrays, in a ring."""

    def __init__(self, capacity, width):
        self.states = np.zeros((capacity, width))
        self.rewards = np.zeros(capacity)
        self.count = 0

    def add(self, state, reward):
        """Overwrite the oldest."""
        place = self.count % len(self.rewards)
        self.states[place] = state
        self.rewards[place] = reward
        self.count += 1


@program(normal(57, 2), normal(58, 2), 0.9, wrt=("policy", "start", "discount"))
def replay_buffer(policy, start, discount):
    """A linear value function is fitted to a ring of transitions."""
    buffer = ReplayBuffer(3, 2)
    state = start.copy()
    for step in range(5):
        action = np.tanh(policy @ state)
        state += 0.3 * np.array([action, state[0] - action])
        buffer.add(state, -state @ state)
    value = np.zeros(2)
    for sweep in range(2):
        for row, reward in zip(buffer.states, buffer.rewards):
            error = reward + discount * value @ (0.9 * row) - value @ row
            value += 0.1 * error * row
    return value @ state


@program(normal(59, 6), 0.8, 0.5, wrt=("particles", "drift", "noise"))
def particle_filter(particles, drift, noise):
    """Weights are multiplied up; particles move and are pulled to the mean in place."""
    cloud = particles.copy()
    weights = np.full(len(cloud), 1.0 / len(cloud))
    log_likelihood = 0.0
    for seen in (0.3, -0.2, 0.5):
        cloud *= drift
        cloud += 0.1 * np.sin(cloud)
        weights *= np.exp(-0.5 * ((seen - cloud) / noise) ** 2)
        total = weights.sum()
        log_likelihood += np.log(total)
        weights /= total
        if 1.0 / np.sum(weights**2) < 4.0:
            mean = weights @ cloud
            cloud[weights < 0.1] = 0.5 * (cloud[weights < 0.1] + mean)
            weights[:] = 1.0 / len(weights)
    return log_likelihood


@program(uniform(60, 0.2, 0.8, 5, 5), 2.0, wrt=("cells", "sharpness"))
def soft_game_of_life(cells, sharpness):
    """Conway's rules with smooth births and deaths; the grid is a torus."""
    grid = cells.copy()
    for generation in range(3):
        around = np.zeros_like(grid)
        for i in (-1, 0, 1):
            for j in (-1, 0, 1):
                if i or j:
                    around += np.roll(np.roll(grid, i, axis=0), j, axis=1)
        alive = np.exp(-sharpness * (around - 2.5 - 0.5 * (1.0 - grid)) ** 2)
        grid[:] = alive
    return np.sum(grid * np.arange(25.0).reshape(5, 5)) / 25.0


@program(uniform(61, 0.5, 2.0, 4), 0.7, wrt=("arrivals", "service"), scalar=True)
def queue_at_a_counter(arrivals, service):
    """Events in a heap; waiting customers in a deque."""
    events, time = [], 0.0
    for gap in arrivals:
        time += gap
        heapq.heappush(events, (time, "arrival"))
    waiting, busy, total = deque(), False, 0.0
    while events:
        now, kind = heapq.heappop(events)
        if kind == "arrival":
            waiting.append(now)
        else:
            busy = False
        if waiting and not busy:
            came = waiting.popleft()
            busy = True
            length = service * (2.0 + math.sin(now))
            total += (now - came) ** 2 + length
            heapq.heappush(events, (now + length, "done"))
    return total


class Tape:
    """Reverse mode by hand: closures are kept in a list and run backwards."""

    def __init__(self):
        self.values, self.bars, self.back = [], [], []

    def put(self, value):
        """A new variable's place."""
        self.values.append(value)
        self.bars.append(0.0)
        return len(self.values) - 1

    def mul(self, i, j):
        """A product."""
        k = self.put(self.values[i] * self.values[j])

        def reverse():
            self.bars[i] += self.bars[k] * self.values[j]
            self.bars[j] += self.bars[k] * self.values[i]

        self.back.append(reverse)
        return k

    def sin(self, i):
        """A sine."""
        k = self.put(math.sin(self.values[i]))

        def reverse():
            self.bars[i] += self.bars[k] * math.cos(self.values[i])

        self.back.append(reverse)
        return k


@program(0.7, 1.2, wrt=("x", "y"), scalar=True)
def tape_of_closures(x, y):
    """A derivative by another tool, differentiated again."""
    tape = Tape()
    i, j = tape.put(x), tape.put(y)
    k = tape.mul(tape.sin(tape.mul(i, j)), i)
    tape.bars[k] = 1.0
    while tape.back:
        tape.back.pop()()
    return tape.bars[i] * tape.bars[j] + tape.values[k]


@program(
    {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1}, 0.85, wrt=("rank", "damping"), scalar=True
)
def rank_in_dicts(rank, damping):
    """Page rank with a defaultdict in each round."""
    rank = dict(rank)
    for turn in range(4):
        gained = defaultdict(float)
        for page, links in CITY.items():
            for other in links:
                gained[other] += damping * rank[page] / len(links)
        for page in rank:
            rank[page] = (1.0 - damping) / len(rank) + gained[page]
        rank["a"] **= 1.1
    return rank["a"] * rank["d"] + max(rank.values())


class Adam:
    """An optimiser that changes parameters in place and keeps moments by name."""

    def __init__(self, rate):
        self.rate, self.steps = rate, 0
        self.first, self.second = {}, {}

    def update(self, params, grads):
        """One step."""
        self.steps += 1
        for name, grad in grads.items():
            m = self.first.setdefault(name, np.zeros_like(grad))
            v = self.second.setdefault(name, np.zeros_like(grad))
            m *= 0.9
            m += 0.1 * grad
            v *= 0.99
            v += 0.01 * grad**2
            scale = math.sqrt(1.0 - 0.99**self.steps) / (1.0 - 0.9**self.steps)
            params[name] -= self.rate * scale * m / (np.sqrt(v) + 0.1)


@program(normal(62, 3), 0.2, 0.05, wrt=("w", "bias", "rate"))
def training_with_adam(w, bias, rate):
    """The loss after training, by the first weights and the learning rate."""
    x = np.array(
        [[1.0, 0.5, -0.3], [0.2, -0.7, 0.9], [0.4, 0.1, 0.8], [-1.0, 0.3, 0.2]]
    )
    y = np.array([0.5, -0.2, 0.3, 0.1])
    params = {"w": w.copy(), "bias": np.array([bias])}
    adam, losses = Adam(rate), []
    for epoch in range(4):
        error = np.tanh(x @ params["w"] + params["bias"]) - y
        losses.append(np.mean(error**2))
        adam.update(params, {"w": error @ x, "bias": np.sum(error, keepdims=True)})
    return losses[-1] + 0.1 * sum(losses)


@dataclass(frozen=True)
class Climate:
    """A state that is replaced, with an array that is shared."""

    temperature: float
    ice: np.ndarray


@program(288.0, uniform(63, 0.2, 0.6, 3), 0.3, wrt=("temperature", "ice", "feedback"))
def climate_by_replacement(temperature, ice, feedback):
    """Frozen records, one per year, whose ice melts in place."""
    years = [Climate(temperature, ice.copy())]
    for year in range(5):
        last = years[-1]
        last.ice[:] *= 1.0 - 0.05 * np.tanh(feedback * (last.temperature - 285.0))
        warmer = last.temperature + feedback * (1.0 - np.mean(last.ice))
        years.append(replace(last, temperature=warmer))
    return (years[-1].temperature - 285.0) * np.sum(years[0].ice ** 2)


@program(uniform(64, 0.5, 1.5, 4), 0.2, wrt=("sizes", "rate"), scalar=True)
def merging_clusters(sizes, rate):
    """The two smallest are merged until one is left; Huffman's way."""
    clusters = [size * (1.0 + rate * i) for i, size in enumerate(sizes)]
    cost = 0.0
    while len(clusters) > 1:
        clusters.sort()
        first = clusters.pop(0)
        second = clusters.pop(0)
        clusters.append((first + second) * (1.0 + rate * first))
        cost += clusters[-1] ** 2
    return cost


class Tree:
    """A node with children; values flow up and down."""

    def __init__(self, value, *children):
        self.value, self.children, self.total = value, list(children), 0.0

    def gather(self):
        """Sum up the subtree, and remember it."""
        self.total = self.value**2
        for child in self.children:
            child.gather()
            self.total += 0.5 * child.total
        return self.total

    def share(self, part):
        """Hand something down."""
        self.value += part
        for child in self.children:
            child.share(part * child.total / self.total)


@program(uniform(65, 0.5, 1.5, 5), 0.3, wrt=("values", "gift"), scalar=True)
def tree_of_objects(values, gift):
    """Two passes over a tree of objects, one of which is grown in between."""
    a, b, c, d, e = values
    root = Tree(a, Tree(b, Tree(c)), Tree(d))
    root.gather()
    root.children[0].children.append(Tree(e))
    root.gather()
    root.share(gift)
    before = copy.deepcopy(root)
    root.children.pop().share(1.0)
    return root.gather() * before.gather()


@program(normal(66, 10), 0.6, wrt=("signal", "memory"))
def streaming_statistics(signal, memory):
    """A window in a deque, running moments in an object, alarms in a list."""
    window, alarms = deque(maxlen=3), []
    mean = spread = 0.0
    for k, value in enumerate(signal):
        window.append(value)
        mean += (1.0 - memory) * (value - mean)
        spread = memory * spread + (1.0 - memory) * (value - mean) ** 2
        if abs(sum(window)) > 2.0:
            alarms.extend([mean * k, spread])
    alarms.append(max(window) - min(window))
    return np.sum(np.array(alarms) ** 2) + mean * spread
