"""One column predicted from the others: by one decision graph, the paper's node, and by many small ones, boosted.

The table comes with scikit-learn: 569 tumours, thirty measurements of each, and whether it was malignant.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import train_test_split

from depnet import BoostedNode, DependencyNetworkClassifier


def main() -> None:
    """Learn from three quarters of the rows, and predict the others."""
    table = load_breast_cancer()
    y = table.target_names[table.target]
    X_train, X_test, y_train, y_test = train_test_split(table.data, y, random_state=0, stratify=y)

    print(f"Learned from {len(X_train)} tumours, asked about {len(X_test)} others:")
    for name, boost in (("one decision graph (boost=None)", None), ("many small ones (the default)", "auto")):
        model = DependencyNetworkClassifier(boost=boost, random_state=0).fit(X_train, y_train)
        loss = log_loss(y_test, model.predict_proba(X_test), labels=model.classes_)
        right = accuracy_score(y_test, model.predict(X_test))
        print(f"  {name:32} right {right:.3f}, log loss {loss:.3f}")

    node = model.network_.nodes[-1]
    assert isinstance(node, BoostedNode)
    told = sorted(zip(node.gains, table.feature_names[list(node.inputs)], strict=True), reverse=True)[:3]
    print("What told it most, in nats a row:")
    for gain, name in told:
        print(f"  {name:32} {gain:.3f}")


if __name__ == "__main__":
    main()
