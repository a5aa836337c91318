"""Programs that change which objects those lead to that they are given."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tests.run_time.programs.made import Link, Particle, chain, moments, particles, tree
from tests.run_time.programs.made import Node as Tree
from tests.run_time.programs.table import number, program


class Member:
    def __init__(self, x):
        self.x = x
        self.parent = self
        self.rank = 0


class Room:
    def __init__(self, heat):
        self.heat = heat
        self.beside = []
        self.best = None


@dataclass
class World:
    bodies: list
    leader: Particle


def length_of(node):
    total = 0.0
    while node is not None:
        total = 0.9 * total + node.value**2
        node = node.next
    return total


def members(n):
    return [Member(number()) for _ in range(n)]


def rooms(n):
    made = [Room(number()) for _ in range(n)]
    for k, room in enumerate(made):
        room.beside = [made[k - 1], made[(k + 1) % n]]
    return made


def world(n):
    bodies = particles(n)
    return World(bodies, bodies[0])


@program(lambda n: (chain(n), 0.3))
def turned_round(head, t):
    before = None
    while head is not None:
        behind = head.next
        head.next = before
        before = head
        head = behind
    return length_of(before) * t


@program(lambda n: (chain(n), 0.3))
def longer_at_the_end(head, t):
    node = head
    while node.next is not None:
        node = node.next
    node.next = Link(t * node.value)
    node.next.next = Link(t * t)
    return length_of(head)


@program(lambda n: (chain(n), 0.3))
def every_second_goes(head, t):
    node = head
    while node is not None and node.next is not None:
        node.value += node.next.value * t
        node.next = node.next.next
        node = node.next
    return length_of(head)


@program(lambda n: (chain(n), 0.3))
def inserted_behind_the_first(head, t):
    for k in range(3):
        head.next = Link(t * (k + 1) * head.value, head.next)
    return length_of(head)


@program(lambda n: (chain(n), 0.3))
def a_ring(head, t):
    tail = head
    while tail.next is not None:
        tail = tail.next
    tail.next = head
    total = 0.0
    node = head
    for _ in range(12):
        node.value = node.value * t + 0.1
        total = 0.9 * total + node.value
        node = node.next
    return total


@program(lambda n: (tree(n), 0.3))
def inserted_in_place(root, t):
    for k in range(3):
        x = t * (k + 1)
        node = root
        while True:
            if x < node.value:
                if node.left is None:
                    node.left = Tree(x * node.value)
                    break
                node = node.left
            else:
                if node.right is None:
                    node.right = Tree(x)
                    break
                node = node.right
    total = 0.0
    stack = [root]
    while stack:
        node = stack.pop()
        if node is not None:
            total = 0.9 * total + node.value**2
            stack.append(node.left)
            stack.append(node.right)
    return total


@program(lambda n: (tree(n), 0.3))
def rotated(root, t):
    pivot = root.left
    if pivot is not None:
        root.left = pivot.right
        pivot.right = root
        root = pivot
    total = 0.0
    while root is not None:
        total = t * total + root.value**2
        root = root.right
    return total


@program(lambda n: (members(n), [(k, (3 * k + 1)) for k in range(n)]))
def united(members, pairs):
    for a, b in pairs:
        first, second = members[a], members[b % len(members)]
        while first.parent is not first:
            first = first.parent
        while second.parent is not second:
            second.parent = second.parent.parent
            second = second.parent
        if first is not second:
            second.parent = first
            first.x += 0.5 * second.x
    total = 0.0
    for m in members:
        total += m.x * m.parent.x
    return total


@program(lambda n: (rooms(max(n, 2)),))
def warmest_beside(rooms):
    for _ in range(2):
        for room in rooms:
            for other in room.beside:
                if room.best is None or other.heat > room.best.heat:
                    room.best = other
            room.heat += 0.1 * math.sin(room.best.heat)
    return sum(r.heat * r.best.heat for r in rooms)


@program(lambda n: (world(n), 0.3))
def led_by_another(world, t):
    for body in world.bodies:
        if body.x > world.leader.x:
            world.leader = body
        elif body.m > 2.2:
            world.leader = Particle(world.leader.x * t, body.m)
    world.leader.x *= 2.0
    return world.leader.x * moments(world.bodies)


@program(lambda n: (world(n), 0.3))
def bubbled(world, t):
    bodies = world.bodies
    for _ in range(2):
        for k in range(len(bodies) - 1):
            if bodies[k].x > bodies[k + 1].x:
                bodies[k], bodies[k + 1] = bodies[k + 1], bodies[k]
                bodies[k].m *= t
    return moments(world.bodies) * world.leader.x


@program(lambda n: ({f"k{i}": p for i, p in enumerate(particles(n))}, 0.3))
def others_in_a_dict(table, t):
    before = None
    for name, p in table.items():
        if before is not None:
            table[name] = before
            before.x = before.x * t + p.x
        before = p
    return moments(list(table.values()))


class Herd:
    """Leads to another herd, so it is kept, and its list with it."""

    def __init__(self, bodies, other=None):
        self.bodies = bodies
        self.other = other


def herds(n):
    bodies = particles(n)
    return Herd(bodies, Herd(bodies))


@program(lambda n: (herds(n), 0.3))
def moved_up_while_run_over(herd, t):
    bodies = herd.bodies
    for k, p in enumerate(bodies):
        if k + 1 < len(bodies):
            bodies[k + 1] = p
        p.x = p.x * t + 1.0
    return moments(herd.other.bodies)


@program(lambda n: (herds(n), 0.3))
def made_ones_in_the_list_of_another(herd, t):
    best = None
    for k, p in enumerate(herd.bodies):
        if best is None or p.x * p.m > best.x * best.m:
            best = Particle(p.x * t, p.m)
        elif k % 3 == 0:
            herd.other.bodies[k] = best
        p.x = best.x
    herd.bodies[-1] = best
    return moments(herd.bodies)
