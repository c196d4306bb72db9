// The links as a matrix that scrolls: a row is predicted, a column predicts. One SVG, whose headings stay while the rest moves under
// them; for the keyboard and for a screen reader there is one cell at a time.
import { bits, greys, mixed, rampOf } from "/depnet/network_graph.js";

const CELL = { least: 15, usual: 24, most: 40 }; // it is only as small as the least where the page is too narrow
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export default {
  template: `
<div class="depnet-matrix-box">
  <div ref="box" class="depnet-matrix" tabindex="0" role="grid" :aria-label="label" :aria-rowcount="order.length" :aria-colcount="order.length"
       :aria-activedescendant="uid + '-cell'" :data-drawn="shape && order.length" :style="{ height: height + 'px' }" @scroll="stick" @keydown="key"
       @focus="focused = true" @blur="focused = false" @mousemove="hover" @mouseleave="over = null" @click="click">
    <svg v-if="shape" ref="svg" xmlns="http://www.w3.org/2000/svg" :width="whole" :height="whole" font-family="system-ui, sans-serif"
         :font-size="Math.min(12, shape.cell - 3)" :fill="drawn.grey.text" dominant-baseline="central" aria-hidden="true">
      <g v-memo="[drawn]">
        <rect :width="whole" :height="whole" :fill="drawn.grey.surface" />
        <rect v-for="c in drawn.cells" :x="c.x + drawn.gap" :y="c.y + drawn.gap" :width="shape.cell - 2 * drawn.gap" :height="shape.cell - 2 * drawn.gap" :fill="c.fill" />
        <path :d="drawn.lines" :stroke="drawn.grey.line" stroke-width="0.5" />
        <rect v-for="run in drawn.frames" :x="run.at" :y="run.at" :width="run.side" :height="run.side" fill="none" :stroke="drawn.grey.text" stroke-width="1.5" />
      </g>
      <rect v-for="mark in marks" data-mark :x="at(mark.column)" :y="at(mark.row)" :width="shape.cell" :height="shape.cell" fill="none"
            :stroke="mark.own ? drawn.grey.accent : drawn.grey.text" :stroke-width="mark.own ? 3 : 2" />
      <g ref="top"><rect :width="whole" :height="shape.head" :fill="drawn.grey.surface" />
        <rect v-for="run in drawn.runs" :x="run.at" :y="shape.head - 4" :width="run.side" height="4" :fill="run.colour" />
        <text v-for="(name, k) in drawn.names" :transform="'translate(' + (at(k) + shape.cell / 2) + ' ' + (shape.head - 8) + ') rotate(-90)'"
              :font-weight="marked('column', k)">{{ name }}</text></g>
      <g ref="left"><rect :width="shape.head" :height="whole" :fill="drawn.grey.surface" />
        <rect v-for="run in drawn.runs" :x="shape.head - 4" :y="run.at" width="4" :height="run.side" :fill="run.colour" />
        <text v-for="(name, k) in drawn.names" :x="shape.head - 8" :y="at(k) + shape.cell / 2" text-anchor="end" :font-weight="marked('row', k)">{{ name }}</text></g>
      <rect ref="corner" :width="shape.head" :height="shape.head" :fill="drawn.grey.surface" />
    </svg>
    <div role="row"><div role="gridcell" class="depnet-unseen" :id="uid + '-cell'">{{ said(active) }}</div></div>
  </div>
  <div v-if="over" class="depnet-matrix-said" :style="over.style">{{ said(over) }}</div>
</div>`,
  props: { names: Array, order: Array, groups: Array, colours: Array, cells: Object, pair: Array, label: String, room: Number, dark: Boolean },
  emits: ["pair", "choose"],
  data() {
    return { uid: `matrix-${this.$.uid}`, focused: false, active: { row: 0, column: 0 }, over: null, height: 300, shape: null };
  },
  mounted() {
    this.size();
    this.observer = new ResizeObserver(() => this.size());
    this.observer.observe(this.$refs.box);
  },
  beforeUnmount() { this.observer.disconnect(); },
  watch: {
    order() { this.active = { row: 0, column: 0 }; this.size(); },
  },
  computed: {
    whole() { return this.shape.head + this.order.length * this.shape.cell + 1; },
    drawn() { // what stays while the mouse and the keyboard move
      const { cell, head, cut } = this.shape;
      const [grey, ramp] = [greys(), rampOf("strength", this.dark)];
      const place = new Map(this.order.map((v, k) => [v, k]));
      const cells = this.order.map((_, k) => ({ x: this.at(k), y: this.at(k), fill: grey.line }));
      for (const [key, found] of this.cells.of) {
        const [column, row] = [place.get(Math.floor(key / this.names.length)), place.get(key % this.names.length)];
        if (column === undefined || row === undefined) continue;
        cells.push({ x: this.at(column), y: this.at(row), fill: mixed(ramp, Math.sqrt(Math.max(found, 0) / this.cells.most)) });
      }
      const runs = runsOf(this.order.map((v) => this.groups[v])).map(({ group, start, size }) => (
        { at: this.at(start), side: size * cell, size, colour: this.colours[group] ?? grey.muted }));
      const lines = [...this.order, null].map((_, k) => `M${this.at(k)} ${head}V${this.whole}M${head} ${this.at(k)}H${this.whole}`).join("");
      return Object.freeze({ grey, gap: cell > 20 ? 1 : 0.5, cells, lines, runs, frames: runs.filter(({ size }) => size > 1),
                             names: this.order.map((v) => cut(this.names[v])) });
    },
    marks() {
      const chosen = this.pair && { column: this.order.indexOf(this.pair[0]), row: this.order.indexOf(this.pair[1]) };
      return [this.over, chosen, this.focused && { ...this.active, own: true }].filter((at) => at && at.row >= 0 && at.column >= 0);
    },
  },
  methods: {
    at(k) { return this.shape.head + k * this.shape.cell; },
    marked(way, k) { return this.over?.[way] === k || (this.focused && this.active[way] === k) ? "bold" : null; },
    size() {
      const { box } = this.$refs;
      const n = this.order.length;
      const measure = document.createElement("canvas").getContext("2d");
      measure.font = "12px system-ui, sans-serif";
      const wide = (text) => measure.measureText(text).width;
      const widths = this.order.map((v) => wide(this.names[v])).sort((a, b) => a - b);
      const usual = widths[n > 20 ? Math.floor(0.95 * (n - 1)) : n - 1] ?? 20; // of many, a few long names are cut short
      const head = Math.ceil(Math.min(Math.max(usual, 40) + 22, box.clientWidth < 600 ? 96 : 170));
      const [across, down] = [box.clientWidth - head - 2, this.room - head - 20].map((side) => Math.floor(side / n));
      const cell = Math.max(CELL.least, Math.min(CELL.most, across, Math.max(down, CELL.usual)));
      const cut = (name) => (wide(name) <= head - 12 ? name : `${name.slice(0, Math.floor((name.length * (head - 24)) / wide(name)) - 1)}…`);
      if (this.shape?.head !== head || this.shape.cell !== cell) this.shape = Object.freeze({ head, cell, cut });
      this.height = Math.min(this.whole + 18, this.room);
    },
    said({ row, column }) {
      const [to, from] = [this.order[row], this.order[column]];
      if (to === undefined || from === undefined) return "";
      if (to === from) return this.names[to];
      const found = this.cells.of.get(from * this.names.length + to);
      return `${this.names[from]} → ${this.names[to]}: ${found === undefined ? this.cells.none : bits(found)}`;
    },
    stick() { // the headings, where the reader has scrolled to
      const { scrollLeft: x, scrollTop: y } = this.$refs.box;
      for (const [name, to] of Object.entries({ top: `0 ${y}`, left: `${x} 0`, corner: `${x} ${y}` })) this.$refs[name].setAttribute("transform", `translate(${to})`);
    },
    under(event) { // the row and column under the mouse; -1 is the heading
      const { box } = this.$refs;
      const { left, top } = box.getBoundingClientRect();
      const { head, cell } = this.shape;
      const [x, y] = [event.clientX - left, event.clientY - top];
      const column = x < head ? -1 : Math.floor((x - head + box.scrollLeft) / cell);
      const row = y < head ? -1 : Math.floor((y - head + box.scrollTop) / cell);
      return Math.max(row, column) < this.order.length && Math.max(row, column) >= 0 ? { row, column, x, y } : null;
    },
    hover(event) {
      const at = this.under(event);
      const width = this.$refs.box.clientWidth;
      const style = at && { top: `${at.y + 18}px`, ...(at.x > width / 2 ? { right: `${width - at.x}px` } : { left: `${at.x + 12}px` }) };
      this.over = at && Math.min(at.row, at.column) >= 0 ? { ...at, style } : null;
      this.$refs.box.style.cursor = at ? "pointer" : "default";
    },
    click(event) {
      const at = this.under(event);
      if (!at) return;
      if (Math.min(at.row, at.column) < 0) return this.$emit("choose", this.order[Math.max(at.row, at.column)]);
      this.active = { row: at.row, column: at.column };
      this.open();
    },
    open() {
      const [to, from] = [this.order[this.active.row], this.order[this.active.column]];
      if (to === from) this.$emit("choose", to);
      else this.$emit("pair", [from, to]);
    },
    key(event) {
      if (event.key === "Enter" || event.key === " ") this.open();
      else if (event.key === "Home") this.active = { ...this.active, column: 0 };
      else if (event.key === "End") this.active = { ...this.active, column: this.order.length - 1 };
      else if (event.key in STEPS) this.move(STEPS[event.key], event.ctrlKey || event.metaKey);
      else return;
      event.preventDefault();
      const { head, cell } = this.shape; // scrolls until the active cell is seen
      const { box } = this.$refs;
      const [x, y] = [this.active.column * cell, this.active.row * cell];
      box.scrollLeft = Math.min(x, Math.max(box.scrollLeft, x + cell - box.clientWidth + head));
      box.scrollTop = Math.min(y, Math.max(box.scrollTop, y + cell - box.clientHeight + head));
    },
    move([down, right], far) { // with Ctrl to the next link of the row or column
      let { row, column } = this.active;
      const inside = () => row >= 0 && column >= 0 && row < this.order.length && column < this.order.length;
      const linked = () => this.cells.of.has(this.order[column] * this.names.length + this.order[row]);
      do { row += down; column += right; } while (far && inside() && !linked());
      if (inside()) this.active = { row, column };
    },
    svgText() { // to be saved: all of it, as if nothing were scrolled or marked
      const all = this.$refs.svg.cloneNode(true);
      for (const mark of all.querySelectorAll("[data-mark]")) mark.remove();
      for (const part of all.children) part.removeAttribute("transform");
      return new XMLSerializer().serializeToString(all).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd");
    },
  },
};

// Runs of one group in an order.
function runsOf(groups) {
  const found = [];
  groups.forEach((group, start) => {
    const last = found[found.length - 1];
    if (last?.group === group) last.size += 1;
    else found.push({ group, start, size: 1 });
  });
  return found;
}
