// The marginals of variables before and after the evidence, a card each, with a mark where the table itself lies; a click on
// a state clamps it.
// All text goes through Vue's interpolation, which shows markup as it is written.
export default {
  template: `
    <div class="depnet-marginals" :data-answer="answer" :data-method="method">
      <section v-for="v in variables" :key="v.name" class="depnet-marginal" :data-variable="v.name" :aria-label="v.name">
        <div class="depnet-marginal-head">
          <span class="depnet-marginal-name">{{ v.name }}</span>
          <span class="depnet-marginal-change" :title="measure">{{ v.note }}</span>
        </div>
        <div v-if="v.number" class="depnet-marginal-number">{{ v.number }}</div>
        <button v-for="s in v.states" :key="s.code" type="button" class="depnet-state" :disabled="s.code < 0"
          :aria-pressed="s.held ? 'true' : 'false'" :aria-label="said(v, s)" :title="s.parts ? s.label + ': ' + s.parts : s.label"
          :data-state="s.code" :data-label="s.label" :data-posterior="s.posterior" :data-prior="s.prior" :data-error="s.error"
          :data-observed="s.observed"
          @click="$emit('clamp', [v.name, s.code])">
          <span class="depnet-state-label">{{ s.label }}</span>
          <span class="depnet-track">
            <span class="depnet-prior" :style="{ width: share(s.prior) }"></span>
            <span class="depnet-posterior" :style="{ width: share(s.posterior) }"></span>
            <span v-if="s.error > 0" class="depnet-whisker"
              :style="{ left: share(s.posterior - 2 * s.error), right: share(1 - s.posterior - 2 * s.error) }"></span>
            <span v-if="s.observed !== null" class="depnet-observed" :style="{ left: share(s.observed) }"></span>
          </span>
          <span class="depnet-state-number"><span class="depnet-was">{{ s.was }} →</span> {{ s.shown }}</span>
          <span v-if="parts && s.parts" class="depnet-parts">{{ s.parts }}</span>
        </button>
      </section>
    </div>`,
  props: { variables: Array, answer: Number, method: String, measure: String, parts: Boolean },
  emits: ["clamp"],
  methods: {
    share(p) {
      return (100 * Math.min(1, Math.max(0, p))).toFixed(2) + "%";
    },
    said(v, s) {
      const error = s.error > 0 ? " ± " + s.error.toPrecision(2) : "";
      const parts = s.parts ? ` (${s.parts})` : "";
      return `${v.name} = ${s.label}: ${s.posterior.toFixed(4)}${error}, before ${s.prior.toFixed(4)}${parts}`;
    },
  },
};
