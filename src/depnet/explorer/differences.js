// The marginals of variables under two sets of evidence, A and B, a card each; a click on a bar makes that state known in A or
// in B. All text goes through Vue's interpolation, which shows markup as it is written.
export default {
  template: `
    <div class="depnet-marginals" :data-answer="answer">
      <section v-for="v in variables" :key="v.name" class="depnet-marginal" :data-variable="v.name" :aria-label="v.name">
        <div class="depnet-marginal-head">
          <a class="depnet-marginal-name" :href="v.href">{{ v.name }}</a>
          <span class="depnet-marginal-change" :title="measure">{{ v.note }}</span>
        </div>
        <div v-if="v.number" class="depnet-marginal-number">{{ v.number }}</div>
        <div v-for="s in v.states" :key="s.label" class="depnet-pair" role="group" :aria-label="s.label">
          <span class="depnet-pair-label" :title="s.label">{{ s.label }}</span>
          <span class="depnet-pair-bars">
            <component v-for="side in ['a', 'b']" :key="side" class="depnet-pair-bar" v-bind="face(s, side)"
              :is="s.first < 0 ? 'span' : 'button'" :title="said(v, s, side)" :aria-label="said(v, s, side)"
              :data-side="side" :data-label="s.label" :data-value="s[side].value" @click="choose(v, s, side)">
              <span class="depnet-pair-letter">{{ side.toUpperCase() }}</span>
              <span class="depnet-track">
                <span class="depnet-pair-fill" :class="'depnet-pair-' + side" :style="{ width: share(s[side].value) }"></span>
                <span v-if="s[side].error > 0" class="depnet-whisker"
                  :style="{ left: share(s[side].value - 2 * s[side].error), right: share(1 - s[side].value - 2 * s[side].error) }"></span>
                <span v-if="s[side].observed !== null" class="depnet-observed" :style="{ left: share(s[side].observed) }"></span>
              </span>
              <span class="depnet-state-number">{{ s[side].shown }}</span>
            </component>
          </span>
        </div>
      </section>
    </div>`,
  props: { variables: Array, answer: Number, measure: String },
  emits: ["choose"],
  methods: {
    share(p) {
      return (100 * Math.min(1, Math.max(0, p))).toFixed(2) + "%";
    },
    face(s, side) {
      return s.first < 0 ? { role: "img" } : { type: "button", "aria-pressed": s[side].held ? "true" : "false" };
    },
    choose(v, s, side) {
      if (s.first >= 0) this.$emit("choose", [side, v.name, s.first, s.last]);
    },
    said(v, s, side) {
      const parts = s[side].parts ? ` (${s[side].parts})` : "";
      return `${side.toUpperCase()}: ${v.name} = ${s.label}: ${s[side].shown}${parts}`;
    },
  },
};
