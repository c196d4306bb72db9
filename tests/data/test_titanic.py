"""The bundled table is the one it says it is."""

import numpy as np

from depnet.data.titanic import titanic


def test_titanic_counts() -> None:
    people = titanic()
    who = {name: people.column(i) for i, name in enumerate(people.domain.names)}
    code = {v.name: v.code for v in people.domain.variables}

    def count(**labels: str) -> int:
        matches = [who[name] == code[name](label) for name, label in labels.items()]
        return int(np.logical_and.reduce(matches).sum())

    assert people.total == 2201
    assert count(survived="Yes") == 711
    assert (count(**{"class": "1st"}), count(**{"class": "2nd"})) == (325, 285)
    assert (count(**{"class": "3rd"}), count(**{"class": "Crew"})) == (706, 885)
    assert (count(sex="female"), count(age="child")) == (470, 109)
    assert count(sex="female", age="adult", survived="Yes", **{"class": "1st"}) == 140
