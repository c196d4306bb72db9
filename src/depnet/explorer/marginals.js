// The marginals of variables, a card each: bars before and after the evidence, with a mark where the table itself lies.
// Labels and priors come as properties, once; what is known and the numbers of an answer by `know` and `answered`, as pairs
// of a name and what belongs to it: a name is never the key of an object.
// A click on a bar clamps its state; dragging, or Shift with the arrow keys, sets a range. Cards and bars keep their places.
// All text goes through Vue's interpolation, which shows markup as it is written.
const SCALES = [0.1, 0.2, 0.5, 1];

const Card = {
  props: ["card", "now", "held", "evidence", "pinned", "target", "chosen", "several", "parts", "measure"],
  emits: ["say"],
  data: () => ({ at: -1, over: -1, anchor: -1, drag: null, menu: false, typed: "", problem: "" }),
  template: `
    <section class="depnet-marginal" :class="{ known: held, looked: chosen }" :data-variable="card.name" :aria-label="card.name"
      @focusout="left" @keydown.esc="close(true)">
      <div class="depnet-marginal-head">
        <h3 class="depnet-marginal-name">{{ card.name }}</h3>
        <span class="depnet-marginal-change" :title="held ? held.said : measure">{{ note }}</span>
        <button type="button" class="depnet-icon" :aria-pressed="pinned ? 'true' : 'false'" :aria-label="'Pin ' + card.name"
          title="Keep this card at the top" data-pin @click="$emit('say', 'pin', [card.name])">
          <q-icon name="push_pin" aria-hidden="true" /></button>
        <button type="button" class="depnet-icon" ref="more" :aria-expanded="menu ? 'true' : 'false'"
          :aria-label="'More about ' + card.name" title="Condition, target, other views" data-menu @click="turn">
          <q-icon name="more_vert" aria-hidden="true" /></button>
      </div>
      <div v-if="menu" class="depnet-marginal-menu" role="dialog" :aria-label="'More about ' + card.name">
        <form class="depnet-bar" @submit.prevent="$emit('say', 'condition', [card.name, typed])">
          <label class="depnet-field depnet-grow">Known of {{ card.name }}
            <input ref="condition" v-model="typed" autocomplete="off" spellcheck="false"
              :placeholder="card.columns ? '> 40, 20..40' : card.ordered ? '>= …, … | …' : '… | …, != …'"></label>
          <button type="submit" class="depnet-plain-button">Set</button>
        </form>
        <div v-if="problem" class="depnet-warning" role="alert">{{ problem }}</div>
        <button type="button" class="depnet-plain-button" data-target @click="aim">
          {{ target ? "No longer the target" : "Make it the target" }}</button>
        <a v-for="(href, view) in $parent.links" :key="view" class="depnet-plain-button" :href="here(href)">{{ view }}</a>
      </div>
      <div v-if="card.columns" class="depnet-marginal-number" :title="summary">{{ summary }}</div>
      <div v-if="card.missing >= 0" class="depnet-marginal-number" data-known>{{ (numbers && numbers.known) || "" }}</div>
      <div ref="bars" :class="card.columns ? 'depnet-histogram' : 'depnet-bars'" role="group" :aria-label="said_group"
        @pointerleave="over = -1">
        <button v-for="(s, k) in card.states" :key="s.c" type="button" v-bind="bar(s, k)" v-on="heard(s, k)">
          <span v-if="!card.columns" class="depnet-state-label">{{ s.s }}</span>
          <span :class="card.columns ? 'depnet-column' : 'depnet-track'">
            <span class="depnet-fill" :style="long(p(k), k)"></span>
            <span v-if="was" class="depnet-before" :style="long(was[k], k)"></span>
            <span v-if="sure(k)" class="depnet-whisker"
              :style="[from(sure(k)[0], k), long(sure(k)[1] - sure(k)[0], k)]"></span>
            <span v-if="observed(k) !== null" class="depnet-observed" :style="from(observed(k), k)"></span>
          </span>
          <span v-if="card.columns" class="depnet-tick">{{ tick(s, k) }}</span>
          <template v-else>
            <span class="depnet-state-number"><span v-if="was" class="depnet-was">{{ three(was[k]) }} →</span> {{ three(p(k)) }}</span>
            <span v-if="parts && both(k)" class="depnet-parts">{{ both(k) }}</span>
          </template>
        </button>
      </div>
      <div v-if="card.columns" class="depnet-readout">{{ readout }}</div>
      <button v-if="card.opened" type="button" class="depnet-plain-button" @click="$emit('say', 'expand', [card.name])">
        Fewer states</button>
    </section>`,
  computed: {
    given() { return this.now ? this.now.given : this.evidence; },
    numbers() { return this.now ?? (this.evidence ? null : this.card.base); },
    was() { return this.given ? this.card.base.p : null; },
    note() {
      if (this.held) return "known";
      if (this.target) return "target";
      return this.given && this.now ? "changed " + this.now.change.toFixed(3) : "";
    },
    scale() {
      const states = (values) => (values || []).filter((_, k) => !this.gone(k)).map((value) => value ?? 0);
      const { p, o } = this.numbers ?? {};
      const most = Math.max(1e-9, ...states(this.card.base.p), ...states(p), ...states(o));
      return this.card.columns ? most * 1.02 : SCALES.find((scale) => most <= scale) ?? 1;
    },
    summary() {
      const { base } = this.card, now = this.numbers ?? {};
      const change = (name) => {
        const before = base[name] ?? "–", after = now[name] ?? "–";
        return `${name} ` + (this.was ? `${before} → ${after}` : before);
      };
      const between = now.between ? ` [${now.between}]` : "";
      return `${change("mean")}${between}, ${change("sd")}`;
    },
    readout() {
      const [from, to] = this.drawn();
      const { states } = this.card;
      if (from >= 0) return from === to ? states[from].s : `${states[from].s} to ${states[to].s}`;
      const k = this.over >= 0 ? this.over : this.at;
      if (k < 0 || k >= states.length) return "";
      return `${states[k].s}: ${this.law(k)}${this.both(k) ? " (" + this.both(k) + ")" : ""}`;
    },
    said_group() {
      return this.card.name + (this.card.ordered ? ": Shift and the arrow keys set a range" : "");
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
    law(k) {
      return (this.was ? this.was[k].toFixed(3) + " → " : "") + this.three(this.p(k)) + this.between(k);
    },
    both(k) {
      if (!this.numbers || !this.numbers.o || this.numbers.m[k] === undefined || this.gone(k)) return "";
      const { m, o, rows } = this.numbers;
      const table = o[k] === null ? "hidden" : o[k].toFixed(3);
      return `model ${m[k].toFixed(3)}, table ${table} of ${rows.toLocaleString("en-US")} row${rows === 1 ? "" : "s"}`;
    },
    tick(s, k) {  // as many as there is room for
      const n = this.card.states.length, step = n <= 4 ? 1 : Math.ceil(n / 3);
      return s.c === this.card.missing || k === 0 || k === n - 1 || (k % step === 0 && k + step < n) ? s.s : "";
    },
    bar(s, k) {
      const [from, to] = this.drawn(), held = this.held ? this.held.bars[k] : 0;
      const before = this.was ? ", before " + this.was[k].toFixed(4) : "";
      const value = this.numbers ? this.p(k).toFixed(4) : "no answer";
      const parts = this.both(k);
      return {
        class: [this.card.columns ? "depnet-bin" : "depnet-state", { part: held > 0 && held < 1, missing: s.c === this.card.missing,
          chosen: from >= 0 && k >= from && k <= to }],
        tabindex: k === this.first ? 0 : -1,
        "aria-pressed": s.c < 0 ? null : held > 0 ? "true" : "false",
        "aria-expanded": s.c === -1 ? "false" : null,
        "aria-label": `${this.card.name} ${this.gone(k) ? "is" : "="} ${s.l}: ${value}${this.between(k)}${before}${parts ? " (" + parts + ")" : ""}`,
        title: s.l + (this.sure(k) || parts ? ":" : "") + this.between(k) + (parts ? " " + parts : ""),
        "data-state": s.c, "data-label": s.l, "data-posterior": this.numbers ? this.p(k) : null,
        "data-prior": this.card.base.p[k], "data-sure": this.sure(k) ? this.sure(k).join(" ") : null, "data-observed": this.observed(k),
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
      const move = (moved) => {
        const near = this.nearest(moved);
        if (!this.drag || near < 0) return;
        this.drag.to = near;
        this.drag.moved ||= near !== k;
      };
      const end = (ended) => {
        window.removeEventListener("pointermove", move);
        window.removeEventListener("pointerup", end);
        window.removeEventListener("pointercancel", end);
        const drawn = this.drag;
        if (!drawn || !drawn.moved) return;
        if (ended.type === "pointerup") this.range(drawn.from, drawn.to);
        setTimeout(() => { this.drag = null; });  // after the click that may follow
      };
      window.addEventListener("pointermove", move);
      window.addEventListener("pointerup", end);
      window.addEventListener("pointercancel", end);
    },
    nearest(event) {
      const far = [...this.$refs.bars.children].map((bar, k) => {
        const box = bar.getBoundingClientRect();
        const away = this.card.columns ? event.clientX - (box.left + box.right) / 2 : event.clientY - (box.top + box.bottom) / 2;
        return this.ranged(k) ? Math.abs(away) : Infinity;
      });
      return far.indexOf(Math.min(...far));
    },
    range(from, to) {
      const code = (k) => this.card.states[k].c;
      this.$emit("say", "range", [this.card.name, code(Math.min(from, to)), code(Math.max(from, to))]);
    },
    key(event, k) {
      const n = this.card.states.length;
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -n, End: n }[event.key];
      if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const to = Math.min(n - 1, Math.max(0, k + step));
      this.$refs.bars.children[to].focus();
      if (!event.shiftKey) return void (this.anchor = -1);
      if (!this.card.ordered || !this.ranged(to) || to === k) return;
      if (this.anchor < 0) this.anchor = k;
      if (this.anchor === to) this.$emit("say", "range", [this.card.name, this.card.states[to].c, this.card.states[to].c]);
      else this.range(this.anchor, to);
    },
    turn() {
      this.menu = !this.menu;
      this.problem = "";
      this.typed = this.held ? this.held.text : "";
      if (this.menu) this.$nextTick(() => this.$refs.condition.focus());
    },
    close(back) {
      if (!this.menu) return;
      this.menu = false;
      if (back) this.$refs.more.focus();
    },
    left(event) {
      if (event.relatedTarget && !this.$el.contains(event.relatedTarget)) this.close(false);
      if (!this.$refs.bars.contains(event.relatedTarget)) this.anchor = -1;
    },
    aim() {
      this.$emit("say", "target", [this.card.name]);
      this.close(true);
    },
    wrong(text) {
      this.problem = text;
      if (!text) this.close(true);
    },
    here(href) { return href + (href.includes("?") ? "&" : "?") + ".variable=" + encodeURIComponent(this.card.name); },
  },
};

export default {
  components: { Card },
  template: `
    <div class="depnet-marginals" :class="{ asking }" :data-answer="answer" :data-method="method">
      <Card v-for="card in fixed" :key="card.name" :ref="(found) => keep(card.name, found)" :card="card" :now="now.get(card.name)"
        :held="held.get(card.name)" :evidence="evidence && !now.has(card.name)" :pinned="pinned.includes(card.name)"
        :target="target === card.name" :chosen="chosen === card.name" :several="several" :parts="parts" :measure="measure" @say="say" />
    </div>`,
  props: { cards: Array, pinned: Array, target: String, chosen: String, several: Boolean, parts: Boolean, measure: String },
  emits: ["clamp", "toggle", "range", "condition", "expand", "pin", "target"],
  data: () => ({ now: new Map(), held: new Map(), links: {}, evidence: false, answer: 0, method: "", asking: false }),
  created() { [this.found, this.turn] = [new Map(), 0]; },
  computed: {
    fixed() { return JSON.parse(JSON.stringify(this.cards)).map(Object.freeze); },  // Vue then watches cards, not what is on them
  },
  methods: {
    say(event, said) {
      this.$emit(event, said);
      if (event === "pin") this.follow(said[0]);
    },
    keep(name, card) {
      if (!card) return void this.found.delete(name);
      this.found.set(name, card);
      if (this.wanted === name) this.$nextTick(() => this.look(name, false));
    },
    know({ held, links, evidence, asking }) {
      this.held = new Map(held);
      this.links = links;
      this.asking = asking;
      if (!evidence) {
        this.turn += 1;
        [this.now, this.evidence] = [new Map(), false];
      }
    },
    answered({ numbers, method, serial, evidence }) {
      const all = new Map(numbers.map(([name, of]) => [name, Object.freeze({ ...of, given: evidence })]));
      const turn = (this.turn += 1);
      // What the reader sees first, and the rest after it was drawn.
      this.now = new Map([...all].map(([name, of]) => [name, this.seen(name) ? of : this.now.get(name) ?? of]));
      requestAnimationFrame(() => setTimeout(() => { if (turn === this.turn) this.now = all; }));
      this.evidence = evidence;
      this.method = method;
      this.answer = serial;
      this.asking = false;
    },
    look(name, focus) {
      const card = this.found.get(name)?.$el;
      if (!card) return void (this.wanted = focus ? null : name);  // it is still to come
      this.wanted = null;
      card.scrollIntoView({ block: "nearest" });
      if (focus) card.querySelector("[data-state][tabindex='0']")?.focus({ preventScroll: true });
    },
    seen(name) {
      const box = this.found.get(name)?.$el.getBoundingClientRect();
      return !box || (box.bottom > 0 && box.top < window.innerHeight);
    },
    wrong([name, text]) { this.found.get(name)?.wrong(text); },
    follow(name) {  // a pinned card goes to the top, and the reader with it
      const seen = new MutationObserver(() => {
        seen.disconnect();
        this.found.get(name)?.$el.querySelector("[data-pin]").focus();
      });
      seen.observe(this.$el, { childList: true });
      setTimeout(() => seen.disconnect(), 2000);
    },
  },
};
