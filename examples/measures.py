"""Numbers as numbers: ranges as what is known, means and intervals as answers, one column predicted, holes filled.

The table is scikit-learn's: 442 people with diabetes, ten measures, and how far the disease went within a year (`target`).
"""

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

import depnet


def main() -> None:
    """Ask about numbers, predict one, and fill holes, each beside the rows themselves."""
    people = load_diabetes(as_frame=True, scaled=False).frame

    print("How far did the disease go in people with a body mass index of 30 or more?")
    model = depnet.DependencyNetwork().fit(people)
    answer = model.query("target", {"bmi": ">=30"})
    found, heavy = answer.numbers["target"], people[people.bmi >= 30].target
    print(f"  the model and its table: mean {found.mean:.0f}, median {found.median:.0f}")
    print(f"  the rows themselves:     mean {heavy.mean():.0f}, median {heavy.median():.0f}")

    probable = np.asarray(model.query("target > 200", {"bmi": ">=30", "bp": slice(100, None)}).combined)[1]
    rows = people[(people.bmi >= 30) & (people.bp >= 100)].target
    print("How probable is more than 200, if the blood pressure is 100 or more, too?")
    print(f"  {probable:.2f} (of the {len(rows)} people that this is true of: {(rows > 200).mean():.2f})")

    print("\nOne column predicted from the others, for people that were not learned from")
    learned, held_out = train_test_split(people, test_size=0.3, random_state=0)
    regressor = depnet.DependencyNetworkRegressor(random_state=0)
    regressor.fit(learned.drop(columns="target"), learned.target)
    unseen = held_out.drop(columns="target")
    low, high = regressor.predict_quantiles(unseen, [0.05, 0.95]).T
    within = ((low <= held_out.target) & (held_out.target <= high)).mean()
    print(
        f"  R2 {regressor.score(unseen, held_out.target):.2f}; its 90 % intervals hold {within:.0%} of them"
    )

    print("\nA tenth of all cells hidden, and filled")
    rng = np.random.default_rng(0)
    hidden = people.mask(rng.random(people.shape) < 0.1)
    filled = depnet.DependencyNetworkImputer(random_state=0).fit_transform(hidden)
    spread = people.std()
    holes = hidden.isna()
    for name, guess in (("the imputer", filled), ("the columns' means", hidden.fillna(hidden.mean()))):
        errors = ((guess - people) / spread)[holes].stack()
        print(f"  {name}: off by {np.sqrt((errors**2).mean()):.2f} standard deviations")


if __name__ == "__main__":
    main()
