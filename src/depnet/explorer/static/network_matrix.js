// The links as a matrix that scrolls: a row is predicted, a column predicts. Only what is seen is drawn, on a canvas that
// stays while the rest moves under it; for the keyboard and for a screen reader there is one cell at a time.
import { bits, greys, mixed, rampOf } from "/depnet/network_options.js";

const CELL = { least: 15, usual: 24, most: 40 }; // it is only as small as the least where the page is too narrow
const FONT = "system-ui, sans-serif";
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export default {
  template: `
<div class="depnet-matrix-box">
  <div ref="box" class="depnet-matrix" tabindex="0" role="grid" :aria-label="label" :aria-rowcount="order.length" :aria-colcount="order.length"
       :aria-activedescendant="uid + '-cell'" :style="{ height: height + 'px' }" @scroll="draw" @keydown="key" @focus="focused = true; draw()"
       @blur="focused = false; draw()" @mousemove="hover" @mouseleave="over = null; draw()" @click="click">
    <div :style="{ width: whole + 'px', height: tall + 'px' }"><canvas ref="canvas"></canvas></div>
    <div role="row"><div role="gridcell" class="depnet-unseen" :id="uid + '-cell'">{{ said(active) }}</div></div>
  </div>
  <div v-if="over" class="depnet-matrix-said" :style="over.style">{{ said(over) }}</div>
</div>`,
  props: { names: Array, order: Array, groups: Array, colours: Array, cells: Object, pair: Array, label: String, room: Number },
  emits: ["pair", "choose"],
  data() {
    return { uid: `matrix-${this.$.uid}`, focused: false, active: { row: 0, column: 0 }, over: null, height: 300, whole: 300, tall: 300 };
  },
  mounted() {
    this.size();
    this.observer = new ResizeObserver(() => this.size());
    this.observer.observe(this.$refs.box);
    this.themed = new MutationObserver(() => this.draw());
    this.themed.observe(document.body, { attributes: true, attributeFilter: ["class"] });
  },
  beforeUnmount() {
    this.observer.disconnect();
    this.themed.disconnect();
  },
  watch: {
    order() { this.active = { row: 0, column: 0 }; this.size(); },
    cells() { this.draw(); },
    pair() { this.draw(); },
  },
  methods: {
    size() {
      const { box } = this.$refs;
      const n = this.order.length;
      const measure = document.createElement("canvas").getContext("2d");
      measure.font = `12px ${FONT}`;
      const widths = this.order.map((v) => measure.measureText(this.names[v]).width).sort((a, b) => a - b);
      const usual = widths[n > 20 ? Math.floor(0.95 * (n - 1)) : n - 1] ?? 20; // of many, a few long names are cut short
      const head = Math.ceil(Math.min(Math.max(usual, 40) + 22, box.clientWidth < 600 ? 96 : 170));
      const [across, down] = [box.clientWidth - head - 2, this.room - head - 20].map((side) => Math.floor(side / n));
      const cell = Math.max(CELL.least, Math.min(CELL.most, across, Math.max(down, CELL.usual)));
      this.shape = { head, cell, n };
      this.whole = head + n * cell + 1;
      this.tall = this.whole;
      this.height = Math.min(this.tall + 18, this.room);
      this.$nextTick(() => this.draw());
    },
    said({ row, column }) {
      const [to, from] = [this.order[row], this.order[column]];
      if (to === undefined || from === undefined) return "";
      if (to === from) return this.names[to];
      const found = this.cells.of.get(from * this.names.length + to);
      return `${this.names[from]} → ${this.names[to]}: ${found === undefined ? this.cells.none : bits(found)}`;
    },
    at(event) { // the row and column under the mouse; -1 is the heading
      const box = this.$refs.box.getBoundingClientRect();
      const { head, cell, n } = this.shape;
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      const column = x < head ? -1 : Math.floor((x - head + this.$refs.box.scrollLeft) / cell);
      const row = y < head ? -1 : Math.floor((y - head + this.$refs.box.scrollTop) / cell);
      return row < n && column < n ? { row, column, x, y } : null;
    },
    hover(event) {
      const at = this.at(event);
      const inside = at && at.row >= 0 && at.column >= 0;
      const width = this.$refs.box.clientWidth;
      const style = at && { top: `${at.y + 18}px`, ...(at.x > width / 2 ? { right: `${width - at.x}px` } : { left: `${at.x + 12}px` }) };
      this.over = inside ? { ...at, style } : null;
      this.$refs.box.style.cursor = at && (at.row >= 0 || at.column >= 0) ? "pointer" : "default";
      this.draw();
    },
    click(event) {
      const at = this.at(event);
      if (!at) return;
      if (at.row >= 0 && at.column >= 0) {
        this.active = { row: at.row, column: at.column };
        this.open();
      } else if (at.row >= 0 || at.column >= 0) this.$emit("choose", this.order[Math.max(at.row, at.column)]);
    },
    open() {
      const [to, from] = [this.order[this.active.row], this.order[this.active.column]];
      if (to === from) this.$emit("choose", to);
      else this.$emit("pair", [from, to]);
      this.draw();
    },
    key(event) {
      const n = this.order.length;
      if (event.key === "Enter" || event.key === " ") this.open();
      else if (event.key === "Home") this.active = { ...this.active, column: 0 };
      else if (event.key === "End") this.active = { ...this.active, column: n - 1 };
      else if (event.key in STEPS) this.move(STEPS[event.key], event.ctrlKey || event.metaKey);
      else return;
      event.preventDefault();
      this.seen();
      this.draw();
    },
    move([down, right], far) { // with Ctrl to the next link of the row or column
      let { row, column } = this.active;
      const inside = () => row >= 0 && column >= 0 && row < this.order.length && column < this.order.length;
      const linked = () => this.cells.of.has(this.order[column] * this.names.length + this.order[row]);
      do { row += down; column += right; } while (far && inside() && !linked());
      if (inside()) this.active = { row, column };
    },
    seen() { // scrolls until the active cell is
      const { head, cell } = this.shape;
      const { box } = this.$refs;
      const [x, y] = [this.active.column * cell, this.active.row * cell];
      const [width, height] = [box.clientWidth - head, box.clientHeight - head];
      box.scrollLeft = Math.min(x, Math.max(box.scrollLeft, x + cell - width));
      box.scrollTop = Math.min(y, Math.max(box.scrollTop, y + cell - height));
    },
    draw() {
      if (this.waiting || !this.$refs.canvas) return;
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        const { box, canvas } = this.$refs;
        if (!canvas || !this.shape) return;
        const ratio = window.devicePixelRatio || 1;
        const [width, height] = [box.clientWidth, box.clientHeight];
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        canvas.style.width = `${width}px`;
        canvas.style.height = `${height}px`;
        const context = canvas.getContext("2d");
        context.scale(ratio, ratio);
        paint(context, this.marks({ left: box.scrollLeft, top: box.scrollTop, width, height }, true));
        box.dataset.drawn = this.order.length;
      });
    },
    // Rectangles and texts of what a window shows: the canvas paints them, and SVG has the same.
    marks({ left, top, width, height }, alive) {
      const { head, cell, n } = this.shape;
      const grey = greys();
      const ramp = rampOf("strength", grey.dark);
      const marks = [{ x: 0, y: 0, w: width, h: height, fill: grey.surface }];
      const [firstColumn, firstRow] = [left, top].map((from) => Math.max(0, Math.floor(from / cell)));
      const [lastColumn, lastRow] = [[left, width], [top, height]].map(([from, side]) => Math.min(n - 1, Math.ceil((from + side - head) / cell)));
      const x = (column) => head + column * cell - left;
      const y = (row) => head + row * cell - top;
      const clip = { x: head, y: head, w: width - head, h: height - head };
      const gap = cell > 20 ? 1 : 0.5;
      for (let row = firstRow; row <= lastRow; row++) {
        for (let column = firstColumn; column <= lastColumn; column++) {
          const found = this.cells.of.get(this.order[column] * this.names.length + this.order[row]);
          const fill = row === column ? grey.line : found === undefined ? null : mixed(ramp, Math.sqrt(Math.max(found, 0) / this.cells.most));
          if (fill) marks.push({ x: x(column) + gap, y: y(row) + gap, w: cell - 2 * gap, h: cell - 2 * gap, fill, clip });
        }
      }
      for (let step = 0; step <= n; step++) {
        if (step >= firstColumn && step <= lastColumn + 1) marks.push({ x: x(step), y: y(0), w: 0.5, h: n * cell, fill: grey.line, clip });
        if (step >= firstRow && step <= lastRow + 1) marks.push({ x: x(0), y: y(step), w: n * cell, h: 0.5, fill: grey.line, clip });
      }
      for (const run of runs(this.order.map((v) => this.groups[v]))) { // communities
        const colour = this.colours[run.group] ?? grey.muted;
        const side = run.size * cell;
        if (run.size > 1) marks.push({ x: x(run.start), y: y(run.start), w: side, h: side, stroke: grey.text, line: 1.5, clip });
        marks.push({ x: x(run.start), y: head - 4, w: side, h: 4, fill: colour, clip: { ...clip, y: 0, h: head } });
        marks.push({ x: head - 4, y: y(run.start), w: 4, h: side, fill: colour, clip: { ...clip, x: 0, w: head } });
      }
      if (alive) {
        const chosen = this.pair ? { column: this.order.indexOf(this.pair[0]), row: this.order.indexOf(this.pair[1]) } : null;
        for (const at of [this.over, chosen, this.focused ? this.active : null]) {
          if (!at || at.row < 0 || at.column < 0) continue;
          const own = at === this.active;
          marks.push({ x: x(at.column), y: y(at.row), w: cell, h: cell, stroke: own ? grey.accent : grey.text, line: own ? 3 : 2, clip });
        }
      }
      const size = Math.min(12, cell - 3);
      const wide = { limit: head - 12, size };
      for (let row = firstRow; row <= lastRow; row++) {
        const bold = alive && (this.over?.row === row || (this.focused && this.active.row === row));
        marks.push({ text: this.names[this.order[row]], x: head - 8, y: y(row) + cell / 2, fill: grey.text, bold, ...wide, clip: { ...clip, x: 0, w: head } });
      }
      for (let column = firstColumn; column <= lastColumn; column++) {
        const bold = alive && (this.over?.column === column || (this.focused && this.active.column === column));
        marks.push({ text: this.names[this.order[column]], x: x(column) + cell / 2, y: head - 8, up: true, fill: grey.text, bold, ...wide, clip: { ...clip, y: 0, h: head } });
      }
      return marks;
    },
    all() { // to be saved
      const side = this.whole;
      return { side, marks: this.marks({ left: 0, top: 0, width: side, height: side }, false), paint, font: FONT };
    },
  },
};

// Runs of one group in an order.
function runs(groups) {
  const found = [];
  groups.forEach((group, start) => {
    const last = found[found.length - 1];
    if (last?.group === group) last.size += 1;
    else found.push({ group, start, size: 1 });
  });
  return found;
}

function paint(context, marks) {
  context.textBaseline = "middle";
  for (const mark of marks) {
    context.save();
    if (mark.clip) {
      context.beginPath();
      context.rect(mark.clip.x, mark.clip.y, mark.clip.w, mark.clip.h);
      context.clip();
    }
    context.fillStyle = mark.fill;
    if (mark.text !== undefined) {
      context.translate(mark.x, mark.y);
      if (mark.up) context.rotate(-Math.PI / 2);
      context.textAlign = mark.up ? "left" : "right";
      context.font = `${mark.bold ? "bold " : ""}${mark.size}px ${FONT}`;
      context.fillText(shortened(context, mark.text, mark.limit), 0, 0);
    } else if (mark.stroke) {
      context.strokeStyle = mark.stroke;
      context.lineWidth = mark.line;
      context.strokeRect(mark.x, mark.y, mark.w, mark.h);
    } else context.fillRect(mark.x, mark.y, mark.w, mark.h);
    context.restore();
  }
}

export function shortened(context, text, limit) {
  if (context.measureText(text).width <= limit) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= limit) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…`;
}
