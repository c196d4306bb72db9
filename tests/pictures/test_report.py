"""The report: one file, nothing that runs, nothing from elsewhere, the same bytes twice."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from depnet import Dataset, DependencyNetwork, Domain, certificate, learn, sample, titanic
from depnet.model.marginals import HeldOut
from depnet.pictures import html_report
from depnet.pictures.labels import line, short
from tests.law.cases import given_tables
from tests.mixed import mixed_titanic
from tests.pictures.cases import CASES, HOSTILE, hostile

VOID = {"meta", "br"}
PEOPLE = titanic()
NETWORK = learn(PEOPLE, smoothing=0.5)


class Page(HTMLParser):
    """Every tag in its place, every text as a browser shows it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.words: list[str] = []
        self.tags: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert name not in ("href", "src", "action", "srcdoc", "xlink:href"), name
            assert "url(" not in (value or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def check(text: str) -> Page:
    page = Page(text)
    assert not {"script", "link", "iframe", "img", "object", "form", "a"} & set(page.tags)
    assert "Content-Security-Policy" in text
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text
    return page


@pytest.mark.parametrize("name", CASES)
def test_with_and_without_rows(name: str) -> None:
    network, data = CASES[name]()
    rows = sample(network, 400, burn_in=5, thin=1, chains=40, rng=np.random.default_rng(0))
    page = check(html_report(network, data, sampled=rows))
    words = "\n".join(page.words)
    headings = (
        "In short",
        "Columns",
        "What depends on what",
        "Unusual rows",
        "Synthetic rows beside the table's",
    )
    for heading in (*headings, certificate(network, data).said):
        assert heading in words
    alone = "\n".join(check(html_report(network, sampled=rows)).words)
    assert certificate(network, data).said not in alone
    assert "Unusual rows" not in alone
    kept = html_report(network.with_counts(data), sampled=rows)
    assert "by chance, on average" in "\n".join(check(kept).words)


def test_no_bar_is_wider_than_its_track() -> None:
    rng = np.random.default_rng(0)
    rows = Dataset.from_codes(rng.integers(0, 260, (5_000, 2)), domain=Domain.from_cardinalities([260, 260]))
    text = html_report(learn(rows).with_counts(rows), rows)
    assert "253 other values" in text
    assert max(float(width) for width in re.findall(r"width:([0-9.]+)%", text)) <= 100


def test_the_seed_decides_what_is_drawn() -> None:
    text, same, other = (html_report(NETWORK, PEOPLE, drawn=300, seed=seed) for seed in (1, 1, 2))
    assert text == same != other


def test_hostile_labels_are_shown_as_text() -> None:
    network, data = hostile()
    page = check(html_report(network, data, title=HOSTILE[0], drawn=400))
    assert page.words.count(line(HOSTILE[0])) >= 2, "in the title and in the heading"
    for name in HOSTILE:
        assert short(name, 40) in page.words


def test_mutant_an_unescaped_label_would_be_seen() -> None:
    network, data = hostile()
    text = html_report(network, data, drawn=400).replace("&lt;script&gt;", "<script>", 1)
    with pytest.raises(AssertionError):
        check(text)


def test_with_a_law_the_report_is_of_it_and_of_the_network() -> None:
    assert certificate(NETWORK, PEOPLE).said in " ".join(Page(html_report(NETWORK, PEOPLE, drawn=400)).words)
    held_out = HeldOut(rows=660, score=-2.0, independent=-2.5)
    law = replace(learn(PEOPLE, smoothing=0.5, order="auto"), held_out=held_out)
    page = check(html_report(NETWORK, PEOPLE, law=law, drawn=2000))
    words = " ".join(page.words)
    assert "knowing the other columns removes 20 % of the uncertainty" in words
    assert "Shares in rows drawn from it differ from the table's by" in words
    assert all(certificate(each, PEOPLE).said in words for each in (law, NETWORK))
    assert html_report(law, PEOPLE, drawn=500) == html_report(law, PEOPLE, law=law, drawn=500), "a law alone"


def test_rows_are_drawn_from_the_law() -> None:
    """The network's own law has X0 = 1 in a tenth of its rows, the ordered one in nine tenths."""
    few = given_tables(([], [[0.9, 0.1]]), in_order=False)
    many = given_tables(([], [[0.1, 0.9]]))
    data = Dataset.from_codes([[1]] * 9 + [[0]], [2])
    far = html_report(few, data, drawn=4000)
    close = html_report(few, data, law=many, drawn=4000)
    assert _first_distance(far) > 0.7
    assert _first_distance(close) < 0.05


def _first_distance(text: str) -> float:
    (found,) = re.findall(
        r"differ from the table's by ([0-9.]+) % for single columns", text.replace("&#x27;", "'")
    )
    return float(found) / 100


def test_a_chain_that_cannot_be_drawn_from_is_said() -> None:
    copies = given_tables(*[([j], [[1.0, 0.0], [0.0, 1.0]]) for j in (1, 0)], in_order=False)
    page = check(html_report(copies, drawn=400))
    assert any("No synthetic rows" in word for word in page.words)


def test_a_report_of_a_network_with_a_boosted_node() -> None:
    text = html_report(mixed_titanic(), PEOPLE, sampled=PEOPLE)
    assert "what each input gained" in " ".join(Page(text).words)
    assert text == html_report(mixed_titanic(), PEOPLE, sampled=PEOPLE)


def test_histograms_sentences_and_reasons_are_those_of_the_table() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"kind": rng.choice(["a", "b"], 500), "age": rng.integers(20, 40, 500).astype(float)}
    )
    frame["wage"] = np.where(frame["kind"] == "a", 20_000.0, 50_000.0) + 100.0 * rng.normal(size=500)
    frame.loc[:49, "age"] = np.nan
    frame.loc[7, ["kind", "wage"]] = ["a", 50_000.0]
    model = DependencyNetwork(random_state=0).fit(frame)
    text = html_report(
        model.network_, model.data_, law=model.law_, title="people.csv", left_out=["name"], drawn=500
    )
    said = " ".join(check(text).words)
    assert "500 rows, 3 columns" in said
    assert "Missing: age in 10 % of the rows." in said
    assert "Left out, since nothing can be learned from them: name." in said
    assert re.search(
        r"wage is predicted by kind: in these rows, the other columns remove \d+ % of its uncertainty", said
    )
    assert f"mean {frame['wage'].mean():,.0f}" in said
    (bars,) = re.findall(r'aria-label="Histogram of age">(.*?)</svg>', text)
    heights = np.array([float(height) for height in re.findall(r'height="([0-9.]+)"', bars)])
    counts = frame["age"].value_counts().sort_index().to_numpy()
    assert heights == pytest.approx(58 * counts / counts.max(), abs=0.06), "a bar for each whole number"
    unusual = said.partition("Unusual rows")[2].partition("Synthetic rows beside")[0]
    assert unusual.split("how unusual")[1].split()[0] == "8", "the row that was made odd, counted from 1"
