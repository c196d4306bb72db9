"""The 2,201 people aboard the Titanic, by class, sex, age and survival: a small table to try things on."""

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Domain, Variable

# (class, sex, age) -> people who died, people who survived
_PEOPLE = {
    ("1st", "male", "child"): (0, 5),
    ("1st", "male", "adult"): (118, 57),
    ("1st", "female", "child"): (0, 1),
    ("1st", "female", "adult"): (4, 140),
    ("2nd", "male", "child"): (0, 11),
    ("2nd", "male", "adult"): (154, 14),
    ("2nd", "female", "child"): (0, 13),
    ("2nd", "female", "adult"): (13, 80),
    ("3rd", "male", "child"): (35, 13),
    ("3rd", "male", "adult"): (387, 75),
    ("3rd", "female", "child"): (17, 14),
    ("3rd", "female", "adult"): (89, 76),
    ("Crew", "male", "adult"): (670, 192),
    ("Crew", "female", "adult"): (3, 20),
}


def titanic() -> Dataset:
    """A small table to try things on: the 2,201 people aboard the Titanic, by class, sex, age and survival.

    Returns:
        A `Dataset` with one row for each person.

    >>> people = titanic()
    >>> people.rows, people.domain.names
    (2201, ('class', 'sex', 'age', 'survived'))
    """
    domain = Domain(
        (
            Variable("class", ("1st", "2nd", "3rd", "Crew")),
            Variable("sex", ("female", "male")),
            Variable("age", ("adult", "child")),
            Variable("survived", ("No", "Yes")),
        )
    )
    codes = [
        [domain.variables[i].code(label) for i, label in enumerate((*who, outcome))]
        for who in _PEOPLE
        for outcome in ("No", "Yes")
    ]
    counts = np.array([count for both in _PEOPLE.values() for count in both])
    return Dataset.from_codes(np.repeat(codes, counts, axis=0), domain=domain)
