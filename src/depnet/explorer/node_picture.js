// The library's own picture of a node, in which a vertex is chosen, by a click or by Enter; arrows go from vertex to vertex.
// The picture is SVG of `depnet.pictures`, in which every label is escaped; what is lit and chosen comes from the server.
export default {
  template: `
    <div class="depnet-graph">
      <div class="depnet-graph-tools" role="group" aria-label="Size of the picture">
        <button type="button" class="depnet-action" @click="grow(0.8)" aria-label="Smaller">−</button>
        <button type="button" class="depnet-action" @click="grow(1.25)" aria-label="Larger">+</button>
        <button type="button" class="depnet-action" @click="fit(0.2)">Fit</button>
      </div>
      <div class="depnet-graph-scroll" ref="scroll" v-html="svg" @click="choose($event.target)" @keydown="key"></div>
    </div>`,
  props: { svg: String, looks: Array, chosen: Number },
  emits: ["choose"],
  mounted() { this.begin(); },
  watch: {
    svg() { this.$nextTick(() => this.begin()); },
    looks() { this.look(); },
    chosen() { this.look(); },
  },
  methods: {
    all(what = "[data-vertex]") { return [...this.$refs.scroll.querySelectorAll(what)]; },
    begin() {
      this.picture = this.$refs.scroll.querySelector("svg");
      if (!this.picture) return;
      this.picture.setAttribute("role", "group");
      this.wide = this.picture.viewBox.baseVal.width;
      for (const v of this.all()) {
        const title = v.querySelector("title").textContent.replaceAll("\n", ", ");
        for (const [name, value] of Object.entries({ role: "button", tabindex: -1, "aria-label": title })) v.setAttribute(name, value);
      }
      this.look();
      this.fit(0.75); // wide graphs are made smaller, as long as they can be read
      const [root, room] = [this.all()[0], this.$refs.scroll]; // in the middle of what is in view
      if (root) room.scrollTop += root.getBoundingClientRect().top - room.getBoundingClientRect().top - room.clientHeight / 2;
    },
    look() {
      const looks = new Map(this.looks), of = (id) => looks.get(Number(id)) ?? "";
      const at = this.all().find((v) => v === document.activeElement);
      for (const v of this.all()) {
        const own = Number(v.dataset.vertex) === this.chosen;
        v.setAttribute("class", `vertex ${of(v.dataset.vertex)} ${own ? "chosen" : ""}`);
        v.setAttribute("aria-pressed", own);
      }
      for (const way of this.all("[data-from]")) {
        const ends = [of(way.dataset.from), of(way.dataset.to)];
        way.setAttribute("class", `edge ${ends.includes("out") ? "out" : ends.every((end) => end === "path") ? "path" : ""}`);
      }
      this.reach(at ?? this.all(".chosen")[0] ?? this.all()[0]);
    },
    reach(vertex) { for (const v of this.all()) v.setAttribute("tabindex", v === vertex ? 0 : -1); }, // where Tab comes to
    grow(by) { this.size(this.scale * by); },
    fit(least) { this.size(Math.max(least, Math.min(1.15, (this.$refs.scroll.clientWidth - 4) / this.wide))); },
    size(scale) {
      this.scale = Math.min(3, Math.max(0.2, scale));
      Object.assign(this.picture.style, { width: `${this.wide * this.scale}px`, height: "auto" });
    },
    choose(target) {
      const vertex = target.closest("[data-vertex]");
      if (vertex) this.$emit("choose", Number(vertex.dataset.vertex));
    },
    key(event) {
      const id = event.target.dataset.vertex;
      const way = (from, to) => this.all(`[data-${from}="${id}"]`)[0]?.dataset[to];
      const beside = (step) => {
        const column = this.all().filter((v) => v.getBBox().x === event.target.getBBox().x).sort((a, b) => a.getBBox().y - b.getBBox().y);
        return column[column.indexOf(event.target) + step]?.dataset.vertex;
      };
      const steps = { ArrowRight: () => way("from", "to"), ArrowLeft: () => way("to", "from"), ArrowUp: () => beside(-1), ArrowDown: () => beside(1) };
      if (event.key === "Enter" || event.key === " ") this.choose(event.target);
      else if (!(event.key in steps)) return;
      event.preventDefault();
      const next = this.all(`[data-vertex="${steps[event.key]?.()}"]`)[0];
      if (next) this.reach(next);
      next?.focus();
    },
  },
};
