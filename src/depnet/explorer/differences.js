// The marginals of variables under two sets of evidence, A and B, a card each: the bars of either with the other as an outline.
import { Bars } from "/depnet/bars.js";

export default {
  components: { Bars },
  template: `
    <div class="depnet-marginals">
      <section v-for="v in variables" :key="v.card.name" class="depnet-marginal" :data-variable="v.card.name" :aria-label="v.card.name">
        <div class="depnet-marginal-head">
          <a class="depnet-marginal-name" :href="v.href">{{ v.card.name }}</a>
          <span class="depnet-marginal-change" :title="measure">{{ v.note }}</span>
        </div>
        <div v-for="[side, other] in [['a', 'b'], ['b', 'a']]" :key="side" class="depnet-pair" :class="side" :data-side="side">
          <span class="depnet-pair-letter" aria-hidden="true">{{ side.toUpperCase() }}</span>
          <Bars :card="{ ...v.card, base: v.numbers[other] }" :now="{ ...v.numbers[side], given: true }" :held="v.held[side]"
            :name="side.toUpperCase()" :other="other.toUpperCase()" @say="(event, said) => say(side, event, said)" />
        </div>
      </section>
    </div>`,
  props: { variables: Array, measure: String },
  emits: ["choose"],
  methods: {
    say(side, event, [name, first = -1, last = first]) { this.$emit("choose", [side, event, name, first, last]); },
  },
};
