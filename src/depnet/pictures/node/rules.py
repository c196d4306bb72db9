"""The rule of a vertex in words, that is which rows reach it; and the vertices that rows can reach given evidence.

A way from the root to a vertex asks of each variable on it to be in some of its states, and a vertex that several ways
lead to is reached by any of them. Ways that differ in one variable alone are one rule, with the states of both:

    class = 1st, sex = female   or   class = 2nd, sex = female      is      class is 1st or 2nd, and sex is female
"""

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from depnet.data.table.variable import Domain, Label, Variable
from depnet.pictures.labels import short
from depnet.pictures.node.decision import LETTERS, Branch, Decision, DecisionTest, Vertex, describe_run

Rule = Mapping[str, frozenset[Label]]
"""The states that each tested variable may have; variables that are not tested are left out."""

MOST_WAYS = 64
"""Ways to a vertex that are followed."""

MOST_SAID = 3
MOST_RUNS = 3
MOST_LABELS = 6

WaysIn = Mapping[int, Sequence[tuple[int, frozenset[Label]]]]


def ways_in(graph: Decision) -> WaysIn:
    """For each vertex the tests that lead to it, and by which states."""
    above: dict[int, list[tuple[int, frozenset[Label]]]] = {}
    for v, test in enumerate(graph.vertices):
        for branch in test.branches:
            above.setdefault(branch.to, []).append((v, frozenset(branch.states)))
    return above


def rules_of(
    graph: Decision, domain: Domain, vertex: int, above: WaysIn | None = None
) -> tuple[tuple[Rule, ...], bool]:
    """The rules by which rows come to a vertex, any of which is enough; and whether there are more, not followed here.

    `above` is the graph's `ways_in`, found once for many vertices.

    A way that no row can go, because it asks a variable twice for different states, is none.

    >>> from depnet import learn, titanic
    >>> from depnet.pictures import decision
    >>> people = titanic()
    >>> graph = decision(learn(people), "age")
    >>> [describe_rule(people.domain, rule) for rule in rules_of(graph, people.domain, 0)[0]]
    ['all rows']
    """
    above = ways_in(graph) if above is None else above
    found: list[dict[str, frozenset[Label]]] = []
    waiting: list[tuple[int, dict[str, frozenset[Label]]]] = [(vertex, {})]
    steps = 0
    while waiting and len(found) < MOST_WAYS and steps < MOST_WAYS * 30:
        steps += 1
        v, rule = waiting.pop()
        if v == 0:
            found.append(rule)
            continue
        for u, states in reversed(above.get(v, ())):
            name = graph.vertices[u].variable  # type: ignore[union-attr]  # what leads on is a test
            both = states & rule.get(name, states)
            if both:
                waiting.append((u, {name: both, **{k: s for k, s in rule.items() if k != name}}))
    return tuple(_merge(found, domain)), bool(waiting)


def _merge(rules: list[dict[str, frozenset[Label]]], domain: Domain) -> list[dict[str, frozenset[Label]]]:
    """Rules that differ in one variable alone made one, as long as there are any."""
    left = list(rules)
    for (k, a), (other, b) in itertools.combinations(enumerate(left), 2):
        if a.keys() == b.keys() and sum(a[name] != b[name] for name in a) <= 1:
            both = {name: a[name] | b[name] for name in a}
            sizes = {name: domain.variables[domain.index(name)].cardinality for name in both}
            left[k] = {name: states for name, states in both.items() if len(states) < sizes[name]}
            del left[other]
            return _merge(left, domain)  # what is joined may now be joined with others
    return left


def describe_rules(domain: Domain, rules: Sequence[Rule], more: bool = False) -> str:
    """Rules in words, the first of them where there are many."""
    texts = [describe_rule(domain, rule) for rule in rules[:MOST_SAID]]
    left = len(rules) - len(texts)
    if more:
        texts.append("many other ways")
    elif left:
        texts.append("another way" if left == 1 else f"{left} other ways")
    return "; or ".join(texts) if texts else "no row"


def describe_rule(domain: Domain, rule: Rule) -> str:
    texts = [describe_states(domain.variables[domain.index(name)], states) for name, states in rule.items()]
    return ", and ".join(texts) if texts else "all rows"


def describe_states(variable: Variable, states: Collection[Label]) -> str:
    """Say in words which states a variable must have: a run of numbers by its ends, other states one by one.

    >>> describe_states(Variable("class", ("1st", "2nd", "3rd", "Crew")), ("1st", "2nd"))
    'class is 1st or 2nd'
    >>> describe_states(Variable("children", (0, 1, 2, 3)), (0, 1)), describe_states(Variable("sizes", (1, 2, 3)), (2, 3))
    ('children is at most 1', 'sizes is at least 2')
    >>> describe_states(Variable("class", ("1st", "2nd", "3rd", "Crew")), ("1st", "2nd", "3rd"))
    'class is not Crew'
    >>> from depnet.data import Bins
    >>> ages = Bins((0, 18, 40, 65, 99), ((9,), (30,), (50,), (70,)), "integer")
    >>> describe_states(Variable("age", ages.ranges, ages), (ages.ranges[0], *ages.ranges[2:]))
    'age is below 18 or at least 40'
    """
    name = short(variable.name, 2 * LETTERS)
    codes = sorted(variable.code(state) for state in states)
    missing = variable.missing is not None and bool(codes) and codes[-1] == variable.cardinality - 1
    present = codes[:-1] if missing else codes
    runs = _runs(present) if variable.has_order else []
    single = {run[0]: short(variable.states[run[0]], LETTERS) for run in runs if len(run) == 1}
    ends = [describe_run(variable, run) or single.get(run[0], "") for run in runs]
    if ends and all(ends) and len(ends) <= MOST_RUNS:
        return f"{name} is {' or '.join([*ends, *(['missing'] if missing else [])])}"
    apart = [state for code, state in enumerate(variable.states) if code not in set(codes)]
    if len(apart) == 1 and len(codes) > 2:
        return f"{name} is not {'missing' if apart[0] == variable.missing else short(apart[0], LETTERS)}"
    labels = [short(variable.states[code], LETTERS) for code in present] + (["missing"] if missing else [])
    if len(labels) > MOST_LABELS:
        labels = [*labels[: MOST_LABELS - 1], f"{len(labels) - MOST_LABELS + 1} others"]
    return (
        f"{name} is {', '.join(labels[:-1])} or {labels[-1]}" if len(labels) > 1 else f"{name} is {labels[0]}"
    )


def _runs(codes: Sequence[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for code in codes:
        if runs and code == runs[-1][-1] + 1:
            runs[-1].append(code)
        else:
            runs.append([code])
    return runs


@dataclass(frozen=True, slots=True)
class Reached:
    """`path` is sure, from the root on, as far as what is known decides; `vertices` can still be reached."""

    path: tuple[int, ...]
    vertices: frozenset[int]


def find_reached(graph: Decision, allowed: Mapping[str, Collection[Label]]) -> Reached:
    """Where rows come whose variables are in one of the states that `allowed` names; others may be in any.

    A variable that is tested twice on a way, and of which several states are allowed, may let more vertices stay than rows
    can reach: each test is looked at by itself.
    """

    def open_branches(vertex: Vertex) -> list[Branch]:
        if not isinstance(vertex, DecisionTest) or vertex.variable not in allowed:
            return list(vertex.branches)
        states = allowed[vertex.variable]
        return [branch for branch in vertex.branches if any(state in states for state in branch.states)]

    path = [0]
    while len(ways := open_branches(graph.vertices[path[-1]])) == 1:
        path.append(ways[0].to)
    seen = set(path)
    waiting = [path[-1]]
    while waiting:
        for branch in open_branches(graph.vertices[waiting.pop()]):
            if branch.to not in seen:
                seen.add(branch.to)
                waiting.append(branch.to)
    return Reached(tuple(path), frozenset(seen))
