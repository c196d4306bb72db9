// What the states of one input do to the probability of a state: a bar each, from the mean to less (orange) or more (blue).
// All text goes through Vue's interpolation, which shows markup as it is written.
export default {
  template: `
    <section class="depnet-marginal" :data-input="name" :aria-label="name">
      <div class="depnet-marginal-head"><span class="depnet-marginal-name">{{ name }}</span><span class="depnet-marginal-change">{{ note }}</span></div>
      <div v-for="(r, k) in rows" :key="k" class="depnet-effect">
        <span class="depnet-state-label" :title="r.label">{{ r.label }}</span>
        <span class="depnet-tornado-track"><span :class="r.less ? 'depnet-tornado-less' : 'depnet-tornado-more'" :style="{ left: r.left, width: r.width }"></span>
          <span class="depnet-tornado-line" :style="{ left: mean }"></span></span>
        <span class="depnet-state-number">{{ r.text }}</span>
      </div>
    </section>`,
  props: { name: String, note: String, rows: Array, mean: String },
};
