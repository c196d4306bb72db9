"""A boosted node as text, for a terminal: bars of what its inputs gained, and a bar for each state of the first ones."""

from depnet.pictures.labels import listed, short
from depnet.pictures.node.decision import most_likely
from depnet.pictures.node.effects import Boosted, Effect
from depnet.pictures.node.text import SHADES, decision_text, legend_line, share_line
from depnet.wording import counted, shown_width

MOST_GAINS = 20
MOST_INPUT_STATES = 12
GAINS = 24
NAME = 24


def boosted_text(said: Boosted) -> str:
    """What a boosted node reads, how much each input gained, and the effects of the first."""
    lines = [_heading(said)]
    if said.inputs:
        lines += ["", "what its inputs gained, bits a row", *_gains(said)]
    if said.effects:
        lines += [
            "",
            f"effects: the mean of theta over {said.measured}, with one input set to each of its states",
        ]
        frequent = most_likely(said.mean, len(SHADES))
        lines.append(legend_line(said.states, frequent))
        lines.append(_line(said, "as it is", said.mean, frequent))
        for effect in said.effects:
            lines += [short(effect.name, 48), *_effect(said, effect, frequent)]
    if said.first is not None:
        lines += ["", "its first graph, before the stages", decision_text(said.first)]
    return "\n".join(lines)


def _heading(said: Boosted) -> str:
    names = [one.name for one in said.inputs]
    reads = f"reads {listed(names, 80)}" if names else "reads nothing"
    first = "" if said.first is None else f" after a graph of {counted(said.first.leaves, 'leaf', 'leaves')}"
    return (
        f"{short(said.name, 48)} ({listed(said.states, 60)}): boosted, {counted(said.stages, 'stage')} of "
        f"{counted(said.leaves, 'leaf', 'leaves')} together{first}, {reads}"
    )


def _gains(said: Boosted) -> list[str]:
    most = max(said.inputs[0].bits, 1e-12)
    shown = said.inputs[:MOST_GAINS]
    lines = [
        f"  {_padded(one.name)} {one.bits:8.4f}  {'█' * round(max(one.bits, 0.0) / most * GAINS)}".rstrip()
        for one in shown
    ]
    rest = said.inputs[MOST_GAINS:]
    if rest:
        lines.append(
            f"  and {counted(len(rest), 'input')} more, {sum(one.bits for one in rest):.4f} together"
        )
    return lines


def _effect(said: Boosted, effect: Effect, frequent: list[int]) -> list[str]:
    pairs = list(zip(effect.states, effect.means, strict=True))
    lines = [_line(said, state, mean, frequent) for state, mean in pairs[:MOST_INPUT_STATES]]
    if len(pairs) > MOST_INPUT_STATES:
        lines.append(f"  and {len(pairs) - MOST_INPUT_STATES:,} more states")
    return lines


def _line(said: Boosted, state: str, mean: tuple[float, ...], frequent: list[int]) -> str:
    return f"  {_padded(state)} {share_line(said.states, mean, frequent)}"


def _padded(label: str) -> str:
    name = short(label, NAME)
    return name + " " * (NAME - shown_width(name))
