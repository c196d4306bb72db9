"""A boosted node as SVG: bars of what its inputs gained, then for the first of them a bar for each of their states."""

from depnet.pictures import colours
from depnet.pictures.labels import short
from depnet.pictures.node.decision import legend, most_likely, shares
from depnet.pictures.node.effects import Boosted, Effect
from depnet.pictures.svg import SMALL, element, key, picture, share_bar, text, title
from depnet.wording import counted

MARGIN, LABELS, BAR = 14.0, 190.0, 320.0
LINE = 22.0
BOLD = 600
MOST_GAINS = 20
MOST_INPUT_STATES = 12
LETTERS = 26


def boosted_svg(said: Boosted) -> str:
    """The picture of a boosted node; past seven states, the likeliest have colours of their own and the rest are grey."""
    return _Drawing(said).svg()


class _Drawing:
    """Lines from top to bottom; `y` is where the next one stands."""

    def __init__(self, said: Boosted) -> None:
        self.said = said
        self.colour = {s: colours.of(k) for k, s in enumerate(most_likely(said.mean, len(colours.CYCLE)))}
        self.y = 20.0
        self.parts: list[str] = []

    def svg(self) -> str:
        name = short(self.said.name, 60)
        self._heading(name, 14)
        stages = (
            f"{counted(self.said.stages, 'stage')} of {counted(self.said.leaves, 'leaf', 'leaves')} together"
        )
        first = self.said.first
        after = "" if first is None else f", after a graph of {counted(first.leaves, 'leaf', 'leaves')}"
        self._note(f"boosted: {stages}{after}, {counted(len(self.said.inputs), 'input')}")
        if self.said.inputs:
            self._gains()
        if self.said.effects:
            self._effects()
        box = (0.0, 0.0, MARGIN + LABELS + BAR + 90, self.y)
        return picture(
            box, f"what the boosted node of {name} reads, and the effects of its inputs", *self.parts
        )

    def _heading(self, label: str, size: float) -> None:
        self.parts.append(text(MARGIN, self.y, label, size, font_weight=BOLD))
        self.y += LINE

    def _note(self, label: str) -> None:
        self.parts.append(text(MARGIN, self.y, label, kind="soft"))
        self.y += LINE

    def _label(self, label: str) -> None:
        tip = title(short(label, 200))
        self.parts.append(
            text(MARGIN + LABELS - 8, self.y + 4, short(label, LETTERS), tip=tip, text_anchor="end")
        )

    def _gains(self) -> None:
        self.y += 8
        self._heading("What its inputs gained, bits a row", 12)
        most = max(self.said.inputs[0].bits, 1e-12)
        for one in self.said.inputs[:MOST_GAINS]:
            self._label(one.name)
            wide = max(one.bits, 0.0) / most * BAR
            look = {"rx": 2, "fill": colours.BLUE}
            self.parts.append(element("rect", x=MARGIN + LABELS, y=self.y - 8, width=wide, height=16, **look))
            self.parts.append(text(MARGIN + LABELS + wide + 6, self.y + 4, f"{one.bits:.4f}", kind="soft"))
            self.y += LINE
        rest = self.said.inputs[MOST_GAINS:]
        if rest:
            self._note(
                f"and {counted(len(rest), 'input')} more, {sum(one.bits for one in rest):.4f} together"
            )

    def _effects(self) -> None:
        self.y += 8
        self._heading("Effects", 12)
        self._note(f"The mean of θ over {self.said.measured},")
        self.y -= 6
        self._note("with one input set to each of its states.")
        self.parts += key(MARGIN, self.y, legend(self.said.states, self.colour))
        self.y += LINE
        self._shares("as it is", self.said.mean)
        for effect in self.said.effects:
            self._effect(effect)

    def _effect(self, effect: Effect) -> None:
        self.y += 4
        self.parts.append(text(MARGIN, self.y + 4, short(effect.name, 60), SMALL, font_weight=BOLD))
        self.y += LINE
        pairs = list(zip(effect.states, effect.means, strict=True))
        for state, mean in pairs[:MOST_INPUT_STATES]:
            self._shares(state, mean)
        if len(pairs) > MOST_INPUT_STATES:
            self._note(f"and {len(pairs) - MOST_INPUT_STATES:,} more states")

    def _shares(self, label: str, mean: tuple[float, ...]) -> None:
        """A distribution from end to end of a bar."""
        self._label(label)
        said = [f"{short(self.said.states[s], 40)}: {mean[s]:.4f}" for s in most_likely(mean, 12)]
        bar = share_bar((MARGIN + LABELS, self.y - 8, BAR, 16.0), shares(mean, self.colour), 0.12)
        self.parts.append(element("g", "".join([title(*said), *bar])))
        self.y += LINE
