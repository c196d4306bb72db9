"""`depnet explain`: what each known fact adds to an answer."""

import click

from depnet.cli.command import GIVEN, Run, command, option
from depnet.cli.files import load_network, read_beside, text_options
from depnet.cli.given import complete_variable, parse
from depnet.wording import pick


@command(
    "depnet explain model.json survived --state Yes --given sex=female,class=1st",
    "depnet explain model.json price --given 'cut=Ideal,carat>1' --data diamonds.csv",
    "depnet explain model.json --given sex=female,class=Crew,survived=No",
)
@click.argument("model")
@click.argument("target", required=False, shell_complete=complete_variable)
@GIVEN
@option("--state", "Which value of a category is explained.  [default: the most probable]")
@option("--data", "The training table: its own shares are combined with the answers.", metavar="TABLE")
@text_options
def explain(
    run: Run, model: str, target: str | None, given: tuple[str, ...], state: str | None, data: str | None
) -> None:
    """Say why an answer is what it is.

    Starts from the answer when nothing is known, and shows how each fact of --given changes it: the steps add up to the
    answer of `depnet query`. A TARGET is a number (its mean is explained), a category (the share of one value), or a
    condition such as 'income > 50000'. Without a TARGET the facts are a row: which of them make it unlikely?
    """
    from depnet.inference import explain

    network = load_network(model, chains=False)
    known = parse(given, network.domain)
    if known is None:
        raise click.UsageError("say what is known, such as --given sex=female,class=1st.")
    rows = read_beside(data, network)
    found = explain(network, known, target, state=state, data=rows)
    steps = [pick(step, "name", "fact", "change") for step in found.steps]
    document = {**(pick(found, "about", "start", "end", "orders") or {}), "steps": steps}
    run.answer(document, *str(found).splitlines())
