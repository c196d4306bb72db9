"""What depnet does, on one screen: learn a table's joint distribution and ask it."""

import itertools

import numpy as np

import depnet
from depnet import RandomScan
from depnet.geometry import full_conditional_divergence


def main() -> None:
    """Learn the Titanic table, and show the model's exact law beside the data's."""
    people = depnet.titanic()
    network = depnet.learn(people, smoothing=0.5)
    variables = people.domain.variables

    print(f"{people.total:,} people aboard the Titanic. What each variable's information source reads:")
    for node in network.nodes:
        reads = ", ".join(variables[j].name for j in node.source.inputs)
        print(f"  {variables[node.variable].name:<9} <- {reads:<21} {node.source.size} leaves")

    law = depnet.stationary(network, RandomScan())
    data = depnet.empirical(people)
    print("\nThe joint law: share of all people, and how many of them survived")
    print(f"  {'class':<6}{'sex':<8}{'age':<8}{'data':>8}{'model':>8}   {'survived, data':>15}{'model':>8}")
    groups = itertools.product(*(enumerate(v.states) for v in variables[:3]))
    for (c, class_), (s, sex), (a, age) in groups:
        there, said = data[c, s, a], law[c, s, a]
        rate = f"{there[1] / there.sum():15.1%}" if there.sum() else f"{'nobody':>15}"
        print(
            f"  {class_:<6}{sex:<8}{age:<8}{there.sum():8.2%}{said.sum():8.2%}   {rate}{said[1] / said.sum():8.1%}"
        )

    certificate = depnet.certificate(network, people)
    distance = full_conditional_divergence(data, law)
    print(
        f"\nFull conditional divergence from the data to the model: {distance:.5f} nats, and by Theorem 3 never "
        f"more than\nits FC-limit, {certificate.fc_limit:.5f} (a model of independent variables: "
        f"{certificate.one_leaf_limit:.5f})."
    )

    answer = depnet.query(network, "survived", {"sex": "female", "age": "adult"}, data=people)
    print(f"\nAsk it anything:\n{answer}")
    rows = depnet.sample(network, 5, evidence={"survived": "Yes"}, rng=np.random.default_rng(1))
    drawn = ("/".join(str(v.states[c]) for v, c in zip(variables, row, strict=True)) for row in rows.codes)
    print(f"New rows, given that they survived: {', '.join(drawn)}")


if __name__ == "__main__":
    main()
