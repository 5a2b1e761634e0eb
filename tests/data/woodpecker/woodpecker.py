#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The woodpecker toy by events: prints cycle.csv. Needs Python alone.

The model of [Glocker2005], q = (y, phi_M, phi_S), small angles, so that M, the gaps' gradients and the flow of each
mode (which contacts are closed, stick or slide) are linear: M q'' = h0 - K q + sum W lambda. Between events the flow is
integrated by Runge and Kutta's method of fourth order, events are found by bisection, and at each event the mode is
the one combination of open, stick, slide for all three contacts that obeys the laws, on accelerations or, at an impact,
on velocities (Newton's restitution in the normal, none in the tangential direction).
"""
import itertools

m_M, J_M, m_S, J_S, c, g = 0.0003, 5e-9, 0.0045, 7e-7, 0.0056, 9.81
r_0, r_M, h_M, l_M, l_G, h_S, l_S = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201
mu, e = 0.3, (0.5, 0.0, 0.0)
M = [[m_S + m_M, l_M * m_S, l_G * m_S],
     [l_M * m_S, J_M + l_M**2 * m_S, l_M * l_G * m_S],
     [l_G * m_S, l_M * l_G * m_S, J_S + l_G**2 * m_S]]
h0 = [-(m_S + m_M) * g, -m_S * g * l_M, -m_S * g * l_G]
K = [[0, 0, 0], [0, c, -c], [0, -c, c]]
gap0 = [l_M + l_G - l_S - r_0, r_M - r_0, r_M - r_0]
N = [[0, 0, -h_S], [0, h_M, 0], [0, -h_M, 0]]  # beak, lower edge, upper edge
T = [[1, l_M, l_G - l_S], [1, r_M, 0], [1, r_M, 0]]
NAMES = ("beak", "lower", "upper")
OPEN, STICK, UP, DOWN = "open", "stick", "slide up", "slide down"
SIGN = {UP: 1.0, DOWN: -1.0}


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def solve(A, b):
    n = len(b)
    A = [row[:] + [y] for row, y in zip(A, b)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(A[i][k]))
        if abs(A[p][k]) < 1e-14 * max(map(abs, A[p])):
            return None
        A[k], A[p] = A[p], A[k]
        for i in range(k + 1, n):
            f = A[i][k] / A[k][k]
            for j in range(k, n + 1):
                A[i][j] -= f * A[k][j]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (A[i][n] - sum(A[i][j] * x[j] for j in range(i + 1, n))) / A[i][i]
    return x


def respond(mode, right, target):
    """x and lambda with M x = right + W lambda, W^T x = target on the rows that the mode closes."""
    closed = [i for i in range(3) if mode[i] != OPEN]
    rows = [N[i] for i in closed] + [T[i] for i in closed if mode[i] == STICK]
    forces = []
    for i in closed:
        s = SIGN.get(mode[i], 0.0)
        forces.append([n - mu * s * t for n, t in zip(N[i], T[i])])
    forces += [T[i] for i in closed if mode[i] == STICK]
    n = len(rows)
    A = [M[i] + [-w[i] for w in forces] for i in range(3)] + [row + [0.0] * n for row in rows]
    b = list(right) + [target[0][i] for i in closed] + [target[1][i] for i in closed if mode[i] == STICK]
    x = solve(A, b)
    if x is None:
        return None
    normal = [0.0] * 3
    tangent = [0.0] * 3
    for k, i in enumerate(closed):
        normal[i] = x[3 + k]
        tangent[i] = -mu * SIGN.get(mode[i], 0.0) * normal[i]
    for k, i in enumerate(j for j in closed if mode[j] == STICK):
        tangent[i] = x[3 + len(closed) + k]
    return x[:3], normal, tangent


def force(q):
    return [h0[i] - dot(K[i], q) for i in range(3)]


ZERO = ((0.0,) * 3, (0.0,) * 3)


def find_mode(closed, u, q, ended=()):
    """The mode after an event, from velocities and accelerations; `ended` are pairs (contact, its mode until now) that
    round-off must not bring back."""
    choices = []
    for i in range(3):
        if i not in closed or dot(N[i], u) > 1e-9:
            choices.append((OPEN,))
            continue
        v = dot(T[i], u)
        all_modes = (OPEN, STICK, UP, DOWN) if abs(v) < 1e-9 else (OPEN, UP if v > 0 else DOWN)
        choices.append(tuple(m for m in all_modes if (i, m) not in ended))
    for mode in itertools.product(*choices):
        result = respond(mode, force(q), ZERO)
        if result is None:
            continue
        a, normal, tangent = result
        ok = True
        for i in range(3):
            if len(choices[i]) == 1:
                continue
            if mode[i] == OPEN:
                ok &= dot(N[i], a) > -1e-7
            else:
                ok &= normal[i] > -1e-12
                ok &= mode[i] != STICK or abs(tangent[i]) <= mu * normal[i] * (1 + 1e-12)
                if mode[i] in SIGN and abs(dot(T[i], u)) < 1e-9:
                    ok &= dot(T[i], a) * SIGN[mode[i]] >= -1e-9
        if ok:
            return mode
    raise RuntimeError("no mode")


def impact(closed, u):
    """Velocities after an impact: xi = gamma' + e gamma against P."""
    right = [dot(M[i], u) for i in range(3)]
    target = ([-e[i] * dot(N[i], u) for i in range(3)], (0.0,) * 3)
    for mode in itertools.product(*[(OPEN, STICK, UP, DOWN) if i in closed else (OPEN,) for i in range(3)]):
        result = respond(mode, right, target)
        if result is None:
            continue
        v, normal, tangent = result
        ok = True
        for i in closed:
            if mode[i] == OPEN:
                ok &= dot(N[i], v) + e[i] * dot(N[i], u) > -1e-12
            else:
                ok &= normal[i] >= 0
                ok &= mode[i] != STICK or abs(tangent[i]) <= mu * normal[i]
                ok &= mode[i] not in SIGN or dot(T[i], v) * SIGN[mode[i]] >= 0
        if ok:
            return v
    raise RuntimeError("no impact")


def make_flow(mode):
    """q'' = a0 + A q of a mode, and its forces likewise."""
    base = respond(mode, h0, ZERO)
    parts = [respond(mode, [-K[r][j] for r in range(3)], ZERO) for j in range(3)]
    return base, parts


def evaluate(flow, q):
    base, parts = flow
    return [[base[k][i] + sum(parts[j][k][i] * q[j] for j in range(3)) for i in range(3)] for k in range(3)]


def step(flow, q, u, h):
    def rate(q, u):
        return u, evaluate(flow, q)[0]
    k1 = rate(q, u)
    k2 = rate([x + h / 2 * d for x, d in zip(q, k1[0])], [x + h / 2 * d for x, d in zip(u, k1[1])])
    k3 = rate([x + h / 2 * d for x, d in zip(q, k2[0])], [x + h / 2 * d for x, d in zip(u, k2[1])])
    k4 = rate([x + h * d for x, d in zip(q, k3[0])], [x + h * d for x, d in zip(u, k3[1])])
    add = lambda x, k: [x[i] + h / 6 * (k1[k][i] + 2 * k2[k][i] + 2 * k3[k][i] + k4[k][i]) for i in range(3)]
    return add(q, 0), add(u, 1)


def guards(mode, flow, q, u, fresh):
    """Functions that are positive within the mode. Contacts that have just opened wait until they separate."""
    _, normal, tangent = evaluate(flow, q)
    out = []
    for i in range(3):
        if mode[i] == OPEN:
            if i not in fresh:
                out.append(("hit", i, gap0[i] + dot(N[i], q)))
            continue
        out.append(("leave", i, normal[i]))
        if mode[i] == STICK:
            out.append(("slip", i, mu * normal[i] - abs(tangent[i])))
        else:
            out.append(("stop", i, SIGN[mode[i]] * dot(T[i], u)))
    return out


def run(t_end, h):
    t, q, u = 0.0, [0.0, -0.1036, -0.2788], [-0.3411, 0.0, -7.4583]
    q[1] = -gap0[1] / h_M  # the published start, rounded there: the lower edge on the pole
    closed = {1}
    mode = find_mode(closed, u, q)
    flow = make_flow(mode)
    fresh = set(i for i in closed if mode[i] == OPEN)
    events = []
    n = 0
    while t < t_end:
        q1, u1 = step(flow, q, u, h)
        fresh = set(i for i in fresh if gap0[i] + dot(N[i], q1) <= 1e-12)
        after = guards(mode, flow, q1, u1, fresh)
        if all(x >= 0 for _, _, x in after):
            t, q, u = t + h, q1, u1
            continue
        lo, hi = 0.0, h
        for _ in range(60):
            mid = 0.5 * (lo + hi)
            qm, um = step(flow, q, u, mid)
            if all(x >= 0 for _, _, x in guards(mode, flow, qm, um, fresh)):
                lo = mid
            else:
                hi = mid
        q, u = step(flow, q, u, hi)
        what = [(k, i) for k, i, x in guards(mode, flow, q, u, fresh) if x < 0]
        t += hi
        closed = set(i for i in range(3) if mode[i] != OPEN) | set(i for k, i in what if k == "hit")
        if any(k == "hit" for k, _ in what):
            u = impact(closed, u)
        ended = set((i, mode[i]) for k, i in what if k in ("slip", "stop"))
        ended |= set((i, m) for k, i in what if k == "leave" for m in (STICK, UP, DOWN))
        mode = find_mode(closed, u, q, ended)
        flow = make_flow(mode)
        fresh = set(i for i in closed if mode[i] == OPEN)
        if len(events) > 2000:
            raise RuntimeError("events do not end")
        events.append((t, ["%s %s" % (NAMES[i], k) for k, i in what], mode, q, u))
    return events


def print_cycle(t_end, h):
    """One cycle, from one knock of the beak to the next, after the transient from the published start has died out."""
    events = run(t_end, h)
    knocks = [k for k, event in enumerate(events) if "beak hit" in event[1]]
    first, last = knocks[-2], knocks[-1]
    t0, y0 = events[first][0], events[first][3][0]
    print("# The limit cycle of the woodpecker toy, by woodpecker.py: events of one cycle and the state after each.")
    print("# t and y from the knock of the beak on; times agree to 1e-9 s for steps of 1e-4 s and 2e-4 s.")
    print("t,event,y,phi_M,phi_S,v_y,omega_M,omega_S")
    for t, what, _, q, u in events[first:last + 1]:
        print("%.9f,%s," % (t - t0, what[0]) + ",".join("%.9g" % (x + 0.0) for x in [q[0] - y0] + q[1:] + u))


if __name__ == "__main__":
    print_cycle(10.0, 1e-4)
