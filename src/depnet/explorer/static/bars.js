// The bars of a variable, wherever a view shows them (Ask, the card of a variable in Network): what is now is filled, what it
// is compared with an outline, a line says how sure it is, and a mark where the table itself lies.
// A click on a bar says its state; dragging, or Shift with the arrow keys, says a range (`say` with "clamp", "toggle", "range", "expand", "log").
// All text goes through Vue's interpolation, which shows markup as it is written.
const SCALES = [0.1, 0.2, 0.5, 1];

export const Bars = {
  props: { card: Object, now: Object, held: Object, evidence: Boolean, several: Boolean, still: Boolean, versus: Boolean },
  emits: ["say"],
  data: () => ({ at: -1, over: -1, anchor: -1, drag: null }),
  template: `
    <div>
      <div v-if="card.columns" class="depnet-marginal-number" :title="summary">{{ summary }}</div>
      <div v-if="card.missing >= 0" class="depnet-marginal-number" data-known>{{ (numbers && numbers.known) || "" }}</div>
      <div ref="bars" :class="card.columns ? 'depnet-histogram' : 'depnet-bars'" role="group" :aria-label="card.name + (card.ordered ? ': Shift and the arrow keys set a range' : '')"
        @pointerleave="over = -1" @focusout="left">
        <component :is="still ? 'div' : 'button'" v-for="(s, k) in card.states" :key="s.c" v-bind="bar(s, k)" v-on="still ? {} : heard(s, k)">
          <span v-if="!card.columns" class="depnet-state-label">{{ s.l }}</span>
          <span :class="card.columns ? 'depnet-column' : 'depnet-track'">
            <span class="depnet-fill" :style="long(p(k), k)"></span>
            <span v-if="was" class="depnet-before" :style="long(was[k], k)"></span>
            <span v-if="sure(k) && !card.columns" class="depnet-whisker"
              :style="[from(sure(k)[0], k), long(sure(k)[1] - sure(k)[0], k)]"></span>
            <span v-if="observed(k) !== null" class="depnet-observed" :style="from(observed(k), k)"></span>
          </span>
          <span v-if="card.columns" class="depnet-tick">{{ gone(k) ? "missing" : "" }}</span>
          <span v-else class="depnet-state-number"><span v-if="was" class="depnet-was">{{ three(was[k]) }} →</span> {{ three(p(k)) }}</span>
        </component>
        <div v-if="card.columns" class="depnet-axis" :class="{ short: card.missing >= 0 }" aria-hidden="true">
          <i v-if="was && card.base.at !== undefined" class="depnet-mean was" :style="{ left: card.base.at + '%' }"></i>
          <i v-if="numbers && numbers.at !== undefined" class="depnet-mean" :style="{ left: numbers.at + '%' }"></i>
          <span v-for="[at, text] in card.ticks" :key="text" class="depnet-axis-tick" :class="{ first: at < 6, last: at > 94 }" :style="{ left: at + '%' }">{{ text }}</span>
        </div>
      </div>
      <div v-if="card.columns" class="depnet-readout"><span>{{ readout }}</span>
        <button v-if="card.skewed && !still" type="button" class="depnet-plain" :aria-pressed="card.log ? 'true' : 'false'"
          :aria-label="'Log axis of ' + card.name" @click="$emit('say', 'log', [card.name])">{{ card.log ? "linear" : "log" }}</button></div>
      <button v-if="card.opened && !still" type="button" class="depnet-action" @click="$emit('say', 'expand', [card.name])">Fewer states</button>
    </div>`,
  computed: {
    given() { return this.now ? this.now.given : this.evidence; },
    numbers() { return this.now ?? (this.evidence ? null : this.card.base); },
    was() { return this.given ? this.card.base.p : null; },
    scale() {
      const states = (values) => (values || []).filter((_, k) => !this.gone(k)).map((value) => value ?? 0);
      const { p, o } = this.numbers ?? {}, { base } = this.card;
      const most = Math.max(1e-9, ...states(base.p), ...states(base.o), ...states(p), ...states(o));
      return this.card.columns ? most * 1.02 : SCALES.find((scale) => most <= scale) ?? 1;
    },
    summary() {
      const { base } = this.card, now = this.numbers ?? {};
      const change = (name) => `${name} ` + (!this.was ? "" : `${base[name] ?? "–"} → `) + (now[name] ?? "–");
      return `${change("mean")}, ${change("sd")}`;
    },
    readout() {
      const [from, to] = this.drawn();
      const { states } = this.card;
      if (from >= 0) return from === to ? states[from].l : `${states[from].l} … ${states[to].l}`;
      const k = this.over >= 0 ? this.over : this.at;
      if (k < 0 || k >= states.length) return this.numbers?.between ? `mean, 90 % sure: ${this.numbers.between}` : "";
      const before = this.was ? this.was[k].toFixed(3) + " → " : "";
      return `${states[k].l}: ${before}${this.three(this.p(k))}${this.between(k)}${this.both(k) ? " (" + this.both(k) + ")" : ""}`;
    },
    first() {  // where Tab comes to
      const at = this.at >= 0 ? this.at : this.held ? this.held.bars.findIndex((share) => share > 0) : 0;
      return at >= 0 && at < this.card.states.length ? at : 0;
    },
  },
  methods: {
    p(k) { return this.numbers ? this.numbers.p[k] ?? 0 : 0; },  // a card may just have got more bars
    sure(k) { return (this.numbers && this.numbers.sure && this.numbers.sure[k]) || null; },  // the interval of a state
    between(k) { return this.sure(k) ? ` [${this.sure(k).map((end) => end.toFixed(3)).join(" to ")}]` : ""; },
    observed(k) { return this.numbers && this.numbers.o ? this.numbers.o[k] ?? null : null; },
    gone(k) { return this.card.states[k] !== undefined && this.card.states[k].c === this.card.missing; },
    share(value, k) {  // the bar of missing values is of all rows, and has a scale of its own
      return (100 * Math.min(1, Math.max(0, value / (this.gone(k) ? 1 : this.scale)))).toFixed(2) + "%";
    },
    long(value, k) { return { [this.card.columns ? "height" : "width"]: this.share(value, k) }; },
    from(value, k) { return { [this.card.columns ? "bottom" : "left"]: this.share(value, k) }; },
    three(value) { return this.numbers ? value.toFixed(3) : "–"; },
    both(k) {
      if (!this.numbers || !this.numbers.o || this.numbers.m[k] === undefined || this.gone(k)) return "";
      const { m, o, rows } = this.numbers;
      const table = o[k] === null ? "–" : o[k].toFixed(3);
      return `model ${m[k].toFixed(3)}, table ${table} of ${rows.toLocaleString("en-US")} row${rows === 1 ? "" : "s"}`;
    },
    bar(s, k) {
      const [from, to] = this.drawn(), held = this.held ? this.held.bars[k] : 0;
      const before = this.was ? `, ${this.versus ? "compared with" : "before"} ${this.was[k].toFixed(4)}` : "";
      const value = this.numbers ? this.p(k).toFixed(4) : "no answer";
      const parts = this.both(k);
      return {
        ...(this.still ? {} : this.pressable(s, k, held)),
        class: [this.card.columns ? "depnet-bin" : "depnet-state", { part: held > 0 && held < 1, missing: s.c === this.card.missing,
          chosen: from >= 0 && k >= from && k <= to }],
        "aria-label": this.still ? null
          : `${this.card.name} ${this.gone(k) ? "is" : "="} ${s.l}: ${value}${this.between(k)}${before}${parts ? " (" + parts + ")" : ""}`,
        title: s.l + (this.sure(k) || parts ? ":" : "") + this.between(k) + (parts ? " " + parts : ""),
        "data-state": s.c, "data-label": s.l, "data-posterior": this.numbers ? this.p(k) : null,
        "data-prior": this.card.base.p[k], "data-sure": this.sure(k) ? this.sure(k).join(" ") : null, "data-observed": this.observed(k),
      };
    },
    pressable(s, k, held) {
      return {
        type: "button", tabindex: k === this.first ? 0 : -1, "aria-pressed": s.c < 0 ? null : held > 0 ? "true" : "false",
        "aria-expanded": s.c === -1 ? "false" : null,
      };
    },
    heard(s, k) {
      return {
        click: (event) => this.click(event, s, k),
        keydown: (event) => this.key(event, k),
        pointerdown: (event) => this.press(event, s, k),
        pointerenter: () => { this.over = k; },
        focus: () => { this.at = k; },
      };
    },
    click(event, s, k) {
      if (this.drag && this.drag.moved) return void (this.drag = null);
      this.drag = null;
      this.anchor = -1;
      if (s.c < 0) return this.$emit("say", "expand", [this.card.name]);
      const several = this.several || event.ctrlKey || event.metaKey;
      this.$emit("say", several ? "toggle" : "clamp", [this.card.name, s.c]);
    },
    drawn() {  // while a range is being drawn
      if (!this.drag || !this.drag.moved) return [-1, -1];
      return [Math.min(this.drag.from, this.drag.to), Math.max(this.drag.from, this.drag.to)];
    },
    ranged(k) { const code = this.card.states[k].c; return code >= 0 && code !== this.card.missing; },
    press(event, s, k) {
      this.drag = null;
      if (!this.card.ordered || event.button !== 0 || !this.ranged(k)) return;
      if (event.pointerType === "touch" && !this.card.columns) return;  // the page is scrolled that way
      this.drag = { from: k, to: k, moved: false };
      const over = new AbortController();
      const listen = (name, heard) => window.addEventListener(name, heard, { signal: over.signal });
      listen("pointermove", (moved) => {
        const near = this.nearest(moved);
        if (!this.drag || near < 0) return;
        this.drag.to = near;
        this.drag.moved ||= near !== k;
      });
      const end = (ended) => {
        over.abort();
        if (!this.drag || !this.drag.moved) return;
        if (ended.type === "pointerup") this.range(this.drag.from, this.drag.to);
        setTimeout(() => { this.drag = null; });  // after the click that may follow
      };
      listen("pointerup", end);
      listen("pointercancel", end);
    },
    all() { return [...this.$refs.bars.querySelectorAll("[data-state]")]; },
    nearest(event) {
      const far = this.all().map((bar, k) => {
        const box = bar.getBoundingClientRect();
        const away = this.card.columns ? event.clientX - (box.left + box.right) / 2 : event.clientY - (box.top + box.bottom) / 2;
        return this.ranged(k) ? Math.abs(away) : Infinity;
      });
      return far.indexOf(Math.min(...far));
    },
    range(from, to) { this.$emit("say", "range", [this.card.name, ...[from, to].sort((a, b) => a - b).map((k) => this.card.states[k].c)]); },
    key(event, k) {
      const n = this.card.states.length;
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -n, End: n }[event.key];
      if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const to = Math.min(n - 1, Math.max(0, k + step));
      this.all()[to].focus();
      if (!event.shiftKey) return void (this.anchor = -1);
      if (!this.card.ordered || !this.ranged(to) || to === k) return;
      if (this.anchor < 0) this.anchor = k;
      this.range(this.anchor, to);
    },
    left(event) { if (!this.$refs.bars?.contains(event.relatedTarget)) this.anchor = -1; },
  },
};
