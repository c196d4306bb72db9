// What the states of one input do to the probability of a state: a bar each, from the mean to less (orange) or more (blue).
// All text goes through Vue's interpolation, which shows markup as it is written.
export default {
  template: `
    <section class="depnet-input" :data-input="name" :aria-label="name">
      <div class="depnet-marginal-head"><span class="depnet-marginal-name">{{ name }}</span><span class="depnet-marginal-change">{{ note }}</span></div>
      <div v-for="(r, k) in rows" :key="k" class="depnet-effect">
        <span class="depnet-effect-label" :title="r.label">{{ r.label }}</span>
        <span class="depnet-effect-track"><span :class="{ less: r.less }" :style="{ left: r.left, width: r.width }"></span><i :style="{ left: mean }"></i></span>
        <span class="depnet-effect-number">{{ r.text }}</span>
      </div>
    </section>`,
  props: { name: String, note: String, rows: Array, mean: String },
};
