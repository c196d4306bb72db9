"""BIF, the text in which programs for Bayesian networks exchange them: an ordered law, in and out.

    variable sex { type discrete [ 2 ] { female, male }; }
    probability ( survived | sex ) { (female) 0.27, 0.73; (male) 0.79, 0.21; }

A name there is a word of letters, digits and underlines. What is none is made one, and the variable as it is stands beside
it in a comment that only depnet reads; so do the tiers of an order. Probabilities are written in full: a law that is read
again is the same, with its sources as tables. Counts, and where in their bins numbers lie, have no place in BIF.

A table has a row for every combination of what is read, so files are for laws whose nodes read little; nothing is made of a
size that the file only claims.
"""

import graphlib
import heapq
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

import msgspec
import numpy as np

from depnet.arrays import FloatArray, read_only
from depnet.data.table.variable import MAX_CARDINALITY, Domain, Variable
from depnet.errors import ModelFileError, brief
from depnet.model.file.fields import Fields, VariableFields, decode, locate_errors
from depnet.model.mixture import Mixture
from depnet.model.model import Model
from depnet.model.network import Network
from depnet.model.node import TableNode
from depnet.model.sources.source import ConstantSource, JointStates, TabulatedSource, how_many_joint_states
from depnet.model.table import ROW_SUM_TOLERANCE, ConditionalTable

MOST_NUMBERS = 2**21
"""Probabilities of one file: 40 MB of text."""
ROUNDED = 0.01
"""How far a row may be from summing to one; files have few digits."""

_TOKEN = re.compile(
    r"// depnet (?P<told>\{[^\n]*)|(?P<skip>\s+|//[^\n]*|/\*.*?\*/|property\s(?:\"[^\"]*\"|[^;\"])*;)"
    r"|(?P<sign>[{}\[\](),;|])|\"(?P<text>[^\"]*)\"|(?P<word>[^\s{}\[\](),;|\"]+)|(?P<wrong>.)",
    re.DOTALL,
)
_KEYWORDS = ("network", "variable", "probability", "type", "discrete", "property", "table", "default")


class _Tiers(Fields):
    tiers: list[int]


class _Tokens:
    """The words and signs of a file, one after the other; what a comment of depnet's tells is in `told`."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self.told = text, 0, ""
        self._rest = self._scan()

    def _scan(self) -> Iterator[str]:
        for found in _TOKEN.finditer(self._text):
            self._at = found.start()
            if found.lastgroup == "wrong":
                self.fail("a quotation mark that is not closed")
            elif found.lastgroup == "told":
                self.told = found["told"]
            elif found.lastgroup != "skip":
                yield found[found.lastgroup or 0]
        self._at = len(self._text)

    def fail(self, what: str) -> NoReturn:
        raise ModelFileError(f"line {self._text.count(chr(10), 0, self._at) + 1}: {what}.")

    def next(self) -> str:
        """The next one; empty at the end of the file."""
        return next(self._rest, "")

    def expect(self, *tokens: str) -> None:
        for wanted in tokens:
            if (token := self.next()) != wanted:
                self.fail(f"expected {wanted!r}; got {_shown(token)}")

    def words(self, end: str, most: int = MAX_CARDINALITY) -> list[str]:
        """What stands before `end`; commas and bars are blanks."""
        found: list[str] = []
        while (token := self.next()) != end:
            if token in tuple("{}[]();") or not token or len(found) > most:
                self.fail(f"expected words, at most {most:,}, and then {end!r}; got {_shown(token)}")
            if token not in (",", "|"):
                found.append(token)
        return found

    def numbers(self, count: int) -> FloatArray:
        """As many numbers, up to the semicolon."""
        words = self.words(";", count)
        try:
            found = np.array(words, dtype=np.float64)
        except ValueError:
            self.fail(f"expected numbers; got {brief(words)}")
        if len(found) != count or not (found >= 0).all() or not (found < math.inf).all():
            self.fail(f"expected {count:,} numbers, none below 0; got {brief(words)}")
        return found


def _shown(token: str) -> str:
    return brief(token) if token else "the end of the file"


def read_bif(data: bytearray) -> Model:
    """The ordered law that the bytes of a BIF file describe."""
    try:
        tokens = _Tokens(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ModelFileError("a text in it is not UTF-8.") from None
    return Model(_Reader(tokens).read())


class _Reader:
    """The blocks of a file: variables by the words that they are called, and their tables."""

    def __init__(self, tokens: _Tokens) -> None:
        self.tokens = tokens
        self.places: dict[str, int] = {}
        self.codes: list[dict[str, int]] = []
        self.variables: list[Variable] = []
        self.parents: dict[int, list[int]] = {}  # in the order of the file
        self.tables: dict[int, FloatArray] = {}
        self.left = MOST_NUMBERS
        self.tiers: tuple[int, ...] | None = None

    def read(self) -> Network:
        tokens = self.tokens
        while block := tokens.next():
            if block == "network":
                tokens.told = ""
                while block not in ("{", ""):
                    block = tokens.next()
                tokens.expect("}")
                if tokens.told:
                    self.tiers = tuple(decode(tokens.told.encode(), _Tiers, "tiers").tiers)
            elif block == "variable":
                self._variable()
            elif block == "probability":
                self._probability()
            else:
                tokens.fail(f"expected network, variable or probability; got {_shown(block)}")
        bare = next((v.name for i, v in enumerate(self.variables) if i not in self.tables), None)
        if bare is not None or not self.variables:
            tokens.fail("there are no variables" if bare is None else f"{bare!r} has no probabilities")
        with locate_errors("the file"):
            domain = Domain(tuple(self.variables))
            nodes = tuple(self._node(i) for i in range(len(domain)))
            return Network(domain, nodes, order=self._order(), tiers=self.tiers)

    def _variable(self) -> None:
        tokens, tokens.told = self.tokens, ""
        name = tokens.next()
        tokens.expect("{", "type", "discrete", "[")
        size = tokens.next()
        tokens.expect("]", "{")
        states = tokens.words("}")
        tokens.expect(";", "}")
        codes = {state: code for code, state in enumerate(states)}
        if name in self.places or size != str(len(states)) or len(codes) < len(states):
            tokens.fail(
                f"expected a new variable with {size} different states; got {name} with {brief(states)}"
            )
        variable = Variable(name, tuple(states)) if states else tokens.fail(f"{name} has no states")
        if tokens.told:
            variable = decode(tokens.told.encode(), VariableFields, name).read(name)
        if variable.cardinality != len(states):
            tokens.fail(f"the comment of {name} has {variable.cardinality} states, and it {len(states)}")
        self.places[name] = len(self.variables)
        self.variables.append(variable)
        self.codes.append(codes)

    def _probability(self) -> None:
        tokens = self.tokens
        tokens.expect("(")
        names = tokens.words(")")
        unknown = next((name for name in names if name not in self.places), None)
        if unknown is not None or not names or len(set(names)) < len(names):
            tokens.fail(
                f"expected different variables that were declared before; got {brief(unknown or names)}"
            )
        i, *parents = (self.places[name] for name in names)
        if i in self.tables:
            tokens.fail(f"{names[0]} has its probabilities already")
        shape = [len(self.codes[j]) for j in (*parents, i)]
        self.left -= math.prod(shape)
        if self.left < 0:
            tokens.fail(f"the tables have more than {MOST_NUMBERS:,} probabilities")
        table = np.full(shape, np.nan)
        tokens.expect("{")
        while (token := tokens.next()) != "}":
            if token == "table":  # the states of the variable itself change slowest
                table[:] = np.moveaxis(tokens.numbers(table.size).reshape(shape[-1], *shape[:-1]), 0, -1)
            elif token == "default":
                table[np.isnan(table).any(axis=-1)] = tokens.numbers(shape[-1])
            elif token == "(":
                states = tokens.words(")")
                known = [self.codes[j].get(state) for j, state in zip(parents, states, strict=False)]
                if len(states) != len(parents) or None in known:
                    tokens.fail(f"expected a state of each of {', '.join(names[1:])}; got {brief(states)}")
                table[tuple(known)] = tokens.numbers(shape[-1])
            else:
                tokens.fail(f"expected table, default or (states); got {_shown(token)}")
        totals = table.sum(axis=-1, keepdims=True)
        if not (np.abs(totals - 1) <= ROUNDED).all():
            tokens.fail(
                f"the probabilities of {names[0]} are not given for all that it reads, or do not sum to 1"
            )
        rough = np.abs(totals[..., 0] - 1) > ROW_SUM_TOLERANCE  # others stay bit for bit
        table[rough] /= totals[rough]
        self.tables[i], self.parents[i] = table, parents

    def _node(self, i: int) -> TableNode:
        """The table with a leaf for each row that differs."""
        parents, table = self.parents[i], self.tables.pop(i)
        inputs = tuple(sorted(parents))
        table = table.transpose([*map(parents.index, inputs), len(parents)])
        rows, found = np.unique(table.reshape(-1, table.shape[-1]), axis=0, return_inverse=True)
        leaves = found.ravel().astype(np.int32)
        source = TabulatedSource(inputs, table.shape[:-1], leaves, len(rows)) if inputs else ConstantSource()
        return TableNode(i, source, ConditionalTable(read_only(rows)))

    def _order(self) -> tuple[int, ...]:
        """The variables as their tables stand in the file, but none before what it reads."""
        sorter = graphlib.TopologicalSorter(self.parents)
        try:
            sorter.prepare()
        except graphlib.CycleError as error:
            circle = " -> ".join(self.variables[i].name for i in reversed(error.args[1]))
            raise ModelFileError(f"the arcs go round in a circle: {brief(circle, 200)}.") from None
        place = {i: at for at, i in enumerate(self.parents)}
        order: list[int] = []
        ready: list[tuple[int, int]] = []
        while sorter.is_active():
            for i in sorter.get_ready():
                heapq.heappush(ready, (place[i], i))
            order.append(heapq.heappop(ready)[1])
            sorter.done(order[-1])
        return tuple(order)


def encode_bif(model: Model) -> bytes:
    """The bytes of a BIF file of a model's law; refused where its tables are too long."""
    law = model.law
    if law is None:
        raise ModelFileError("BIF holds an ordered law, and this model has none. Fit again to get one.")
    if isinstance(law, Mixture):
        raise ModelFileError(
            "BIF holds one ordered law, and this model's is a mixture of several. Save it as a model file (.json), "
            "or one of its components as BIF."
        )
    domain, cards = law.domain, law.domain.cardinalities
    assert law.order is not None
    sizes = {i: [cards[j] for j in (*law.nodes[i].inputs, i)] for i in law.order}
    if sum(map(math.prod, sizes.values())) > MOST_NUMBERS:
        largest = sorted(sizes, key=lambda i: -math.prod(sizes[i]))[:3]
        each = (f"{domain.names[i]!r} {how_many_joint_states(sizes[i])}" for i in largest)
        raise ModelFileError(
            f"BIF writes a probability for every combination of what a column is predicted from, at most {MOST_NUMBERS:,} "
            f"in a file; the largest tables would have: {', '.join(each)}. Fit fewer columns, or with fewer bins "
            "(bins=, in the command --bins) or groups (max_leaves, --max-leaves)."
        )
    names, words = _words(domain.names), [_words(variable.states) for variable in domain.variables]
    tiers = "" if law.tiers is None else f"  // depnet {_json(_Tiers([*law.tiers]))}\n"
    lines = [f"network depnet {{\n{tiers}}}"]
    for i, variable in enumerate(domain.variables):
        told = VariableFields.of(variable, f"variable {names[i]}")
        plain = told == VariableFields.of(Variable(names[i], tuple(words[i])), names[i])
        lines += [f"variable {names[i]} {{", *([] if plain else [f"  // depnet {_json(told)}"])]
        lines.append(f"  type discrete [ {len(words[i])} ] {{ {', '.join(words[i])} }};\n}}")
    for i in law.order:
        inputs = law.nodes[i].inputs
        leaves, rows = law.nodes[i].written_out(JointStates(cards, inputs))
        numbers = [", ".join(map(repr, row)) for row in rows.tolist()]
        given = f" | {', '.join(names[j] for j in inputs)}" if inputs else ""
        lines.append(f"probability ( {names[i]}{given} ) {{")
        if inputs:
            for codes, leaf in zip(np.ndindex(*sizes[i][:-1]), leaves.tolist(), strict=True):
                states = ", ".join(words[j][code] for j, code in zip(inputs, codes, strict=True))
                lines.append(f"  ({states}) {numbers[leaf]};")
        else:
            lines.append(f"  table {numbers[leaves[0]]};")
        lines.append("}")
    return ("\n".join(lines) + "\n").encode()


def _words(labels: Iterable[Any]) -> Sequence[str]:
    """A word of BIF for each label, no two alike.

    >>> _words(["a b", "a_b", "table", 3.5])
    ['a_b', 'a_b_1', 'table_', '3_5']
    """
    found: dict[str, None] = {}
    for label in labels:
        word = re.sub(r"[^A-Za-z0-9_]", "_", str(label)) or "_"
        word += "_" if word in _KEYWORDS else ""
        tries = (f"{word}_{n}" for n in range(1, len(found) + 2))
        found[word if word not in found else next(each for each in tries if each not in found)] = None
    return list(found)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
