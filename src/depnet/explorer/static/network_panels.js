// Beside the picture: two variables together, the links of the chosen one, all links, and the card of a variable.
import { Bars } from "/depnet/bars.js";
import { bits, mixed, rampOf, readableOn, relation } from "/depnet/network_graph.js";

const MOST_LISTED = 100;

// The joint table of two variables, and what either is worth to the other.
export const PairPanel = {
  template: `
<section class="depnet-card depnet-two" ref="panel" tabindex="-1" aria-label="Two columns together">
  <div class="depnet-bar"><div class="depnet-heading depnet-grow" role="heading" aria-level="2">{{ first }} and {{ second }}</div>
    <a class="depnet-action" :href="picture">Picture</a>
    <button type="button" class="depnet-icon" aria-label="Close the pair" @click="$emit('close')">✕</button></div>
  <table class="depnet-table"><tbody>
    <tr><td>{{ first }} predicts {{ second }}</td><td class="number">{{ link(forward) }}</td></tr>
    <tr><td>{{ second }} predicts {{ first }}</td><td class="number">{{ link(backward) }}</td></tr>
    <template v-if="table && !table.problem">
      <tr><td>either alone tells of the other (mutual information)</td><td class="number">{{ about }}{{ bits(table.information) }}</td></tr>
      <tr v-for="(name, k) in [first, second]"><td>that is, of the uncertainty of {{ name }}</td><td class="number">{{ part(k) }} of {{ bits(table.uncertainty[k]) }}</td></tr>
    </template>
  </tbody></table>
  <div class="depnet-note" v-if="!table">asking …</div>
  <div class="depnet-warning" role="status" v-else-if="table.problem">{{ table.problem }}</div>
  <template v-else>
    <label class="depnet-field">probabilities of <select v-model="view">
      <option value="joint">{{ first }} and {{ second }}, together</option>
      <option value="second">{{ second }}, given {{ first }} (a row is 1)</option>
      <option value="first">{{ first }}, given {{ second }} (a column is 1)</option></select></label>
    <div class="depnet-note">{{ first }} down, {{ second }} across{{ table.counts ? "; the small numbers are rows of the table" : "" }}.</div>
    <div class="depnet-scroll depnet-tall" tabindex="0" role="region" aria-label="Joint table"><table class="depnet-joint">
      <thead><tr><td></td><th v-for="name in table.columns" scope="col">{{ name }}</th></tr></thead>
      <tbody><tr v-for="(name, r) in table.rows"><th scope="row">{{ name }}</th>
        <td v-for="(value, c) in table.tables[view][r]" :style="shade(value)">{{ value === null ? "–" : value.toFixed(3) }}
          <small v-if="table.counts">{{ table.counts[r][c].toLocaleString("en") }}</small></td></tr></tbody>
    </table></div>
    <div class="depnet-note" v-if="table.left">The most probable states; {{ table.left }} more are not shown.</div>
    <div class="depnet-note" v-if="table.known">With what is given above{{ table.clamped.length ? ", which fixes " + table.clamped.join(" and ") : "" }}.</div>
    <div class="depnet-note" v-if="!table.sharp">Not yet sharp: drawn from the model for a few seconds.</div>
  </template>
</section>`,
  props: { first: String, second: String, forward: Number, backward: Number, table: Object, dark: Boolean },
  emits: ["close"],
  data() {
    return { view: "joint" };
  },
  computed: {
    picture() { return location.pathname.replace(/rules\/network$/, "pair") + location.search; },
    about() { return this.table.exact ? "" : "about "; },
  },
  methods: {
    bits,
    link(value) { return value === null || value === undefined ? "no link" : bits(value); },
    part(k) {
      const whole = this.table.uncertainty[k];
      return whole > 5e-5 ? `${((100 * this.table.information) / whole).toFixed(1)} %` : "nothing";
    },
    shade(value) {
      if (value === null) return {};
      const share = Math.sqrt(value / Math.max(...this.table.tables[this.view].flat(), 1e-12));
      const background = mixed(rampOf("strength", this.dark), share);
      return { background, color: readableOn(background) };
    },
    focus() { this.$refs.panel.focus({ preventScroll: true }); this.$refs.panel.scrollIntoView({ block: "nearest" }); },
  },
};

// Links, the strongest first, with the bits of that direction: of the chosen variable what predicts it and what it predicts, else all.
// A name chooses a variable, a number leads to its pair.
export const LinksPanel = {
  template: `
<section class="depnet-card" :aria-live="chosen === null ? null : 'polite'">
  <div class="depnet-bar"><div class="depnet-heading depnet-grow" role="heading" aria-level="2">{{ chosen === null ? "Links" : names[chosen] }}</div>
    <button v-if="chosen !== null" type="button" class="depnet-icon" @click="$emit('choose', null)" aria-label="Choose no column">✕</button></div>
  <div class="depnet-note" v-if="chosen === null">{{ measured }} A link leads to its pair.</div>
  <template v-for="list in lists">
    <div class="depnet-note" v-if="list.how">{{ list.how }} ({{ list.links.length }}), bits a row</div>
    <div class="depnet-scroll" :class="list.how ? 'depnet-half' : 'depnet-tall'"><table class="depnet-table" :class="{ 'depnet-near': list.how }">
      <thead v-if="!list.how"><tr><th scope="col">predicts</th><th scope="col">is predicted</th><th scope="col" class="number">bits</th></tr></thead>
      <tbody><tr v-for="link in list.links.slice(0, MOST_LISTED)">
        <td v-for="end in link.ends"><button type="button" class="depnet-plain" @click="$emit('choose', end)">
          <i v-if="list.how" :class="'depnet-line ' + link.relation"></i>{{ names[end] }}</button></td>
        <td v-if="list.how" class="depnet-meter"><i :style="{ width: link.share }"></i></td>
        <td class="number"><button type="button" class="depnet-plain" @click="$emit('pair', link.pair)"
          :aria-label="link.pair.map((end) => names[end]).join(' and ') + ' together'">{{ link.value.toFixed(4) }}</button></td></tr></tbody>
    </table></div>
    <div class="depnet-note" v-if="list.more">and {{ list.more.toLocaleString("en") }} {{ list.how ? "more" : "weaker ones: save them as CSV." }}</div>
  </template>
  <div class="depnet-note" v-if="!lists.length">No link: no other column tells of it.</div>
</section>`,
  props: { names: Array, ties: Object, chosen: Number, left: Number, measured: String },
  emits: ["choose", "pair"],
  data: () => ({ MOST_LISTED }),
  computed: {
    lists() {
      const { chosen } = this;
      const ways = chosen === null ? [[null, () => true]] : [["predicts it", ([, to]) => to === chosen], ["it predicts", ([from]) => from === chosen]];
      return ways.map(([how, wanted]) => {
        const links = this.ties.list.flatMap((tie) => [[tie[0], tie[1], tie[2]], [tie[1], tie[0], tie[3]]]
          .filter((arrow) => arrow[2] !== null && wanted(arrow))
          .map(([from, to, value]) => {
            const other = from === chosen ? to : from;
            return { ends: how ? [other] : [from, to], pair: how ? [other, chosen] : [from, to], value, relation: how && relation(tie, chosen) };
          })).sort((a, b) => b.value - a.value);
        for (const link of links) link.share = `${(100 * Math.max(link.value, 0)) / Math.max(links[0].value, 1e-12)}%`;
        return { how, links, more: Math.max(0, links.length - MOST_LISTED) + (how ? 0 : this.left) };
      }).filter(({ how, links }) => !how || links.length);
    },
  },
};

// A small card beside a variable: what is likely of it, before and given what is known; opened, also what can be done with it.
export const Peek = {
  components: { Bars },
  template: `
<div ref="card" class="depnet-peek" :class="{ open }" :role="open ? 'dialog' : 'tooltip'" :aria-label="name" :style="place" @keydown.esc.stop="$emit('close')">
  <div class="depnet-bar depnet-peek-head">
    <div class="depnet-peek-name depnet-grow">{{ name }}</div>
    <button v-if="open" type="button" class="depnet-icon" aria-label="Close" @click="$emit('close')">✕</button>
  </div>
  <div v-if="!told" class="depnet-note">asking …</div>
  <template v-else>
    <div class="depnet-note" v-if="open">Click a bar to take it as given:</div>
    <Bars :card="{ ...told.card, skewed: false }" :now="told.now" :held="told.held" :evidence="evidence" :still="!open" @say="say" />
    <div class="depnet-note" v-if="told.now && evidence && !told.held">
      <span class="depnet-key-prior"></span> before, <span class="depnet-key-posterior"></span> now: moved {{ told.now.change.toFixed(3) }}</div>
    <div v-if="open" class="depnet-peek-actions">
      <button v-if="told.held" type="button" class="depnet-action" @click="$emit('hold', null)">Take back</button>
      <a class="depnet-action" :href="told.explore">Explore</a>
      <a class="depnet-action" :href="told.rules">Rules</a>
      <button type="button" class="depnet-action" @click="$emit('target')">{{ target ? "No longer the target" : "Make it the target" }}</button>
    </div>
  </template>
</div>`,
  props: { name: String, told: Object, open: Boolean, evidence: Boolean, target: Boolean, at: Array, beside: Number, room: Array },
  emits: ["hold", "expand", "target", "close"],
  data: () => ({ place: {} }),
  mounted() { this.put(); if (this.open) this.enter(); },
  updated() { this.put(); },
  watch: {
    open(now) { if (now) this.$nextTick(() => this.enter()); },
    told(now, before) { if (this.open && now && !before) this.$nextTick(() => this.enter()); },
  },
  methods: {
    put() { // beside the variable, inside the picture where that has room
      const { offsetWidth: width, offsetHeight: height } = this.$refs.card;
      const [x, y] = this.at;
      const gap = Math.max(23, this.beside); // its label is seen
      const beside = x + gap + width <= this.room[0] ? x + gap : x - gap - width >= 0 ? x - gap - width : null;
      const left = beside ?? Math.max(0, (this.room[0] - width) / 2);
      const wanted = beside !== null ? y - height / 3 : y > this.room[1] / 2 ? y - gap - height : y + gap; // above or below
      const top = Math.max(0, Math.min(wanted, this.room[1] - height));
      const place = { left: `${Math.round(left)}px`, top: `${Math.round(top)}px` };
      if (place.left !== this.place.left || place.top !== this.place.top) this.place = place;
    },
    enter() { (this.$refs.card.querySelector("[data-state][tabindex='0']") ?? this.$refs.card.querySelector("button"))?.focus({ preventScroll: true }); },
    say(event, [, first, last = first]) {
      if (event === "expand") this.$emit("expand");
      else this.$emit("hold", [first, last]);
    },
  },
};
