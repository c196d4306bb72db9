// A small card beside a variable: what is likely of it, before and given what is known; opened, also what can be done with it.
// All text goes through Vue's interpolation, which shows markup as it is written.
export default {
  template: `
<div ref="card" class="depnet-peek" :class="{ open }" :role="open ? 'dialog' : 'tooltip'" :aria-label="name" :style="place" @keydown.esc.stop="$emit('close')">
  <div class="depnet-bar depnet-peek-head">
    <div class="depnet-peek-name depnet-grow">{{ name }}</div>
    <button v-if="open" type="button" class="depnet-icon" aria-label="Close" @click="$emit('close')">✕</button>
  </div>
  <div v-if="!card" class="depnet-note">asking …</div>
  <template v-else>
    <div class="depnet-note" v-if="open">Click what is known of it:</div>
    <div>
      <component :is="open ? 'button' : 'div'" v-for="bar in card.bars" :key="bar.code" class="depnet-peek-bar" :class="{ held: bar.held }"
        v-bind="open ? { type: 'button', disabled: bar.code < 0, 'aria-pressed': bar.held ? 'true' : 'false', 'aria-label': said(bar) } : {}"
        @click="open && $emit('hold', bar.code)">
        <span class="depnet-peek-label">{{ bar.label }}</span>
        <span class="depnet-track"><span class="depnet-fill" :style="{ width: share(bar, bar.posterior) }"></span>
          <span class="depnet-before" v-if="evidence" :style="{ width: share(bar, bar.prior) }"></span></span>
        <span class="depnet-peek-number">{{ bar.posterior.toFixed(3) }}</span>
      </component>
    </div>
    <label v-if="open && card.choices.length" class="depnet-field">another state
      <select @change="$event.target.value !== '' && $emit('hold', Number($event.target.value))">
        <option value="">choose …</option><option v-for="[code, label] in card.choices" :value="code">{{ label }}</option>
      </select></label>
    <div class="depnet-note" v-if="card.moved !== null && evidence">
      <span class="depnet-key depnet-key-prior"></span> before, <span class="depnet-key depnet-key-posterior"></span> now: moved {{ card.moved.toFixed(3) }}</div>
    <div v-if="open" class="depnet-peek-actions">
      <button v-if="known" type="button" class="depnet-action" @click="$emit('hold', null)">Take back</button>
      <a class="depnet-action" :href="card.ask">Ask</a>
      <a class="depnet-action" :href="card.node">Node</a>
      <button type="button" class="depnet-action" @click="$emit('target')">{{ target ? "No longer the target" : "Make it the target" }}</button>
      <button type="button" class="depnet-action" @click="$emit('near')">Neighbourhood</button>
    </div>
  </template>
</div>`,
  props: { name: String, card: Object, open: Boolean, evidence: Boolean, known: Boolean, target: Boolean, at: Array, size: Number, room: Array },
  emits: ["hold", "target", "near", "close"],
  data() {
    return { place: {} };
  },
  mounted() { this.put(); if (this.open) this.enter(); },
  updated() { this.put(); },
  watch: {
    open(now) { if (now) this.$nextTick(() => this.enter()); },
    card(now, before) { if (this.open && now && !before) this.$nextTick(() => this.enter()); },
  },
  methods: {
    put() { // beside the variable, inside the picture where that has room
      const { offsetWidth: width, offsetHeight: height } = this.$refs.card;
      const [x, y] = this.at;
      const gap = this.size / 2 + 10;
      const beside = x + gap + width <= this.room[0] ? x + gap : x - gap - width >= 0 ? x - gap - width : null;
      const left = beside ?? Math.max(0, (this.room[0] - width) / 2);
      const wanted = beside !== null ? y - height / 3 : y > this.room[1] / 2 ? y - gap - height : y + gap; // above or below
      const top = Math.max(0, Math.min(wanted, this.room[1] - height));
      const place = { left: `${Math.round(left)}px`, top: `${Math.round(top)}px` };
      if (place.left !== this.place.left || place.top !== this.place.top) this.place = place;
    },
    enter() {
      (this.$refs.card.querySelector(".depnet-peek-bar:not(:disabled)") ?? this.$refs.card.querySelector("button"))?.focus({ preventScroll: true });
    },
    share(bar, p) { // of the longest bar; that of missing values is of all rows
      const states = bar.missing ? [] : this.card.bars.filter((other) => !other.missing);
      const most = bar.missing ? 1 : states.reduce((most, other) => Math.max(most, other.prior, other.posterior), 1e-9);
      return `${((100 * Math.max(0, p)) / most).toFixed(2)}%`;
    },
    said(bar) {
      const before = this.evidence ? `, before ${bar.prior.toFixed(3)}` : "";
      return `${this.name} ${bar.missing ? "is" : "="} ${bar.label}: ${bar.posterior.toFixed(3)}${before}`;
    },
  },
};
