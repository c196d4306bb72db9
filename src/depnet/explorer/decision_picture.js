// A decision graph whose vertices can be chosen, by a click or by Enter; arrows go from vertex to vertex. What lies where, and
// what is lit, comes from the server. All text goes through Vue's interpolation, which shows markup as it is written.
export default {
  template: `
    <div class="depnet-graph">
      <div class="depnet-graph-tools" role="group" aria-label="Size of the graph">
        <button type="button" class="depnet-action" @click="grow(0.8)" aria-label="Smaller">−</button>
        <button type="button" class="depnet-action" @click="grow(1.25)" aria-label="Larger">+</button>
        <button type="button" class="depnet-action" @click="fit()">Fit</button>
        <button type="button" class="depnet-action" @click="scale = 1">100 %</button>
        <span class="depnet-note">{{ Math.round(100 * scale) }} %</span>
      </div>
      <div class="depnet-graph-scroll" ref="scroll">
        <svg :width="width * scale" :height="height * scale" :viewBox="'0 0 ' + width + ' ' + height" role="group" :aria-label="label">
          <path v-for="(e, k) in edges" :key="'e' + k" :d="e.d" :class="['edge', e.look]" />
          <g v-for="v in vertices" :key="v.id" :data-vertex="v.id" :class="['vertex', v.look, { chosen: v.id === chosen }]"
            role="button" :tabindex="v.id === reached ? 0 : -1" :aria-pressed="v.id === chosen ? 'true' : 'false'" :aria-label="v.said"
            @click="choose(v.id)" @keydown="key($event, v)" @focus="at = v.id">
            <title>{{ v.said }}</title>
            <rect class="box" :class="v.kind" :x="v.x" :y="v.y" :width="v.w" :height="v.h" rx="5" />
            <template v-for="(b, k) in v.bars" :key="k">
              <rect :x="v.x + b.left * v.w" :y="v.y + 2" :width="b.share * v.w" :height="v.h - 4" :fill="b.colour" />
              <text v-if="b.text" :x="v.x + (b.left + b.share / 2) * v.w" :y="v.y + v.h / 2 + 4" class="middle" :style="{ fill: b.ink }">{{ b.text }}</text>
            </template>
            <text v-for="(t, k) in v.texts" :key="'t' + k" :x="t.x" :y="t.y" :class="t.kind">{{ t.text }}</text>
          </g>
        </svg>
      </div>
    </div>`,
  props: { width: Number, height: Number, vertices: Array, edges: Array, chosen: Number, label: String },
  emits: ["choose"],
  data: () => ({ scale: 1, at: null }),
  computed: {
    reached() {
      const ids = this.vertices.map((v) => v.id);
      return [this.at, this.chosen, ids[0]].find((id) => ids.includes(id));
    },
  },
  mounted() {
    this.open();
  },
  watch: {
    width() {
      this.$nextTick(() => this.open());
    },
  },
  methods: {
    grow(by) {
      this.scale = Math.min(3, Math.max(0.2, this.scale * by));
    },
    // Wide graphs are made smaller, as long as they can be read; a press of the button goes further.
    fit(readable = false) {
      const room = this.$refs.scroll.clientWidth - 4;
      if (room > 0 && this.width) this.scale = Math.max(readable ? 0.75 : 0.2, Math.min(readable ? 1.15 : 3, room / this.width));
    },
    // As it is first seen: readable, with the root in the middle of what is in view.
    open() {
      this.fit(true);
      const root = this.vertices[0];
      if (root) this.$nextTick(() => (this.$refs.scroll.scrollTop = (root.y + root.h / 2) * this.scale - this.$refs.scroll.clientHeight / 2));
    },
    choose(id) {
      this.at = id;
      this.$emit("choose", id);
    },
    key(event, v) {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.choose(v.id);
        return;
      }
      const to = this.beside(event.key, v);
      if (to === undefined) return;
      event.preventDefault();
      this.at = to;
      this.$nextTick(() => this.$el.querySelector(`[data-vertex="${to}"]`)?.focus());
    },
    beside(key, v) {
      if (key === "ArrowRight") return v.below[0];
      if (key === "ArrowLeft") return v.above[0];
      if (key !== "ArrowUp" && key !== "ArrowDown") return undefined;
      const column = this.vertices.filter((o) => o.x === v.x).sort((a, b) => a.y - b.y);
      return column[column.findIndex((o) => o.id === v.id) + (key === "ArrowDown" ? 1 : -1)]?.id;
    },
  },
};
