"""`depnet card`: the model card."""

from pathlib import Path

import click

from depnet.cli.command import Run, command, output
from depnet.cli.files import load_models, save_text


@command("depnet card model.json -o card.md")
@click.argument("model")
@output("The card.  [default: -]", default="-")
def card(run: Run, model: str) -> None:
    """Write a model card in Markdown.

    It says what the model was learned from, how good it is, what it cannot do, and what it reveals of the table.
    """
    from depnet.doors.card import model_card

    name = "model" if model == "-" else Path(model).name.split(".")[0]
    text = model_card(load_models(model), name)
    save_text(text, run.place, run.force)
    run.answer({"characters": len(text)}, f"model card written to {run.place}")
