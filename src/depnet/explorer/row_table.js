// Rows of the table, every cell shaded by how surprising it is; a heading sorts, a row's number opens it.
// All text goes through Vue's interpolation, which shows markup as it is written.
export default {
  template: `
    <div class="depnet-rows" tabindex="0" role="region" aria-label="Rows of the table">
      <table>
        <thead><tr>
          <th v-for="c in heads" :key="c.key" scope="col" :class="c.kind" :aria-sort="c.sorted || 'none'">
            <span v-if="c.key === 'alike'" class="depnet-rows-head">{{ c.name }}</span>
            <button v-else type="button" @click="$emit('sort', c.key)" :aria-label="'Sort by ' + c.name" :title="c.name">{{ c.name }}<span aria-hidden="true">{{ mark(c) }}</span></button>
          </th>
        </tr></thead>
        <tbody>
          <tr v-for="r in rows" :key="r.number" :class="{ chosen: r.number === chosen }" :data-row="r.number">
            <th scope="row"><button type="button" @click="$emit('choose', r.number)" :aria-label="'Open row ' + r.number" :aria-pressed="r.number === chosen ? 'true' : 'false'">{{ r.number.toLocaleString('en') }}</button></th>
            <td class="number">{{ r.score }}</td>
            <td v-if="alike" class="number">{{ r.alike.toLocaleString('en') }}</td>
            <td v-for="(c, k) in r.cells" :key="k" :class="['odd' + c[1], { hole: c[3] }]" :title="c[2]" :data-column="names[k]">{{ c[0] }}<span v-if="c[3]" class="depnet-unseen">missing</span></td>
          </tr>
        </tbody>
      </table>
    </div>`,
  props: { heads: Array, rows: Array, names: Array, alike: Boolean, chosen: Number },
  emits: ["sort", "choose"],
  methods: {
    mark(c) {
      return c.sorted === "ascending" ? " ▲" : c.sorted === "descending" ? " ▼" : "";
    },
  },
};
