"""Events as people write them, read against a domain's own names and labels: one grammar for every face.

    given     = event { "," event }                    commas join whole events: all of them are known
    event     = all { "or" all }
    all       = one { "and" one }
    one       = "not" one | "(" event ")" | condition
    condition = name sign value | name "is missing" | name "is known" | name sign name

    sex=female,class=1st                              two variables, one state each
    class=1st|2nd                                     a set of states
    age>30 and age<=40, class!=1st                    comparisons: > >= < <= and !=
    age=30..40                                        a range, both ends in
    (age > 40 or smoker = yes) and not region = north
    arrival > departure                               two columns, where no state has the second one's name
    "a, b"="c=d"                                      names and labels in quotes, ' or "; or a backslash before a sign

A name or a label that the domain has as it stands needs no quotes, whatever signs and words are in it; of several
readings of a label the longest counts. Text after a comma that has no sign belongs to the label before it, so that
age=[18, 25) needs no quotes either. Of several names before a sign the shortest that is a variable counts.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import Any, Never

from depnet.data.table.variable import Domain, Variable
from depnet.errors import DataError, EvidenceError
from depnet.model.conditions import KNOWN, SIGNS, interpret, label_code
from depnet.model.event import NEGATED, Event, On, compare, join, parts_of

SYNTAX = (
    "Write variable=state, variable=state (sets: a|b, numbers: variable>5, variable=5..9, several: joined by and, or, not "
    "and parentheses)."
)
EQUALS = ("==", "=")
SPECIAL = ",=|~:<>!"
"""What a backslash or quotes protect, besides quotes and the backslash itself."""
_MISSING = re.compile(r"(.*\S)\s+is\s+(missing|known)\s*", re.DOTALL)
MOST_TEXT, MOST_NAME, MOST_DEPTH = 10_000, 1_000, 50
"""Characters of a text and of a name in it, and parentheses in each other: so that no text takes long."""
_NOT = re.compile(r"not(?=[\s(])", re.IGNORECASE)
_JOIN = re.compile(r"(?<![^\s)])(and|or)(?=[\s(]|$)", re.IGNORECASE)
_IS = re.compile(r"\s+is\s+(not\s+)?(missing|known)(?![^\s,)])", re.IGNORECASE)


def read_given(texts: str | Iterable[str], domain: Domain) -> dict[str, Any] | None:
    """The evidence of a text, or of several together, by name; None where there is none.

    What is no condition on one variable alone stands there as text that is True, as `Evidence.parse` takes it.

    >>> domain = Domain((Variable("sex", ("female", "male")), Variable("visits", (1, 2, 3))))
    >>> read_given("sex = male, visits > 1", domain)
    {'sex': 'male', 'visits': '>1'}
    >>> read_given("sex = male or visits > 1", domain)
    {'sex = male or visits > 1': True}
    """
    given: dict[str, Any] = {}
    events = [
        event
        for text in ([texts] if isinstance(texts, str) else texts)
        for event in _Reader(domain, text).all_events()
    ]
    for part in parts_of(join("and", events)):
        plain = part if isinstance(part, On) and part.plain else None
        name = str(part) if plain is None else domain.names[plain.column]
        if name in given:
            raise EvidenceError(f"{name!r} is given twice. Say it once, with all values that it may have.")
        given[name] = True if plain is None else plain.condition
    return given or None


def read_event(domain: Domain, text: str, *, true: bool = True) -> Event:
    """The event that a text means; with `true` False, that it is known not to be so.

    >>> domain = Domain((Variable("sex", ("female", "male")), Variable("visits", (1, 2, 3))))
    >>> str(read_event(domain, "not (sex = male or visits > 1)"))
    'not sex = male and not visits > 1'
    """
    reader = _Reader(domain, text)
    event = reader.event(true)
    reader.end()
    return event


def is_event(domain: Domain, text: object) -> bool:
    """Does a text say more than a variable's name?"""
    if not isinstance(text, str) or text in domain.names:
        return False
    return cut_at_sign(domain, text)[1] != "" or _IS.search(text) is not None


def names_of(text: str) -> list[str]:
    """Names in a list with commas; one that has a comma of its own is in quotes."""
    return [unquote(part) for part in split(text, ",") if part.strip()]


class _Reader:
    """Reads a text from its beginning, by recursive descent."""

    def __init__(self, domain: Domain, text: str) -> None:
        if len(text) > MOST_TEXT:
            raise EvidenceError(f"an event has at most {MOST_TEXT:,} characters; got {len(text):,}.")
        self._domain, self._text = domain, text
        self._at, self._depth = 0, 0
        outside = open_places(text)
        self._signs = [(at, sign, at + len(sign)) for at, sign in signs_in(text)]
        """Where each begins, what it is, and where it ends."""
        for told in filter(lambda told: outside[told.start()], _IS.finditer(text)):
            other = {"missing": "known", "known": "missing"}[told[2].lower()]
            self._signs.append((told.start(), other if told[1] else told[2].lower(), told.end()))
        self._signs.sort()
        commas = [at for at, here in enumerate(text) if here == "," and outside[at]] + [len(text)]
        with_sign = {bisect_left(commas, at) for at, _, _ in self._signs}
        # A value may end before a comma, if what follows has a sign.
        self._ends = [at for k, at in enumerate(commas[:-1]) if k + 1 in with_sign]
        self._ends += [at for at, here in enumerate(text) if here == ")" and outside[at]]
        self._ends += [found.start() for found in _JOIN.finditer(text) if outside[found.start()]]
        self._ends.sort()

    def all_events(self) -> list[Event]:
        """The events between commas, of which an end may be empty."""
        found: list[Event] = []
        while self._text[self._at :].strip(" ,\t\n"):
            while self._text[self._at] in " ,\t\n":
                self._at += 1
            found.append(self.event(True))
        return found

    def event(self, true: bool, word: str = "or") -> Event:
        """Parts joined by or, each of parts joined by and; what is known not to be so is none of them."""
        parts: list[Event] = []
        while not parts or self._goes_on(word):
            parts.append(self.event(true, "and") if word == "or" else self._one(true))
        return join(word if true else {"or": "and", "and": "or"}[word], parts)

    def _goes_on(self, word: str) -> bool:
        """Is there another part, after this word?"""
        self._skip()
        found = _JOIN.match(self._text, self._at)
        if found is None or found[1].lower() != word:
            return False
        self._at = found.end()
        return True

    def _one(self, true: bool) -> Event:
        self._skip()
        while (found := self._name()) is None and (negation := _NOT.match(self._text, self._at)):
            self._at, true = negation.end(), not true
            self._skip()
        if found is not None:
            return self._condition(true, *found)
        if not self._text.startswith("(", self._at):
            self._refuse()
        if self._depth >= MOST_DEPTH:
            raise EvidenceError(f"there are more than {MOST_DEPTH} parentheses in each other.")
        self._at, self._depth = self._at + 1, self._depth + 1
        event = self.event(true)
        self._skip()
        if not self._text.startswith(")", self._at):
            raise EvidenceError(f"a parenthesis is not closed in {self._text.strip()!r}.")
        self._at, self._depth = self._at + 1, self._depth - 1
        return event

    def _condition(self, true: bool, name: str, sign: str, begin: int) -> Event:
        first, self._at, i = self._at, begin, self._domain.index(name)
        variable = self._domain.variables[i]
        condition: Any = KNOWN if (sign == "known") == true else None
        if sign in ("missing", "known"):
            said = f"{'' if true else 'not '}{name} is {sign}"
            return On(i, interpret(variable, condition), said, true, condition)
        value = self._value(variable, sign)
        said = f"{'' if true else 'not '}{' '.join(self._text[first : self._at].split())}"
        try:
            condition = read_condition(variable, sign, value)
            allowed = interpret(variable, condition)
        except (DataError, EvidenceError):
            if unquote(value) not in self._domain.names:
                raise
            means = "=" if sign in EQUALS else SIGNS[sign]
            means = means if true else NEGATED[means]
            return compare(self._domain, i, means, self._domain.index(unquote(value)), said)
        if not true:  # what is missing is not known to be otherwise
            return On(i, ~allowed & interpret(variable, KNOWN), said)
        return On(i, allowed, said, True, condition)

    def _name(self) -> tuple[str, str, int] | None:
        """The variable whose condition begins here, the sign after its name, and where that ends."""
        for at, sign, end in self._signs:
            name = unquote(self._text[self._at : at]) if self._at <= at <= self._at + MOST_NAME else ""
            if name in self._domain.names and at > self._at:
                return name, sign, end
        return None

    def _value(self, variable: Variable, sign: str) -> str:
        """The text of the value that begins here: the longest that is a label as it stands, else up to the first end."""
        begin, text = self._at, self._text
        inside = self._depth > 0  # commas end values outside of parentheses, parentheses inside
        ends = [end for end in self._ends if end >= begin and text[end] != (",)"[not inside])]
        ends.append(len(text))
        longest = sum(len(str(state)) + 3 for state in variable.states)
        labels = (
            end
            for end in reversed(ends)
            if end <= begin + longest and _is_label(variable, sign, text[begin:end])
        )
        self._at = next(labels, ends[0])
        return text[begin : self._at]

    def _skip(self) -> None:
        self._at = len(self._text) - len(self._text[self._at :].lstrip())

    def end(self) -> None:
        """An error where text is left."""
        if self._text[self._at :].strip():
            self._refuse()

    def _refuse(self) -> Never:
        """Nothing here begins a condition: say what does not, and offer the nearest name."""
        rest = self._text[self._at :].strip()
        name, sign, _ = cut_at_sign(self._domain, rest)
        if sign and not _JOIN.search(name):
            self._domain.index(name)
        raise EvidenceError(f"{rest!r} is not a condition. {SYNTAX}")


def _is_label(variable: Variable, sign: str, text: str) -> bool:
    """Is it a label, or several, that the variable has as it stands?"""
    labels = set(map(str, variable.states))
    if sign not in EQUALS:
        whole = unquote(text)
        return whole in labels if sign == "!=" else bool({f"{sign}{whole}", f"{sign} {whole}"} & labels)
    return unquote(text) in labels or all(unquote(part) in labels for part in split(text, "|"))


def read_condition(variable: Variable, sign: str, text: str) -> object:
    """What follows a name: `sign` is one of `SIGNS` or an equals sign, `text` still in quotes where it has any."""
    if sign not in EQUALS:
        whole = SIGNS[sign] + unquote(text)
        spaced = f"{SIGNS[sign]} {unquote(text)}"
        return spaced if spaced in variable.states and whole not in variable.states else whole
    whole = unquote(text)
    of_text = {str(state): state for state in reversed(variable.states)}
    if whole in of_text:
        return of_text[whole]
    alternatives = [_alternative(variable, unquote(part)) for part in split(text, "|")]
    return alternatives[0] if len(alternatives) == 1 else frozenset(alternatives)


def _alternative(variable: Variable, text: str) -> object:
    """A state by its label or a value in it, or a range."""
    if text.startswith(tuple(SIGNS)) and text not in variable.states:
        raise EvidenceError(
            f"the condition {text!r} on {variable.name!r} has a sign after the equals sign. Write {variable.name}{text} "
            "(and >=, not =>)."
        )
    if ".." in text and variable.find(text) is None:
        return text
    code = label_code(variable, text)
    # A number is itself, and not its bin.
    return text if variable.bins is not None and text not in variable.states else variable.states[code]


def cut_at_sign(domain: Domain, text: str) -> tuple[str, str, str]:
    """The name, the sign and the rest: cut after a variable's name, else at the first sign."""
    first = None
    told = _MISSING.fullmatch(text)
    if told and unquote(told[1]) in domain.names and text.strip() not in domain.names:
        return unquote(told[1]), "is", told[2]
    for at, sign in signs_in(text):
        name = unquote(text[:at])
        found = name, sign, text[at + len(sign) :]
        if name in domain.names:
            return found
        first = first or found
    return first or (unquote(text), "", "")


def signs_in(text: str) -> list[tuple[int, str]]:
    """Every sign outside quotes, with its place."""
    found, at, places = [], 0, open_places(text)
    while at < len(text):
        whole = next((s for s in (*SIGNS, *EQUALS) if places[at] and text.startswith(s, at)), None)
        if whole is not None:
            found.append((at, whole))
        at += len(whole or " ")
    return found


def open_places(text: str) -> list[bool]:
    """Of each place, is it outside of quotes, and not after a backslash?

    A quotation begins where a name or a label does: O'Neil is none.
    """
    found, quote, begins = [], "", True
    word, protected = "", False
    for here in text:
        found.append(not (quote or protected))
        if protected:
            protected, begins, word = False, False, ""
        elif here == "\\":
            protected, begins = True, False
            found[-1] = False
        elif quote:
            quote = "" if here == quote else quote
        elif here in "\"'" and begins:
            quote, begins = here, False
            found[-1] = False
        elif here.isspace():
            begins, word = begins or word.lower() in ("and", "or", "not"), ""
        else:
            begins, word = here in "|,=<>(", word + here
    return found


def cut_at(text: str, signs: str) -> tuple[str, str, str]:
    """The text before the first of `signs` outside quotes, that sign, and the rest, as `str.partition`."""
    places = open_places(text)
    at = next((at for at, here in enumerate(text) if here in signs and places[at]), len(text))
    return text[:at], text[at : at + 1], text[at + 1 :]


def split(text: str, sign: str) -> list[str]:
    """The text cut at every `sign` outside quotes."""
    parts, rest = [], text
    while True:
        head, found, rest = cut_at(rest, sign)
        parts.append(head)
        if not found:
            return parts


def unquote(text: str) -> str:
    """A name or a label without its quotes and backslashes."""
    bare = text.strip()
    if len(bare) >= 2 and bare[0] in "\"'" and bare[-1] == bare[0]:
        bare = bare[1:-1]
    return re.sub(rf"\\([{SPECIAL}\\\"'])", r"\1", bare)


def quote(text: str) -> str:
    """A name or a label in quotes, where it needs them."""
    return f'"{text}"' if any(sign in f"{SPECIAL}\"'\\" or sign.isspace() for sign in text) else text
