// Distributions, each from end to end of a bar, with what it is of beside it; some can be chosen.
// All text goes through Vue's interpolation, which shows markup as it is written.
export default {
  template: `
    <div class="depnet-shares">
      <ul v-if="legend.length" class="depnet-shares-legend" aria-label="Colours">
        <li v-for="(l, k) in legend" :key="k"><span :style="{ background: l.colour }"></span>{{ l.text }}</li>
      </ul>
      <ul class="depnet-shares-rows">
        <li v-for="r in rows" :key="r.id" :class="[r.look, { chosen: r.id === chosen }]" :data-row="r.id">
          <component :is="choosable ? 'button' : 'div'" class="depnet-share" :type="choosable ? 'button' : null"
            :aria-pressed="choosable ? (r.id === chosen ? 'true' : 'false') : null" @click="choosable && $emit('choose', r.id)">
            <span class="depnet-share-head"><strong>{{ r.name }}</strong><span v-if="r.text"> {{ r.text }}</span></span>
            <span class="depnet-share-note">{{ r.note }}</span>
            <span class="depnet-share-bar" role="img" :aria-label="r.said">
              <span v-for="(b, k) in r.bars" :key="k" :style="{ width: 100 * b.share + '%', background: b.colour, color: b.ink }" :title="b.title">{{ b.text }}</span>
            </span>
          </component>
        </li>
      </ul>
    </div>`,
  props: { legend: Array, rows: Array, chosen: Number, choosable: Boolean },
  emits: ["choose"],
};
