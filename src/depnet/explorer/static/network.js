// The network: everything a reader does with it happens here, in the browser, so that it answers at once.
import { echarts } from "nicegui-echart";
import { NARROW, RELATIONS, bits, colourOf, fitted, graphOptions, greys, matrixOptions, relation, strength } from "/depnet/network_options.js";

const MOST_LISTED = 200;
const MOST_IN_MATRIX = 40;
const SHOW_ALL_VARIABLES = 60; // of so few, those without a link are shown too

export default {
  template: `
<div class="depnet-network depnet-columns">
  <section class="depnet-card">
    <div class="depnet-bar">
      <label class="depnet-field depnet-grow">strong to weak
        <input type="range" min="0" max="1000" step="1" v-model.number="position" @input="slid"
               :aria-valuetext="shown + ' strongest links'">
      </label>
      <label class="depnet-field">strongest
        <input type="number" min="1" :max="ties.length" :value="shown" @change="typed($event.target)" class="depnet-short">
      </label>
      <label class="depnet-field">find a variable
        <input type="search" :list="uid + '-names'" v-model="wanted" @change="find" @keydown.enter.prevent="find" autocomplete="off">
      </label>
      <datalist :id="uid + '-names'"><option v-for="name in names" :value="name"></option></datalist>
      <label class="depnet-field">around it
        <select v-model.number="steps" @change="draw" :disabled="chosen === null">
          <option :value="0">everything</option><option :value="1">neighbours</option><option :value="2">two steps</option>
        </select>
      </label>
      <div class="depnet-field" role="group" aria-label="Show as">show as
        <div class="depnet-switch">
          <button type="button" :aria-pressed="mode === 'graph'" @click="turnTo('graph')">graph</button>
          <button type="button" :aria-pressed="mode === 'matrix'" @click="turnTo('matrix')">matrix</button>
        </div>
      </div>
    </div>
    <div class="depnet-note" role="status">{{ summary }}</div>
    <div ref="chart" class="depnet-picture" role="img" :aria-label="summary"></div>
    <div class="depnet-legend">
      <template v-if="mode === 'graph' && chosen !== null">
        <span v-for="(kind, how) in relations"><i :class="'depnet-line ' + how"></i>{{ kind.name }}</span>
      </template>
      <template v-else-if="mode === 'graph'">
        <span v-for="group in legend"><i class="depnet-dot" :style="{ background: group.colour }"></i>{{ group.name }}</span>
      </template>
      <span v-else>A row is predicted, a column predicts. Variables of one community stand together.</span>
    </div>
  </section>
  <div class="depnet-stack">
    <section class="depnet-card" v-if="chosen !== null" aria-live="polite">
      <div class="depnet-bar"><div class="depnet-heading depnet-grow" role="heading" aria-level="2">{{ names[chosen] }}</div>
        <button type="button" class="depnet-plain" @click="choose(null)" aria-label="Choose no variable">✕</button></div>
      <div class="depnet-bar"><a :href="start.nodeUrl">its decision graph</a></div>
      <template v-for="(kind, how) in relations">
        <div class="depnet-note" v-if="near[how].length"><i :class="'depnet-line ' + how"></i>{{ kind.name }} ({{ near[how].length }})</div>
        <div class="depnet-chips" v-if="near[how].length">
          <button type="button" v-for="other in near[how].slice(0, 40)" class="depnet-chip" @click="choose(other.variable)">
            {{ names[other.variable] }} <small>{{ other.text }}</small></button>
          <span class="depnet-note" v-if="near[how].length > 40">and {{ near[how].length - 40 }} more</span>
        </div>
      </template>
      <div class="depnet-note" v-if="!near.told.length && !near.tells.length && !near.both.length">No link: it is known alone.</div>
    </section>
    <section class="depnet-card">
      <div class="depnet-heading" role="heading" aria-level="2">{{ chosen === null ? "Links" : "Links of " + names[chosen] }}</div>
      <div class="depnet-note">{{ measured }}</div>
      <div class="depnet-scroll depnet-tall">
        <table class="depnet-table"><thead><tr><th>predicts</th><th>is predicted</th><th class="number">bits</th></tr></thead>
          <tbody><tr v-for="arrow in listed">
            <td><button type="button" class="depnet-plain" @click="choose(arrow[0])">{{ names[arrow[0]] }}</button></td>
            <td><button type="button" class="depnet-plain" @click="choose(arrow[1])">{{ names[arrow[1]] }}</button></td>
            <td class="number">{{ arrow[2].toFixed(4) }}</td></tr></tbody>
        </table>
      </div>
      <div class="depnet-note" v-if="unlisted">and {{ unlisted.toLocaleString("en") }} weaker ones; <code>depnet export -o links.csv</code> has all.</div>
    </section>
  </div>
</div>`,
  props: {
    names: Array, places: Array, groups: Array, ties: Array, colours: Array, rest: String,
    measured: String, left: Number, start: Object,
  },
  data() {
    return {
      uid: `network-${this.$.uid}`,
      shown: Math.min(this.start.shown, this.ties.length),
      position: 0,
      chosen: this.start.chosen,
      steps: this.start.steps,
      mode: this.start.mode,
      wanted: this.start.chosen === null ? "" : this.names[this.start.chosen],
      summary: "",
      listed: [],
      unlisted: 0,
      near: { told: [], tells: [], both: [] },
      relations: RELATIONS,
    };
  },
  computed: {
    legend() {
      const size = new Map();
      for (const group of this.groups) size.set(group, (size.get(group) ?? 0) + 1);
      const several = [...size].filter(([, count]) => count > 1).map(([group]) => group).sort((a, b) => a - b);
      const named = several.filter((group) => group < this.colours.length).map((group) => ({
        name: `community ${group + 1} (${size.get(group)})`, colour: this.colours[group],
      }));
      if (this.groups.some((group) => group >= this.colours.length || size.get(group) === 1)) {
        named.push({ name: "others", colour: this.rest });
      }
      return named;
    },
  },
  created() {
    // Kept out of Vue's sight: thousands of links need not be watched.
    const total = this.names.map(() => 0);
    const size = new Map();
    for (const group of this.groups) size.set(group, (size.get(group) ?? 0) + 1);
    for (const [first, second, forward, backward] of this.ties) {
      for (const end of [first, second]) total[end] += Math.max(forward ?? 0, backward ?? 0, 0);
    }
    const most = Math.max(...total, 1e-12);
    const small = Math.max(0.45, Math.min(1, Math.sqrt(250 / total.length)));
    this.fixed = Object.freeze({
      ties: Vue.toRaw(this.ties), names: Vue.toRaw(this.names), places: Vue.toRaw(this.places), total,
      sizes: total.map((bits) => small * (8 + 18 * Math.sqrt(bits / most))),
      colours: this.groups.map((group) => (size.get(group) > 1 && group < this.colours.length ? this.colours[group] : this.rest)),
    });
    this.position = this.positionOf(this.shown);
  },
  async mounted() {
    await new Promise((resolve) => setTimeout(resolve, 0)); // sizes are known then
    this.chart = echarts.init(this.$refs.chart);
    this.chart.on("click", (at) => at.dataType === "node" && this.choose(Number(at.data.id)));
    this.chart.getZr().on("click", (at) => !at.target && this.chosen !== null && this.choose(null));
    this.fit();
    this.observer = new ResizeObserver(() => { this.chart.resize(); this.fit(); this.draw(); });
    this.observer.observe(this.$refs.chart);
    this.themed = new MutationObserver(() => this.draw());
    this.themed.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    this.list();
    this.drawNow();
  },
  watch: {
    start(now) { // Back or Forward, or something else on the page has changed it
      const same = now.shown === this.shown && now.chosen === this.chosen && now.steps === this.steps && now.mode === this.mode;
      if (same) return;
      if (now.mode !== this.mode) this.chart?.clear();
      this.shown = Math.min(now.shown, this.ties.length);
      this.position = this.positionOf(this.shown);
      this.steps = now.steps;
      this.mode = now.mode;
      this.chosen = now.chosen;
      this.wanted = now.chosen === null ? "" : this.fixed.names[now.chosen];
      this.list();
      this.draw();
    },
  },
  beforeUnmount() {
    this.observer?.disconnect();
    this.themed?.disconnect();
    this.chart?.dispose();
  },
  methods: {
    fit() {
      this.fitted = Object.freeze(fitted(this.fixed.places, this.$refs.chart.clientWidth, this.$refs.chart.clientHeight));
    },
    positionOf(count) {
      return this.ties.length > 1 ? Math.round((1000 * Math.log(Math.max(count, 1))) / Math.log(this.ties.length)) : 1000;
    },
    slid() {
      this.shown = Math.max(1, Math.round(this.fixed.ties.length ** (this.position / 1000)));
      this.draw();
    },
    typed(field) {
      const count = Math.round(Number(field.value)) || 1;
      this.shown = Math.min(Math.max(count, 1), this.fixed.ties.length);
      field.value = this.shown;
      this.position = this.positionOf(this.shown);
      this.draw();
    },
    find() {
      const text = this.wanted.trim().toLowerCase();
      if (!text) return;
      let found = this.fixed.names.indexOf(this.wanted);
      if (found < 0) found = this.fixed.names.findIndex((name) => name.toLowerCase() === text);
      if (found < 0) found = this.fixed.names.findIndex((name) => name.toLowerCase().includes(text));
      if (found >= 0) this.choose(found);
      else this.summary = `No variable has “${this.wanted}” in its name.`;
    },
    choose(variable) {
      this.chosen = variable;
      if (variable === null) this.steps = 0;
      this.wanted = variable === null ? "" : this.fixed.names[variable];
      this.list();
      this.draw();
    },
    turnTo(mode) {
      this.mode = mode;
      this.chart.clear();
      this.draw();
    },
    list() {
      const near = { told: [], tells: [], both: [] };
      const arrows = [];
      for (const tie of this.fixed.ties) {
        if (this.chosen !== null) {
          const how = relation(tie, this.chosen);
          if (!how) continue;
          near[how].push({ variable: tie[0] === this.chosen ? tie[1] : tie[0], text: strength(tie).toFixed(3) });
        }
        if (tie[2] !== null) arrows.push([tie[0], tie[1], tie[2]]);
        if (tie[3] !== null) arrows.push([tie[1], tie[0], tie[3]]);
      }
      arrows.sort((a, b) => b[2] - a[2]);
      this.near = near;
      this.listed = arrows.slice(0, MOST_LISTED);
      this.unlisted = arrows.length - this.listed.length + (this.chosen === null ? this.left : 0);
    },
    draw() { // once a frame, however many events there are
      if (this.waiting || !this.chart) return;
      this.waiting = true;
      requestAnimationFrame(() => { this.waiting = false; this.drawNow(); });
    },
    drawNow() {
      const { names, ties, total } = this.fixed;
      let drawn = ties.slice(0, this.shown);
      const all = names.length <= SHOW_ALL_VARIABLES && this.steps === 0;
      let visible = new Set(all ? names.keys() : drawn.flatMap((tie) => [tie[0], tie[1]]));
      if (this.chosen !== null) {
        visible.add(this.chosen);
        // The links of a chosen variable are shown however weak they are.
        const own = ties.slice(this.shown).filter((tie) => tie[0] === this.chosen || tie[1] === this.chosen);
        drawn = [...drawn, ...own];
        for (const tie of own) visible.add(tie[0]).add(tie[1]);
        if (this.steps > 0) {
          visible = around(drawn, this.chosen, this.steps);
          drawn = drawn.filter((tie) => visible.has(tie[0]) && visible.has(tie[1]));
        }
      }
      const weakest = drawn.length ? bits(Math.min(...drawn.map(strength))) : "";
      this.summary = ties.length
        ? `${drawn.length.toLocaleString("en")} of ${(ties.length + this.left).toLocaleString("en")} links, `
          + `${weakest} and more, among ${visible.size.toLocaleString("en")} of ${names.length.toLocaleString("en")} variables`
        : "No node reads another: the model knows the variables as independent.";
      const grey = greys();
      const narrow = this.$refs.chart.clientWidth < NARROW;
      if (this.mode === "graph") {
        const { colours } = this.fixed;
        const sizes = narrow ? this.fixed.sizes.map((size) => 0.6 * size) : this.fixed.sizes;
        this.chart.setOption(graphOptions({ names, ...this.fitted, sizes, colours, ties: drawn, visible, chosen: this.chosen, grey }));
      } else {
        const strongest = [...visible].sort((a, b) => total[b] - total[a]).slice(0, narrow ? MOST_IN_MATRIX / 2 : MOST_IN_MATRIX);
        const order = strongest.sort((a, b) => this.groups[a] - this.groups[b] || total[b] - total[a]);
        if (visible.size > order.length) this.summary += `; the matrix has the ${order.length} strongest`;
        this.chart.setOption(matrixOptions({ names, ties: drawn, order, grey, narrow }), true);
      }
      this.chart.getZr().flush();
      this.$refs.chart.dataset.drawn = drawn.length;
      clearTimeout(this.telling);
      this.telling = setTimeout(() => this.$emit("state", {
        shown: this.shown, chosen: this.chosen, steps: this.steps, mode: this.mode,
      }), 300);
    },
    pixel(name) { // where a variable is drawn, in the chart's own pixels
      const at = this.fitted.places[this.fixed.names.indexOf(name)];
      return this.chart.convertToPixel({ seriesIndex: 0 }, at);
    },
    colour(how) {
      return colourOf(how, greys());
    },
  },
};

function around(ties, variable, steps) {
  let near = new Set([variable]);
  for (let step = 0; step < steps; step++) {
    const further = new Set(near);
    for (const [first, second] of ties) {
      if (near.has(first)) further.add(second);
      if (near.has(second)) further.add(first);
    }
    near = further;
  }
  return near;
}
