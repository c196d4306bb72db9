// The network: everything a reader does with it happens here, in the browser, so that it answers at once. What depends on
// evidence (how far variables moved, their bars, the table of a pair) is asked of the server and comes when it is there.
import { echarts } from "nicegui-echart";
import {
  NARROW, RELATIONS, around, bits, bubbleOptions, bubblesOf, fitted, fixedOf, framed, graphOptions, greys, gridOf, labelReach, matrixOptions, mixed,
  nearest, rampOf, said, sceneOf, svgOf,
} from "/depnet/network_graph.js";
import { LinksPanel, PairPanel, Peek } from "/depnet/network_panels.js";
import { savePicture } from "/depnet/picture.js";

const LEAST_SCALE = 0.05; // total variation at the strong end of the colours, where nothing moved by more
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const FROM_SERVER = ["chosen", "mode", "community", "pair", "known", "target"];

const template = `
<div class="depnet-network depnet-columns">
  <section class="depnet-card">
    <div class="depnet-bar">
      <label class="depnet-field depnet-grow">strong to weak
        <input type="range" min="0" max="1000" step="1" v-model.number="position" @input="slid"
               :aria-valuetext="shown + ' strongest links'">
      </label>
      <label class="depnet-field">find a column
        <input type="search" :list="uid + '-names'" v-model="wanted" @change="find" @keydown.enter.prevent="find" autocomplete="off">
      </label>
      <datalist :id="uid + '-names'"><option v-for="name in names" :value="name"></option></datalist>
      <div class="depnet-field" role="group" aria-label="Show as">show as
        <div class="depnet-switch">
          <button v-if="many" type="button" :aria-pressed="mode === 'groups'" @click="turnTo('groups')">groups</button>
          <button type="button" :aria-pressed="mode === 'graph'" @click="turnTo('graph')">graph</button>
          <button type="button" :aria-pressed="mode === 'matrix'" @click="turnTo('matrix')">matrix</button>
        </div>
      </div>
      <details class="depnet-menu" ref="menu" @keydown.esc="$refs.menu.open = false">
        <summary>Save as</summary>
        <div>
          <button type="button" @click="save('png')">PNG <small>what is shown</small></button>
          <button type="button" @click="save('svg')">SVG <small>what is shown</small></button>
          <button type="button" @click="save('csv')">CSV <small>all links</small></button>
          <button type="button" @click="save('graphml')">GraphML <small>all links</small></button>
        </div>
      </details>
    </div>
    <div class="depnet-note" role="status">{{ missed || summary }}<template v-if="asking">; asking what moves …</template></div>
    <div class="depnet-warning" role="status" v-if="problem">{{ problem }}</div>
    <div class="depnet-over">
      <div ref="board" class="depnet-picture" v-bind="board" @keydown="key" @focus="entered" @blur="leave">
        <div ref="chart" class="depnet-chart-room"></div>
        <div v-if="mode !== 'matrix'" role="option" aria-selected="true" class="depnet-unseen" :id="uid + '-active'">{{ described }}</div>
      </div>
      <div v-if="mode !== 'matrix'" class="depnet-zoom" role="group" aria-label="Zoom">
        <button type="button" class="depnet-icon" aria-label="Zoom in" @click="zoom(1.4)">+</button>
        <button type="button" class="depnet-icon" aria-label="Zoom out" @click="zoom(1 / 1.4)">−</button>
        <button type="button" class="depnet-icon" aria-label="Fit what is shown" @click="fit">⤢</button>
      </div>
      <template v-if="peek">
        <div class="depnet-ring" :style="{ left: peek.at[0] + 'px', top: peek.at[1] + 'px' }"></div>
        <peek :key="peek.variable" :name="names[peek.variable]" :told="peek.told" :open="peek.open" :evidence="known.length > 0"
          :target="target === peek.variable" :at="peek.at" :beside="reach(peek.variable)" :room="[$refs.chart.clientWidth, $refs.chart.clientHeight]"
          @hold="hold" @expand="$emit('peek', [peek.variable, !peek.told.card.opened])" @target="makeTarget" @close="closePeek"></peek>
      </template>
    </div>
    <div class="depnet-legend" v-if="mode === 'matrix' && grid">
      <span>A row is predicted, a column predicts; lines are between communities. The wheel zooms, a cell opens its pair.</span>
      <span class="depnet-scale">0<i :style="{ background: gradient }"></i>{{ bits(grid.most) }}</span>
      <span title="So that weak links show beside strong ones">square-root scale</span>
    </div>
    <div class="depnet-legend" v-else-if="chosen !== null">
      <span v-for="(kind, how) in relations"><i :class="'depnet-line ' + how"></i>{{ kind.name }}</span>
    </div>
    <div class="depnet-legend" v-if="mode !== 'matrix' && known.length">
      <template v-if="changes"><span class="depnet-scale">unmoved<i :style="{ background: gradient }"></i>moved {{ most.toFixed(2) }}</span>
      <span title="Total variation: the largest change in the probability of any event">total variation<template v-if="!sharp">; not yet sharp</template></span></template>
      <span><i class="depnet-square"></i>given</span>
    </div>
    <div class="depnet-legend" v-if="communities.length > 1" role="group" aria-label="Communities">
      <button type="button" v-for="one in coloured" class="depnet-community" :aria-pressed="community === one.group" @click="only(one.group)"
        :title="'Show only the ' + one.size + ' columns around ' + one.name">
        <i class="depnet-dot" :style="{ background: one.colour }"></i>around {{ one.name }} <small>{{ one.size }}</small></button>
      <span v-if="coloured.length < communities.length"><i class="depnet-dot" :style="{ background: rest }"></i>{{ communities.length - coloured.length }} smaller ones</span>
      <button type="button" v-if="community !== null" class="depnet-community" @click="only(community)">show all</button>
    </div>
  </section>
  <div class="depnet-stack">
    <pair-panel v-if="pair" ref="pairPanel" :key="pair.join()" :first="names[pair[0]]" :second="names[pair[1]]"
      :forward="joint?.forward" :backward="joint?.backward" :table="joint" :dark="dark" @close="closePair"></pair-panel>
    <links-panel :names="names" :ties="listed" :chosen="chosen" :left="left" :measured="measured" @choose="choose" @pair="openPair"></links-panel>
  </div>
</div>`;

export default {
  template,
  components: { Peek, PairPanel, LinksPanel },
  props: {
    names: Array, places: Array, groups: Array, strongest: Array, ties: Array, colours: Array, rest: String,
    measured: String, left: Number, opensWith: Number, start: Object, many: Boolean,
  },
  data() {
    return {
      uid: `network-${this.$.uid}`,
      ...Object.fromEntries(FROM_SERVER.map((name) => [name, this.start[name]])),
      asked: this.start.shown, // links, where the reader has said how many
      position: 0, // of the slider, which may be in the reader's hands
      wanted: this.start.chosen === null ? "" : this.names[this.start.chosen],
      summary: "", missed: "", problem: "",
      asking: false, sharp: true,
      changes: null, // how far each variable moved, where something is known
      peek: null, // the variable whose card is shown
      active: null, // the variable that the keyboard is at
      joint: null,
      grid: null, // what the matrix shows
      bubbles: null, // communities, where these are shown in place of their members
      dark: document.body.classList.contains("body--dark"),
      relations: RELATIONS,
    };
  },
  computed: {
    shown() {
      const usual = this.mode === "matrix" ? this.ties.length : this.opensWith;
      return Math.min(Math.max(this.asked ?? usual, 1), Math.max(this.ties.length, 1));
    },
    communities() {
      const size = new Map();
      for (const group of this.groups) size.set(group, (size.get(group) ?? 0) + 1);
      return this.strongest.map((v, group) => ({
        group, size: size.get(group), name: this.names[v], colour: this.colours[group] ?? this.rest,
      })).filter((community) => community.size > 1);
    },
    coloured() { return this.communities.filter(({ group }) => group < this.colours.length); },
    most() { return Math.max(LEAST_SCALE, ...(this.changes ?? []).map((change) => change ?? 0)); },
    gradient() { return `linear-gradient(to right, ${rampOf(this.mode === "matrix" ? "strength" : "moved", this.dark).join(",")})`; },
    board() { // a screen reader finds the matrix's links in the list beside it
      if (this.mode === "matrix") return { role: "img", "aria-label": "Matrix of links, which are listed beside it. " + this.summary };
      return { role: "listbox", tabindex: 0, "aria-activedescendant": this.uid + "-active",
               "aria-label": `${this.grouped ? "Groups" : "Columns"}: arrow keys go to the nearest, Enter opens one. ` + this.summary };
    },
    grouped() { return this.mode === "groups" && this.community === null && this.chosen === null; },
    described() { // the variable or the group that the keyboard is at, for a screen reader
      if (this.active === null) return "none yet";
      if (this.grouped) return `around ${this.communities[this.active].name}, ${this.communities[this.active].size} columns`;
      const change = this.changes?.[this.active];
      const mark = this.known.find(([v]) => v === this.active)?.[1];
      return (mark ?? this.names[this.active]) + (change ? `, moved ${change.toFixed(3)}` : "");
    },
  },
  created() {
    this.fixed = fixedOf(this, new Set(this.communities.map(({ group }) => group)));
    this.listed = Object.freeze({ list: this.fixed.ties });
    this.visible = new Set();
    this.at = this.fixed.places;
  },
  watch: {
    grouped() { [this.active, this.peek] = [this.chosen, null]; },
    shown: { immediate: true, handler(now) { if (this.countAt(this.position) !== now) this.position = this.positionOf(now); } },
  },
  async mounted() {
    await new Promise((resolve) => setTimeout(resolve, 0)); // sizes are known then
    if (!this.$refs.board) return; // the reader is in another view already
    this.observer = new ResizeObserver(() => { // which is told of the first size, too
      const { clientWidth: width, clientHeight: height } = this.$refs.chart;
      if (width === this.chart?.getWidth() && height === this.chart.getHeight()) return;
      this.chart?.resize();
      this.draw();
    });
    this.observer.observe(this.$refs.board);
    this.themed = new MutationObserver(() => { this.dark = document.body.classList.contains("body--dark"); this.draw(); });
    this.themed.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    this.outside = (event) => { if (this.$refs.menu && !this.$refs.menu.contains(event.target)) this.$refs.menu.open = false; };
    document.addEventListener("click", this.outside);
    this.drawNow();
    this.$emit("ready");
  },
  beforeUnmount() {
    this.observer?.disconnect();
    this.themed?.disconnect();
    document.removeEventListener("click", this.outside);
    this.chart?.dispose();
  },
  methods: {
    bits,
    // What the server says.
    follow(now) { // Back or Forward, or something else on the page has changed it
      if (JSON.stringify(now.known) !== JSON.stringify(this.known)) this.changes = null;
      if (JSON.stringify(now.pair) !== JSON.stringify(this.pair)) this.joint = null;
      if (now.chosen !== this.chosen) this.wanted = now.chosen === null ? "" : this.fixed.names[now.chosen];
      for (const name of FROM_SERVER) this[name] = now[name];
      this.asked = now.shown;
      this.draw();
    },
    answered({ asking = false, changes = null, sharp = true, problem = "" }) {
      [this.asking, this.problem] = [asking, problem];
      if (asking) return;
      [this.changes, this.sharp] = [Object.freeze(changes), sharp];
      this.draw();
    },
    peeked(variable, told) { if (this.peek?.variable === variable) this.peek = { ...this.peek, told: Object.freeze(told) }; },
    joined(pair, table) { if (this.pair?.join() === pair.join()) this.joint = Object.freeze(table); },
    // What the reader does. The server hears of it at once, but of a slider when it rests.
    tell(slid = false) {
      clearTimeout(this.telling);
      this.missed = "";
      const said = () => this.$emit("state", {
        shown: this.asked, chosen: this.chosen, mode: this.mode, community: this.community,
        pair: this.pair, slid,
      });
      if (slid) this.telling = setTimeout(said, 300);
      else said();
      this.draw();
    },
    positionOf(count) { return this.ties.length > 1 ? Math.round((1000 * Math.log(count)) / Math.log(this.ties.length)) : 1000; },
    countAt(position) { return Math.max(1, Math.round(this.ties.length ** (position / 1000))); },
    slid() { this.asked = this.countAt(this.position); this.tell(true); },
    find() {
      const text = this.wanted.trim().toLowerCase();
      this.missed = "";
      if (!text) return;
      let found = this.fixed.names.indexOf(this.wanted);
      if (found < 0) found = this.fixed.names.findIndex((name) => name.toLowerCase() === text);
      if (found < 0) found = this.fixed.names.findIndex((name) => name.toLowerCase().includes(text));
      if (found >= 0) this.choose(found);
      else this.missed = `No column has “${this.wanted}” in its name.`;
    },
    choose(variable) {
      if (variable === this.chosen) return;
      this.chosen = variable;
      this.active = variable;
      if (variable !== null && this.community !== null && this.groups[variable] !== this.community) this.community = null;
      this.wanted = variable === null ? "" : this.fixed.names[variable];
      this.tell();
    },
    turnTo(mode) { [this.mode, this.peek, this.view] = [mode, null, null]; this.tell(); },
    reach(variable) { return labelReach(this.fixed.names[variable]); },
    only(group) {
      this.community = group === this.community ? null : group;
      if (this.mode === "groups" || (this.community !== null && this.groups[this.chosen] !== this.community)) [this.chosen, this.wanted] = [null, ""];
      this.tell();
    },
    openPair(pair) {
      if (this.pair?.join() !== pair.join()) {
        [this.pair, this.joint] = [pair, null];
        this.tell();
      }
      this.$nextTick(() => this.$refs.pairPanel?.focus());
    },
    closePair() { this.pair = null; this.tell(); },
    point(variable, open = false) { // its card, and opened what can be done with it
      if (this.grouped) return this.draw();
      this.peek = { variable, open, told: this.peek?.variable === variable ? this.peek.told : null, at: this.pixel(variable) };
      clearTimeout(this.peeking);
      this.peeking = setTimeout(() => this.$emit("peek", [variable, false]), open ? 0 : 60);
    },
    leave() {
      if (this.peek?.open) return;
      this.peek = null;
      clearTimeout(this.peeking);
    },
    open(variable) {
      if (this.grouped) return this.only(this.communities[variable].group);
      this.choose(variable);
      this.$nextTick(() => { this.drawNow(); this.point(variable, true); }); // where it is then
    },
    closePeek() {
      const back = this.peek?.open;
      this.peek = null;
      if (back) this.$refs.board.focus({ preventScroll: true });
    },
    hold(codes) { this.$emit("hold", [this.peek.variable, codes]); this.closePeek(); },
    makeTarget() { this.$emit("target", this.peek.variable); this.closePeek(); },
    key(event) {
      if (event.target !== this.$refs.board || this.mode === "matrix") return;
      if (event.key in ARROWS) this.walk(ARROWS[event.key]);
      else if (event.key === "Home") this.walkTo(this.first());
      else if ((event.key === "Enter" || event.key === " ") && this.active !== null) this.open(this.active);
      else if (event.key === "Escape" && this.peek) this.peek = null;
      else if (event.key === "+" || event.key === "=") this.zoom(1.4);
      else if (event.key === "-") this.zoom(1 / 1.4);
      else if (event.key === "0") this.fit();
      else return;
      event.preventDefault();
    },
    first() {
      if (this.grouped) return this.communities.length ? 0 : null;
      if (this.chosen !== null) return this.chosen;
      return [...this.visible].reduce((best, v) => (best === null || this.fixed.total[v] > this.fixed.total[best] ? v : best), null);
    },
    walk(direction) { this.walkTo(this.active === null ? this.first() : nearest(this.at, this.active, this.visible, direction) ?? this.active); },
    walkTo(variable) { if (variable !== null) { this.active = variable; this.point(variable); } },
    entered() { // by a key, not by the mouse, which points anyway
      if (this.mode === "matrix" || this.peek?.open || !this.$refs.board.matches(":focus-visible")) return;
      this.walkTo(this.visible.has(this.active) ? this.active : this.first());
    },
    save(kind) {
      this.$refs.menu.open = false;
      if (kind === "csv" || kind === "graphml") return this.$emit("save", kind);
      savePicture(`network.${kind}`, svgOf(this.chart, greys().surface));
    },
    // What is drawn.
    zoom(times) {
      const { zoom = 1 } = this.chart.getOption().series[0];
      this.chart.setOption({ series: [{ zoom: Math.min(20, Math.max(0.4, zoom * times)) }] });
      this.moved();
    },
    fit() { this.view = null; this.drawNow(); },
    moved() { if (this.peek) this.peek = { ...this.peek, at: this.pixel(this.peek.variable) }; },
    draw() { // once a frame, however many events there are
      if (this.waiting) return;
      this.waiting = true;
      requestAnimationFrame(() => { this.waiting = false; if (this.$refs.board) this.drawNow(); });
    },
    drawNow() {
      const { drawn, visible } = sceneOf(this.fixed, this);
      this.summary = this.grouped ? `${this.communities.length} groups of columns that tell of each other, of ${this.names.length} columns: open one, or find a column`
        : said(this.fixed, this, drawn, visible);
      this.visible = this.grouped ? new Set(this.communities.keys()) : visible;
      this.$refs.board.dataset.drawn = drawn.length;
      if (!this.$refs.chart.clientWidth) return;
      if (!this.chart) this.begin();
      if (this.drawnAs !== this.mode) this.chart.clear();
      this.drawnAs = this.mode;
      if (this.mode === "matrix") this.drawMatrix(drawn);
      else if (this.grouped) this.drawGroups();
      else this.drawGraph(drawn);
      this.chart.getZr().flush();
    },
    drawMatrix(drawn) {
      this.grid = gridOf(this.fixed, this.visible, drawn);
      const { order } = this.grid;
      if (this.visible.size > order.length) this.summary += `; the matrix has the ${order.length} strongest`;
      this.chart.setOption(matrixOptions(this.fixed, this.grid, this.pair, greys()));
    },
    drawGroups() {
      const { clientWidth: width, clientHeight: height } = this.$refs.chart;
      const [grey, { changes }] = [greys(), this];
      const bubbles = bubblesOf(this.fixed, this.communities, width, height, this.shown);
      this.at = bubbles.at;
      const moved = (group) => this.groups.reduce((high, own, v) => (own === group ? Math.max(high, changes[v] ?? 0) : high), 0);
      const fill = (one) => (changes === null ? one.colour : mixed(rampOf("moved", grey.dark), moved(one.group) / this.most));
      const marked = new Set([...this.known.map(([v]) => v), ...(this.target === null ? [] : [this.target])].map((v) => this.groups[v]));
      this.chart.setOption(bubbleOptions(bubbles, this.communities, { fill, active: this.active, marked, grey, width, height }), true);
      this.view = null;
    },
    drawGraph(drawn) {
      const { clientWidth: width, clientHeight: height } = this.$refs.chart;
      const { names, places, sizes, groups } = this.fixed;
      const ringed = this.mode === "groups" && this.chosen !== null;
      this.at = ringed ? around(places, this.chosen, this.visible, width, height)
        : fitted(places, width, height, this.community === null ? null : this.visible);
      const grey = greys();
      const ramp = rampOf("moved", grey.dark);
      const known = new Map(this.known);
      const { changes } = this;
      const fill = (v) => (changes === null ? this.fixed.colours[v]
        : changes[v] === null ? grey.text : mixed(ramp, changes[v] / this.most));
      const narrow = width < NARROW;
      const options = graphOptions({
        names, at: this.at, width, height, sizes: narrow ? sizes.map((size) => 0.6 * size) : sizes, fill, ties: drawn,
        visible: this.visible, chosen: this.chosen, marks: { known, target: this.target }, grey,
      });
      const view = ringed ? `around ${this.chosen}` : `${this.mode} ${this.community}`;
      if (this.view !== view) { // what is shown at first fills the picture, and stays where it is while more is shown
        Object.assign(options.series[0], ringed || this.community !== null ? { zoom: 1, center: null } : framed(this.at, this.visible, width, height));
      }
      this.chart.setOption(options, this.view !== view);
      this.view = view;
      this.moved();
    },
    begin() {
      this.chart = echarts.init(this.$refs.chart);
      const node = (at) => at.dataType === "node" && Number(at.data.id);
      this.chart.on("click", (at) => {
        if (at.seriesType === "heatmap") this.openPair(at.data.cell.slice(0, 2).map((k) => this.grid.order[k]));
        else if (at.dataType === "edge") this.openPair([at.data.tie[0], at.data.tie[1]]);
        else this.open(node(at));
      });
      this.chart.on("mouseover", (at) => at.dataType === "node" && !this.peek?.open && this.point(node(at)));
      this.chart.on("mouseout", (at) => at.dataType === "node" && this.leave());
      this.chart.on("graphroam", () => this.moved());
      this.chart.getZr().on("click", (at) => {
        if (at.target || this.mode === "matrix") return;
        if (this.peek?.open) this.closePeek();
        else this.choose(null);
      });
    },
    pixel(variable) { return this.chart.convertToPixel({ seriesIndex: 0 }, this.at[variable]); }, // where it is drawn
  },
};
