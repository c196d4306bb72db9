"""Commands on tables: fit, sample, impute, score, update, compare, export, example, against the library."""

import csv
import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import depnet as library
from depnet.data import Dataset
from depnet.data.files.read import read
from depnet.fitting.fit import FitOptions, fit_network
from depnet.inference import imputation as inference_rows
from depnet.inference.judge.cells import cell_laws
from depnet.inference.judge.compare import changed_links
from tests.cli.entry import answer, depnet, real, refused
from tests.narrowed import there

PEOPLE = library.titanic()


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def labels(domain: library.Domain, codes: Any) -> list[list[Any]]:
    return [[v.states[code] for v, code in zip(domain.variables, row, strict=True)] for row in codes]


def test_fit_is_the_library_s(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json.gz"
    found = answer("fit", table, "-o", out, "--penalty", "mdl", "--smoothing", "1", "--max-leaves", "5")
    expected = library.learn(PEOPLE, smoothing=1.0, max_leaves=5).with_counts(PEOPLE)
    assert library.load(out) == expected
    assert found["leaves"] == sum(node.source.size for node in expected.nodes)
    assert found["score"] == pytest.approx(library.score(expected, PEOPLE))
    assert found["fc_limit"] == pytest.approx(library.certificate(expected, PEOPLE).fc_limit)
    assert (found["rows"], found["variables"], found["completion"]["holes"]) == (2201, 4, 0)
    law = library.learn(PEOPLE, smoothing=1.0, max_leaves=5, order="auto").with_counts(PEOPLE)
    assert library.load(out, law=True) == law
    assert found["law"]["kl"] == pytest.approx(library.certificate(law, PEOPLE).kl)
    assert found["law"]["score"] == pytest.approx(library.score(law, PEOPLE))
    assert found["marginals"]["one_way"] < 4 * found["marginals"]["floor"]["one_way"]


def test_the_order_of_the_law_may_be_given(table: Path, tmp_path: Path) -> None:
    out, order = tmp_path / "m.json", ["survived", "age", "sex", "class"]
    fit = ("fit", table, "-o", out, "--penalty", "mdl", "--force")
    assert answer(*fit, "--order", ",".join(order))["law"]["order"] == order
    law = library.load(out, law=True)
    assert [law.domain.names[i] for i in law.order or ()] == order
    assert answer(*fit, "--order", "auto")["law"]["order"] == answer(*fit)["law"]["order"]
    assert "'clas'" in refused(*fit, "--order", "survived,age,sex,clas")


def test_fit_by_default_chooses_on_held_out_rows(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    short = depnet("fit", table, "-o", out).stdout.decode()
    assert short.index("of the uncertainty") < short.index("rows drawn from it differ")
    for theory in ("bits", "nats", "law", "leaves", "KL", "FC"):
        assert theory not in short
    text = depnet("fit", table, "-o", out, "--force", "--theory").stdout.decode()
    assert set(short.splitlines()) < set(text.splitlines())
    said = ["rows drawn from it differ", "bits a row", "KL(data || law)", "FC(data || model)"]
    assert sorted(said, key=text.index) == said, "the theory comes last"
    law = library.load(out, law=True)
    assert there(law.held_out).worth is not None
    assert library.load(out).nodes == library.learn(PEOPLE, penalty="auto", smoothing=0.5).nodes


def test_all_columns_but_some(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.json"
    depnet("fit", table, "-o", out, "--penalty", "mdl", "--without", "age", "--without", "class")
    assert library.load(out).domain.names == ("sex", "survived")
    assert "no column 'agee'. Did you mean 'age'?" in refused(
        "fit", table, "-o", tmp_path / "x.json", "--without", "agee"
    )
    both = ("--columns", "age", "--without", "sex")
    assert "give one of them" in refused("fit", table, "-o", tmp_path / "x.json", *both, code=2)
    empty = tmp_path / "empty.csv"
    empty.write_text("a,b\n1,\n2,\n", encoding="utf-8")
    assert "--without)" in refused("fit", empty, "-o", tmp_path / "x.json", "--keep", "b")
    depnet("fit", empty, "-o", tmp_path / "x.json", "--without", "b")


def test_fit_options_reach_the_learner(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.json"
    depnet(
        "fit", table, "-o", out, "--penalty", "mdl", "--columns", "class,survived", "--columns", "sex",
        "--where", "age = 'adult'", "--role", "survived=target", "--forbid", "class:sex",
        "--min-leaf-rows", "20",
    )  # fmt: skip
    network = library.load(out)
    adults = PEOPLE.codes[PEOPLE.codes[:, 2] == 0][:, [0, 3, 1]]
    domain = library.Domain(tuple(PEOPLE.domain.variables[i] for i in (0, 3, 1)))
    expected = library.learn(
        Dataset.from_codes(adults, domain=domain),
        smoothing=0.5,
        roles={"survived": "target"},
        forbidden=[("class", "sex")],
        min_leaf_rows=20,
    )
    assert network.nodes == expected.nodes


def test_bins_and_numbers(tmp_path: Path) -> None:
    path, out = tmp_path / "numbers.csv", tmp_path / "m.json"
    rng = np.random.default_rng(0)
    age = rng.integers(0, 90, 500)
    lines = [f"{a},{'old' if a > 60 else 'young'},{a * 1.5:.2f}" for a in age]
    path.write_text("\n".join(["age,who,x", *lines]) + "\n")
    depnet("fit", path, "-o", out, "--bins", "age=0|18|65|99", "--bins", "x=4", "--penalty", "mdl")
    variables = library.load(out).domain.variables
    assert variables[0].states == ("[0, 18)", "[18, 65)", "[65, 99)")
    assert variables[2].cardinality == 4
    found = answer("query", out, "who", "-g", "age=70")
    assert found["evidence"] == {"age": "70"}
    assert found["probabilities"]["who"][0] > 0.9
    depnet("sample", out, "-n", "50", "--seed", "1", "-o", tmp_path / "s.csv")
    drawn = rows_of(tmp_path / "s.csv")
    assert {float(row["age"]) for row in drawn} <= set(map(float, age)), "numbers of the table, whole ones"
    assert all(row["age"].isdigit() for row in drawn)
    assert "bins are a number" in refused("fit", path, "-o", tmp_path / "n.json", "--bins", "many", code=2)


def test_holes_are_completed_or_a_state_or_an_error(tmp_path: Path) -> None:
    path = tmp_path / "holes.csv"
    depnet("example", "titanic", "--hide", "0.1", "--seed", "5", "-o", path)
    found = answer("fit", path, "-o", tmp_path / "a.json", "--seed", "3", "--penalty", "mdl")
    holed = read(path)
    assert not isinstance(holed, Dataset)
    expected = fit_network(holed, FitOptions(penalty="mdl", n_jobs=-1), np.random.default_rng(3))
    assert library.load(tmp_path / "a.json").nodes == expected.network.nodes
    assert found["completion"] == {
        "holes": int(holed.hidden.sum()), "rounds": len(expected.rounds), "settled": expected.converged, "states": [],
    }  # fmt: skip
    states = answer("fit", path, "-o", tmp_path / "b.json", "--missing", "state", "--penalty", "mdl")
    assert states["completion"]["states"] == list(PEOPLE.domain.names)
    assert library.load(tmp_path / "b.json").domain.variables[0].cardinality == 5
    for name, full in itertools.product(("a.json", "b.json"), (False, True)):
        sample = ["sample", tmp_path / name, "-n", "2000", "--seed", "1", *(["--full"] if full else [])]
        cells = depnet(*sample).stdout.decode().replace("\n", ",").split(",")
        assert cells.count("") / len(cells) == pytest.approx(0 if full else 0.1, abs=0.02)
    assert "missing" in refused("fit", path, "-o", tmp_path / "c.json", "--missing", "error")


@pytest.mark.parametrize("name", ["r.csv", "r.tsv", "r.jsonl", "r.csv.gz", "r.parquet"])
def test_samples_in_every_format_are_the_same_rows(model: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / name
    report = answer("sample", model, "-n", "60", "--seed", "4", "-g", "survived=Yes", "-o", out)
    assert report["rows"] == 60
    got = read(out, columns=PEOPLE.domain.names, missing="error")
    law = library.load(model, law=True)
    sampler = library.Sampler(law, evidence={"survived": "Yes"}, rng=np.random.default_rng(4))
    (block,) = sampler.blocks(60)
    assert labels(got.domain, got.codes) == labels(PEOPLE.domain, block.codes)


def test_samples_of_chains_are_asked_for(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.csv"
    found = answer("sample", model, "-n", "60", "--seed", "4", "--scan", "sequential", "-o", out)
    assert (found["of"], found["scan"], found["chains"]) == ("chain", "sequential", 60)
    assert answer("sample", model, "-o", out, "--force")["of"] == "law"
    assert "--burn-in and --thin are for chains" in refused("sample", model, "--burn-in", "3", code=2)


def test_samples_go_to_standard_output(model: Path) -> None:
    done = depnet("sample", model, "-n", "5", "--seed", "1", "--json")
    assert len(done.stdout.decode().splitlines()) == 6
    assert json.loads(done.stderr)["output"] == "-"


def test_impute_fills_holes_and_touches_nothing_else(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "holes.csv"
    path.write_text(
        'note,class,sex,age,survived\n"a, b",1st,female,adult,\n"","3rd",,child,No\n 01 ,Crew,male,NA,Yes\n'
    )
    out = tmp_path / "full.csv"
    assert answer("impute", model, path, "-o", out)["filled"] == {
        "class": 0,
        "sex": 1,
        "age": 1,
        "survived": 1,
    }
    assert out.read_text().splitlines()[3] == " 01 ,Crew,male,adult,Yes"
    stdout = real("impute", model, "-", stdin=path.read_bytes()).stdout
    assert stdout == out.read_bytes()


@pytest.mark.parametrize("name", ["full.csv", "full.jsonl"])
def test_empty_cells_that_do_not_apply_stay_empty(tmp_path: Path, name: str) -> None:
    path, out = tmp_path / "holes.csv", tmp_path / "m.json"
    path.write_text("a,b\n" + "x,1\n,2\ny,\n" * 200, encoding="utf-8")
    depnet("fit", path, "-o", out, "--missing", "state", "--penalty", "mdl")
    done = depnet("impute", out, path, "-o", tmp_path / name, "--json")
    assert json.loads(done.stdout)["holes"] == 0
    assert json.loads(done.stdout)["left"] == {"a": 200, "b": 200}
    assert b"400 missing values left" in done.stderr
    everything = depnet("impute", out, path, "-o", tmp_path / f"all-{name}", "--all", "--json")
    assert json.loads(everything.stdout)["filled"] == {"a": 200, "b": 200}
    if name.endswith(".csv"):
        assert (tmp_path / name).read_text() == path.read_text()
    else:
        assert [json.loads(line) for line in (tmp_path / name).read_text().splitlines()][:2] == [
            {"a": "x", "b": 1},
            {"a": None, "b": 2},
        ]


def test_drawn_numbers_are_values_of_the_table_to_the_last_digit(tmp_path: Path) -> None:
    path, out = tmp_path / "numbers.csv", tmp_path / "m.json"
    values = [f"{1234567 + k}.{k:02d}5" for k in range(40)]
    path.write_text(
        "a,x\n" + "\n".join(f"{k % 2},{v}" for k, v in enumerate(values)) + "\n1,\n0,\n", encoding="utf-8"
    )
    depnet("fit", path, "-o", out, "--penalty", "mdl")
    depnet("impute", out, path, "-o", tmp_path / "drawn.csv", "--method", "draw", "--seed", "1")
    assert {row["x"] for row in rows_of(tmp_path / "drawn.csv")[-2:]} <= set(values)
    depnet("impute", out, path, "-o", tmp_path / "mode.csv")
    assert all(len(row["x"]) <= 9 for row in rows_of(tmp_path / "mode.csv")[-2:]), (
        "six digits of an expectation"
    )


def test_imputed_cells_are_the_library_s(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "holes.csv"
    depnet("example", "titanic", "--hide", "0.2", "--seed", "5", "-o", path)
    network = library.load(model, law=True)
    holed = read(path)
    assert not isinstance(holed, Dataset)
    for method in ("mode", "draw"):
        out = tmp_path / f"{method}.csv"
        depnet("impute", model, path, "-o", out, "--method", method, "--seed", "8")
        full = read(out)
        expected = library.impute(
            network, holed.codes, holed.hidden, method=method, rng=np.random.default_rng(8)
        )
        assert (full.codes == expected.codes).all()


def test_every_row_of_a_table_is_evidence(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("class,sex,name,survived\n1st,female,Ada,?\n3rd,,Bob,?\n")
    done = depnet("query", model, "survived", "--each", path, "-o", tmp_path / "p.csv")
    assert b"unknown in all rows, since there is no such column: age." in done.stderr
    law = library.load(model, law=True)
    known = [{"class": "1st", "sex": "female"}, {"class": "3rd"}]
    for row, evidence in zip(rows_of(tmp_path / "p.csv"), known, strict=True):
        found = [float(row["survived=No"]), float(row["survived=Yes"])]
        assert found == pytest.approx(list(library.query(law, "survived", evidence).probabilities), abs=1e-6)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    said = refused("query", model, "survived", "--each", tmp_path / "other.csv")
    assert "has none of the model's columns: class, sex, age" in said
    done = real("query", model, "survived", "--each", "-", stdin=b"sex\nmale\n")
    assert len(done.stdout.splitlines()) == 2
    done = real("query", model, "survived", "--each", "-", "--given", "class=1st|2nd", stdin=b"sex\nfemale\n")
    own = library.query(law, "survived", {"sex": "female", "class": {"1st", "2nd"}})
    assert float(done.stdout.decode().split(",")[-1]) == pytest.approx(
        float(np.asarray(own.probabilities)[1]), abs=1e-4
    )
    assert "one of the two places" in refused(
        "query", model, "survived", "--each", path, "--given", "sex=male,age=adult"
    )
    assert "--each cannot be used with" in refused("query", model, "age", "--each", path, "--joint", code=2)
    assert "-o is for --each" in refused("query", model, "age", "-o", tmp_path / "x", code=2)


def test_score(model: Path, table: Path, tmp_path: Path) -> None:
    network = library.load(model, law=True)
    found = answer("score", model, table, "-o", tmp_path / "each.csv")
    assert found["kind"] == "log-likelihood"
    pseudo = answer("score", model, table, "--of", "network")
    assert pseudo["kind"] == "pseudo-log-likelihood"
    assert pseudo["score"] == pytest.approx(library.score(library.load(model), PEOPLE))
    each = library.score_samples(network, PEOPLE)
    assert found["score"] == pytest.approx(each.mean())
    assert found["standard_error"] == pytest.approx(each.std() / np.sqrt(2201))
    written = [float(row["score"]) for row in rows_of(tmp_path / "each.csv")]
    assert written == pytest.approx(each.tolist())
    plain = depnet("score", model, table, "--where", "age = 'child'").stdout.decode()
    assert "removes" in plain
    assert "a typical row comes up once in" in plain
    assert "log-likelihood" not in plain
    theory = depnet("score", model, table, "--theory").stdout.decode()
    assert f"log-likelihood per row: {found['score']:.4f}" in theory
    of_network = depnet("score", model, table, "--of", "network").stdout.decode()
    assert "once in" not in of_network, "no rows are drawn by full conditionals alone"


def test_odd(model: Path, table: Path, tmp_path: Path) -> None:
    odd = cell_laws(library.load(model), PEOPLE)
    found = answer("odd", model, table, "-n", "3", "-o", tmp_path / "odd.csv")["odd"]
    assert len({one["row"] for one in found}) == 3
    worst = found[0]
    assert worst["row"] == int(odd.row_tails.argmin()) + 1
    assert worst["row_tail"] == pytest.approx(odd.row_tails.min())
    cells = odd.tails[worst["row"] - 1]
    assert worst["column"] == PEOPLE.domain.names[int(cells.argmin())]
    assert worst["tail"] == pytest.approx(cells.min())
    assert [row["column"] for row in rows_of(tmp_path / "odd.csv")] == [one["column"] for one in found]
    assert "1 in " in depnet("odd", model, table).stdout.decode()


def test_explain_and_groups(model: Path, table: Path) -> None:
    known = "sex=female,class=1st"
    found = answer("explain", model, "survived", "--state", "Yes", "--given", known, "--data", table)
    asked = answer("query", model, "survived", "--given", known, "--data", table)
    assert found["end"] == pytest.approx(asked["combined"]["survived"][1])
    assert found["start"] + sum(step["change"] for step in found["steps"]) == pytest.approx(found["end"])
    assert "say what is known" in refused("explain", model, "survived", code=2)
    groups = answer("query", model, "survived = Yes", "--by", "class,sex", "--data", table)["groups"]
    one = next(each for each in groups if each["class"] == "1st" and each["sex"] == "female")
    assert one["share"] == pytest.approx(asked["combined"]["survived"][1])
    assert one["rows"] == 145


def test_update_adds_counts(model: Path, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "newer.json"
    found = answer("update", model, table, "-o", out)
    assert (found["rows_added"], found["rows"]) == (2201, 4402)
    for law in (False, True):
        assert library.load(out, law=law) == library.load(model, law=law).updated(PEOPLE)


def test_compare_writes_the_quality_of_drawn_rows(model: Path, table: Path, tmp_path: Path) -> None:
    test, page = tmp_path / "test.csv", tmp_path / "quality.html"
    lines = table.read_text().splitlines()
    test.write_text("\n".join([lines[0], *lines[1::4]]) + "\n")
    found = answer("compare", model, table, "--held-out", test, "--report", page, "--seed", "1")
    assert found["rows"] == len(lines[1::4])
    assert found["seed"] == 1
    assert found["measures"]["column shapes"]["drawn"] > 0.9
    assert {each["of"] for each in found["each"]["column shapes"]} == {"class", "sex", "age", "survived"}
    text = page.read_text()
    assert "a detector picks the drawn one" in text
    assert test.name not in text
    assert "exists" in refused("compare", model, table, "--report", page)
    said = depnet(
        "compare", model, table, "--held-out", test, "--report", page, "--force", "--seed", "1"
    ).stdout
    assert said.decode().startswith("Single columns are like the real ones")
    assert page.read_text() == text  # the same seed, the same bytes
    assert "would be lost" in refused(
        "compare", model, table, "--held-out", test, "--report", test, "--force"
    )
    assert "--held-out is for --report" in refused("compare", model, table, "--held-out", test, code=2)
    assert "--report is of one model" in refused(
        "compare", model, model, "--report", tmp_path / "b.html", code=2
    )
    assert "is a model" in refused("compare", model, table, "--held-out", model, "--report", "-")


def test_compare_two_models_and_a_table(model: Path, table: Path, tmp_path: Path) -> None:
    depnet("fit", table, "-o", tmp_path / "b.json", "--penalty", "mdl", "--max-leaves", "4")
    found = answer("compare", model, tmp_path / "b.json", "--data", table, "--rows", "2000", "--seed", "1")
    first, second = (library.load(path, law=True) for path in (model, tmp_path / "b.json"))
    expected = library.compare(first, second, PEOPLE, rows=2000, rng=np.random.default_rng(1), n_jobs=-1)
    assert found["difference"]["mean"] == pytest.approx(expected.difference.mean)  # type: ignore[union-attr]
    _, lost, _ = changed_links(library.load(model), library.load(tmp_path / "b.json"))
    assert [(link["source"], link["target"]) for link in found["links"]["lost"]] == list(lost)
    assert found["kind"] == "log-likelihood"
    assert found["marginals"]["two_way"]["mean"] == pytest.approx(expected.marginals.two_way)
    alone = answer("compare", model, table, "--rows", "2000")
    assert alone["links"] is None
    assert {(s["rows_of"], s["by"]) for s in alone["scores"]} == {("first", "first"), ("data", "first")}
    assert "lost: " in depnet("compare", model, tmp_path / "b.json", "--rows", "500").stdout.decode()
    assert "--data is for two models" in refused("compare", model, table, "--data", table, code=2)


def test_one_variable_has_no_pairs_to_compare(tmp_path: Path) -> None:
    path, out = tmp_path / "one.csv", tmp_path / "m.json"
    path.write_text("x\n" + "a\nb\n" * 20, encoding="utf-8")
    assert (
        "dependency network: 0 links, 1 leaf\n" in depnet("fit", path, "-o", out, "--theory").stdout.decode()
    )
    text = depnet("compare", out, path, "--rows", "500").stdout.decode()
    assert "one in so many; the fewer, the better\n" in text, "a title is one line"
    theory = depnet("compare", out, path, "--rows", "500", "--theory").stdout.decode()
    assert "log-likelihood per row" in theory
    assert "log-likelihood" not in text
    assert "single columns" in text
    assert "pairs of columns" not in text
    assert "nan" not in text


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("g.dot", "digraph"),
        ("g.graphml", "<?xml"),
        ("g.svg", "<svg"),
        ("g.png", "PNG"),
        ("g.pdf", "%pdf"),
        ("r.html", "<!doctype html>"),
        ("l.csv", "source,target"),
        ("law.bif", "network"),
    ],
)
def test_export_by_the_suffix(model: Path, tmp_path: Path, name: str, start: str) -> None:
    out = tmp_path / name
    found = answer("export", model, "-o", out)
    text = out.read_bytes().decode("latin-1")
    assert text.lower().lstrip().startswith(start) or start in text[:200]
    assert found["bytes"] == len(text)
    assert "survived" in text or name in ("g.png", "g.pdf"), "whose text is packed"


def test_a_law_in_bif_is_a_model(model: Path, tmp_path: Path) -> None:
    answer("export", model, "-o", tmp_path / "law.bif")
    found = [answer("query", m, "survived", "--given", "sex=male") for m in (model, tmp_path / "law.bif")]
    assert found[0]["probabilities"] == found[1]["probabilities"]
    (tmp_path / "law.bif").write_text("network {")
    assert "line 1: expected '}'" in refused("query", tmp_path / "law.bif", "survived")


def test_export_asks_for_a_format(model: Path, tmp_path: Path) -> None:
    assert "standard output has no format. Give --format dot|graphml" in refused("export", model, code=2)
    assert "--min-bits is for" in refused("export", model, "--format", "html", "--min-bits", "1", code=2)
    assert "--format dot|graphml" in refused("export", model, "-o", tmp_path / "g.gif", code=2)
    few = depnet("export", model, "--format", "csv", "--min-bits", "0.1").stdout.decode().splitlines()
    assert len(few) == 1 + sum(link.strength >= 0.1 for link in library.links(library.load(model)))


def test_show_a_node_and_the_certificate(model: Path, table: Path) -> None:
    network = library.load(model)
    found = answer("show", model, "--node", "survived")
    leaves = {v["leaf"]: v["probabilities"] for v in found["vertices"] if "leaf" in v}
    node = network.nodes[3]
    assert leaves == {y: pytest.approx(node.table.probabilities[y].tolist()) for y in range(node.source.size)}
    assert "leaf 0" in depnet("show", model, "--node", "survived", "--theory").stdout.decode()
    plain = depnet("show", model, "--node", "survived").stdout.decode()
    assert "leaf" not in plain
    assert f"split 2,201 rows into {node.source.size} groups" in plain
    assert "Did you mean 'survived'" in refused("show", model, "--node", "survied")
    proven = answer("show", model, "--data", table)["certificate"]
    assert proven["fc_limit"] == pytest.approx(library.certificate(network, PEOPLE).fc_limit)


def test_tables_and_models_in_a_pipe(table: Path) -> None:
    """`depnet fit - -o - < table | depnet query - survived`."""
    out = real("fit", "-", "-o", "-", "--penalty", "mdl", stdin=table.read_bytes()).stdout
    found = answer("query", "-", "survived", by=real, stdin=out)  # nor need a model have a name
    assert found["targets"][0]["name"] == "survived"


def test_rows_with_holes_are_left_out_only_where_whole_ones_are_needed(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "holes.csv"
    path.write_text("class,sex,age,survived\n1st,male,adult,\n2nd,male,child,Yes\n1st,,adult,Yes\n")
    done = depnet("compare", model, path, "--rows", "200", "--json")
    assert done.stderr == b""
    (own,) = (s["mean"] for s in json.loads(done.stdout)["scores"] if s["rows_of"] == "data")
    assert own == pytest.approx(answer("score", model, path)["score"])
    done = depnet("show", model, "--data", path)
    said = "strengths of links and proven bounds are without the 2 rows that have missing values."
    assert done.stderr.decode() == f"depnet: warning: {path}: {said}\n"
    assert b"in rows drawn from it differ from the table's" in done.stdout
    path.write_text("class,sex,age,survived\n1st,male,adult,\n")
    assert answer("show", model, "--data", path)["certificate"] is None


def test_words_that_look_like_numbers_stay_words(tmp_path: Path) -> None:
    """A code such as 01 was learned as a word (--text); later tables have it as one."""
    path = tmp_path / "codes.csv"
    path.write_text("zip,y\n" + "01,a\n02,b\n" * 50)
    depnet("fit", path, "-o", tmp_path / "m.json", "--text", "zip", "--penalty", "mdl")
    assert library.load(tmp_path / "m.json").domain.variables[0].states == ("01", "02")
    (tmp_path / "new.csv").write_text("zip,y\n01,\n02,\n")
    assert answer("score", tmp_path / "m.json", tmp_path / "new.csv")["rows"] == 2
    depnet("impute", tmp_path / "m.json", tmp_path / "new.csv", "-o", tmp_path / "full.csv")
    assert (tmp_path / "full.csv").read_text() == "zip,y\n01,a\n02,b\n"


def test_text_files_of_other_kinds(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_bytes("M\xfcller;1\nM\xfcller;1\nMeyer;2\n".encode("latin-1") * 30)
    out = tmp_path / "m.json"
    kind = ["--encoding", "latin-1", "--delimiter", ";", "--no-header"]
    depnet("fit", path, "-o", out, "--penalty", "mdl", *kind)
    assert library.load(out).domain.variables[0].states == ("Meyer", "M\xfcller")
    path.write_bytes("M\xfcller;\n;2\n".encode("latin-1"))
    depnet("impute", out, path, "-o", tmp_path / "full.csv", *kind)
    assert (tmp_path / "full.csv").read_text(encoding="utf-8") == "M\xfcller,1\nMeyer,2\n"
    assert "--encoding latin-1" in refused("fit", path, "-o", tmp_path / "n.json")


def test_update_in_place_says_that_another_was_faster(
    model: Path, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.json"
    shutil.copy(model, own)
    rows = library.load(own).counts
    whole = inference_rows.draw_whole

    def overtaken(*given: Any, **named: Any) -> Dataset:
        monkeypatch.setattr(inference_rows, "draw_whole", whole)
        depnet("update", own, table, "-o", own, "--force")
        return whole(*given, **named)

    monkeypatch.setattr(inference_rows, "draw_whole", overtaken)
    said = depnet("update", own, table, "-o", own, "--force", code=1).stderr.decode()
    assert "another program has written it since it was read" in said
    assert "again" in said
    counts = there(library.load(own).counts)
    assert counts.total == 2 * there(rows).total, "one update is kept, and the other has said that it is not"


def test_fit_lists_the_columns_that_it_leaves_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,a,b\n" + "".join(f"{k},{'xy'[k % 2]},{'uv'[k % 3 > 0]}\n" for k in range(60)))
    done = depnet("fit", path, "-o", tmp_path / "m.json", "--penalty", "mdl", "--json")
    ((name, why),) = [(left["name"], left["why"]) for left in json.loads(done.stdout)["left_out"]]
    assert name == "id"
    assert why in done.stderr.decode()
    kept = answer("fit", path, "-o", tmp_path / "kept.json", "--penalty", "mdl", "--keep", "id")
    assert kept["left_out"] == []


def test_each_takes_numbers_and_conditions(tmp_path: Path) -> None:
    rows = "".join(f"{'ab'[k % 2]},{k % 50 + 100 * (k % 2)}\n" for k in range(400))
    (tmp_path / "t.csv").write_text("kind,size\n" + rows, encoding="utf-8")
    (tmp_path / "new.csv").write_text("kind\na\nb\n", encoding="utf-8")
    model, found = tmp_path / "m.json", tmp_path / "p.csv"
    depnet("fit", tmp_path / "t.csv", "-o", model)
    asked = ("query", model, "size > 60", "size", "--each", tmp_path / "new.csv")
    depnet(*asked, "-o", found)
    low, high = rows_of(found)
    assert float(low["size > 60"]) < 0.05 < 0.95 < float(high["size > 60"])
    assert float(low["mean of size"]) == pytest.approx(24.5, abs=2)
    assert float(high["mean of size"]) == pytest.approx(124.5, abs=2)
    each = answer("query", model, "size > 60", "--given", "kind=b")["probabilities"]["size > 60"]
    assert float(high["size > 60"]) == pytest.approx(each[1], abs=0.02)
    assert "see depnet sql" in refused("query", model, "size > 60 or kind = a", *asked[4:], code=2)
