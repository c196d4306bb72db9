// The marginals of variables, a card each: its bars, and what can be said of it besides.
// A name is never the key of an object. Cards and bars keep their places.
import { Bars } from "/depnet/bars.js";

const Card = {
  components: { Bars },
  props: ["card", "now", "held", "evidence", "links", "target", "chosen", "several", "versus", "measure"],
  emits: ["say"],
  data: () => ({ menu: false, typed: "", problem: "" }),
  template: `
    <section class="depnet-marginal" :class="{ known: held, looked: chosen }" :data-variable="card.name" :aria-label="card.name"
      @focusout="left" @keydown.esc="close(true)">
      <div class="depnet-marginal-head">
        <h3 class="depnet-marginal-name">{{ card.name }}</h3>
        <span class="depnet-marginal-change" :title="held ? held.said : measure">{{ note }}</span>
        <button type="button" class="depnet-icon" ref="more" :aria-expanded="menu ? 'true' : 'false'"
          :aria-label="'More about ' + card.name" title="Condition, target, other views" data-menu @click="turn">
          <q-icon name="more_vert" aria-hidden="true" /></button>
      </div>
      <div v-if="menu" class="depnet-marginal-menu" role="dialog" :aria-label="'More about ' + card.name">
        <form class="depnet-bar" @submit.prevent="$emit('say', 'condition', [card.name, typed])">
          <label class="depnet-field depnet-grow">Given: {{ card.name }}
            <input ref="condition" v-model="typed" autocomplete="off" spellcheck="false"
              :placeholder="card.columns ? '> 40, 20..40' : card.ordered ? '>= …, … | …' : '… | …, != …'"></label>
          <button type="submit" class="depnet-action">Set</button>
        </form>
        <div v-if="problem" class="depnet-warning" role="alert">{{ problem }}</div>
        <button type="button" class="depnet-action" data-target @click="aim">
          {{ target ? "No longer the target" : "Make it the target" }}</button>
        <a v-for="(href, view) in links" :key="view" class="depnet-action" :href="here(href)">{{ view }}</a>
      </div>
      <Bars :card="card" :now="now" :held="held" :evidence="evidence" :several="several" :versus="versus" @say="(event, said) => $emit('say', event, said)" />
    </section>`,
  computed: {
    note() {
      if (this.held) return "given";
      if (this.now && this.now.given) return (this.versus ? "differs by " : "changed ") + this.now.change.toFixed(3);
      return this.target ? "target" : "";
    },
  },
  methods: {
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
    <div class="depnet-marginals" :class="{ asking, large }" :data-answer="answer" :data-method="method">
      <Card v-for="{ card, now, held } in fixed" :key="card.name" :ref="(found) => keep(card.name, found)" :card="card" :now="now"
        :held="held" :evidence="evidence && !now" :links="links" :target="target === card.name" :chosen="chosen === card.name"
        :several="several" :versus="versus" :measure="measure" @say="(event, said) => $emit(event, said)" />
    </div>`,
  props: {
    cards: Array, target: String, chosen: String, several: Boolean, versus: Boolean, evidence: Boolean, asking: Boolean, links: Object,
    answer: Number, method: String, measure: String, large: Boolean,
  },
  emits: ["clamp", "toggle", "range", "condition", "expand", "log", "target"],
  created() { this.found = new Map(); },
  computed: {
    fixed() { return JSON.parse(JSON.stringify(this.cards)).map(Object.freeze); },  // Vue then watches cards, not what is on them
  },
  methods: {
    keep(name, card) {
      if (!card) return void this.found.delete(name);
      this.found.set(name, card);
      if (this.wanted === name) this.$nextTick(() => this.look(name, false));
    },
    look(name, focus) {
      const card = this.found.get(name)?.$el;
      if (!card) return void (this.wanted = focus ? null : name);  // it is still to come
      this.wanted = null;
      card.scrollIntoView({ block: "nearest" });
      if (focus) card.querySelector("[data-state][tabindex='0']")?.focus({ preventScroll: true });
    },
    wrong([name, text]) { this.found.get(name)?.wrong(text); },
  },
};
