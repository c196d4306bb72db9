// What would move a target: a bar for each variable, from the least to the greatest, with the states at its ends. A click on a
// state makes it known; "all states" lists them. All text goes through Vue's interpolation, which shows markup as it is written.
export default {
  template: `
    <div class="depnet-tornado" :data-answer="answer">
      <div v-if="bars.length" class="depnet-tornado-scale" aria-hidden="true">
        <span class="depnet-tornado-track">
          <span class="depnet-tornado-tick" style="left: 0">{{ scale.low }}</span>
          <span class="depnet-tornado-tick depnet-tornado-now" :style="{ left: scale.at + '%' }">{{ scale.now }}</span>
          <span class="depnet-tornado-tick" style="left: 100%">{{ scale.high }}</span>
        </span>
      </div>
      <section v-for="b in bars" :key="b.name" class="depnet-tornado-bar" :data-variable="b.name" :aria-label="b.name">
        <a class="depnet-tornado-name" :href="b.href" :title="b.name">{{ b.name }}</a>
        <svg class="depnet-curve" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <polyline :points="b.curve.line"></polyline>
          <line v-for="(d, k) in b.curve.dots" :key="k" :x1="d[0]" :y1="d[1]" :x2="d[0]" :y2="d[1]"></line>
        </svg>
        <button type="button" class="depnet-tornado-end depnet-tornado-low" :data-state="b.low.code" :title="said(b, b.low)"
          :aria-label="said(b, b.low)" @click="$emit('choose', [b.name, b.low.code])">
          <span class="depnet-tornado-label">{{ b.low.label }}</span> <span class="depnet-tornado-value">{{ b.low.value }}</span>
        </button>
        <span class="depnet-tornado-track" aria-hidden="true">
          <span class="depnet-tornado-range" :style="span(b.least, b.most)"></span>
          <span class="depnet-tornado-less" :style="span(b.low.at, Math.min(b.high.at, scale.at))"></span>
          <span class="depnet-tornado-more" :style="span(Math.max(b.low.at, scale.at), b.high.at)"></span>
          <span class="depnet-tornado-line" :style="{ left: scale.at + '%' }"></span>
          <template v-for="s in b.flat ? [b.low] : [b.low, b.high]">
            <span v-if="s.mark !== null" class="depnet-tornado-mark" :style="{ left: s.mark + '%' }"></span>
          </template>
        </span>
        <button type="button" class="depnet-tornado-end depnet-tornado-high" :data-state="b.high.code" :title="said(b, b.high)"
          :aria-label="said(b, b.high)" @click="$emit('choose', [b.name, b.high.code])">
          <span class="depnet-tornado-value">{{ b.high.value }}</span> <span class="depnet-tornado-label">{{ b.high.label }}</span>
        </button>
        <button type="button" class="depnet-tornado-all" :aria-expanded="open[b.name] ? 'true' : 'false'"
          :aria-label="'All states of ' + b.name" @click="open[b.name] = !open[b.name]">{{ open[b.name] ? "▾" : "▸" }} {{ b.width }}</button>
        <div v-if="open[b.name]" class="depnet-tornado-states">
          <label v-if="b.ordered && b.states.length > 1" class="depnet-field">
            <span>What if {{ b.name }} is {{ at(b).label }}? <b>{{ scale.said }}: {{ at(b).value }}</b> {{ at(b).error }} (now {{ scale.now }})</span>
            <input type="range" min="0" :max="b.states.length - 1" :value="slid[b.name] ?? 0" :aria-label="'What if: ' + b.name"
              :aria-valuetext="at(b).label + ': ' + at(b).value" @input="slid[b.name] = Number($event.target.value)"></label>
          <div class="depnet-bar"><button type="button" class="depnet-action" @click="$emit('aside', b.name)">Set {{ b.name }} aside</button></div>
          <button v-for="s in b.states" :key="s.code" type="button" class="depnet-tornado-state" :data-state="s.code"
            :aria-pressed="s.held ? 'true' : 'false'" :aria-label="said(b, s)" @click="$emit('choose', [b.name, s.code])">
            <span class="depnet-tornado-label">{{ s.label }}</span>
            <span class="depnet-tornado-share">{{ s.probability }}</span>
            <span class="depnet-tornado-track">
              <span class="depnet-tornado-line" :style="{ left: scale.at + '%' }"></span>
              <span class="depnet-tornado-dot" :style="{ left: s.at + '%' }"></span>
              <span v-if="s.mark !== null" class="depnet-tornado-mark" :style="{ left: s.mark + '%' }"></span>
            </span>
            <span class="depnet-tornado-value">{{ s.value }} {{ s.error }}</span>
            <span v-if="s.table" class="depnet-tornado-table">{{ s.table }}</span>
          </button>
          <div v-if="b.left" class="depnet-note">{{ b.left }} rarer states are not listed.</div>
        </div>
      </section>
    </div>`,
  props: { bars: Array, scale: Object, answer: Number },
  emits: ["choose", "aside"],
  data() {
    return { open: {}, slid: {} };
  },
  methods: {
    at(b) { return b.states[Math.min(this.slid[b.name] ?? 0, b.states.length - 1)]; },
    span(from, to) {
      return { left: from + "%", width: Math.max(to - from, 0) + "%" };
    },
    said(b, s) {
      const table = s.table ? `; ${s.table}` : "";
      return `${b.name} = ${s.label}, probability ${s.probability}: ${this.scale.said} then ${s.value} ${s.error}${table}. Take it as given`;
    },
  },
};
