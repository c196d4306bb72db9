// The page of the network: controls, the picture with what lies over it, the legend, and panels beside it.
export const template = `
<div class="depnet-network depnet-columns">
  <section class="depnet-card">
    <div class="depnet-bar">
      <label class="depnet-field depnet-grow">strong to weak
        <input type="range" min="0" max="1000" step="1" v-model.number="position" @input="slid"
               :aria-valuetext="shown + ' strongest links'">
      </label>
      <label class="depnet-field">strongest
        <input type="number" min="1" :max="ties.length" v-model="count" @change="typed" class="depnet-short">
      </label>
      <label class="depnet-field">find a variable
        <input type="search" :list="uid + '-names'" v-model="wanted" @change="find" @keydown.enter.prevent="find" autocomplete="off">
      </label>
      <datalist :id="uid + '-names'"><option v-for="name in names" :value="name"></option></datalist>
      <label class="depnet-field">around it
        <select :value="steps" @change="stepsTo(Number($event.target.value))" :disabled="chosen === null">
          <option :value="0">everything</option><option :value="1">neighbours</option><option :value="2">two steps</option>
        </select>
      </label>
      <div class="depnet-field" role="group" aria-label="Show as">show as
        <div class="depnet-switch">
          <button type="button" :aria-pressed="mode === 'graph'" @click="turnTo('graph')">graph</button>
          <button type="button" :aria-pressed="mode === 'matrix'" @click="turnTo('matrix')">matrix</button>
        </div>
      </div>
      <details class="depnet-menu" ref="menu" @keydown.esc="$refs.menu.open = false">
        <summary>Save as</summary>
        <div>
          <button type="button" @click="save('png')">PNG <small>what is shown</small></button>
          <button type="button" @click="save('svg')">SVG <small>what is shown</small></button>
          <button type="button" @click="save('csv')">CSV <small>all links</small></button>
          <button type="button" @click="save('graphml')">GraphML <small>all links</small></button>
        </div>
      </details>
    </div>
    <div class="depnet-note" role="status">{{ missed || summary }}<template v-if="asking">; asking what moves …</template></div>
    <div class="depnet-warning" role="status" v-if="problem">{{ problem }}</div>
    <div class="depnet-over" v-show="mode === 'graph'">
      <div ref="board" class="depnet-picture" tabindex="0" role="listbox" :aria-label="'Variables: arrow keys go to the nearest, Enter opens one. ' + summary"
           :aria-activedescendant="uid + '-active'" @keydown="key" @focus="entered" @blur="leave">
        <div ref="chart" class="depnet-chart-room"></div>
        <div role="option" aria-selected="true" class="depnet-unseen" :id="uid + '-active'">{{ described }}</div>
      </div>
      <div class="depnet-zoom" role="group" aria-label="Zoom">
        <button type="button" class="depnet-icon" aria-label="Zoom in" @click="zoom(1.4)">+</button>
        <button type="button" class="depnet-icon" aria-label="Zoom out" @click="zoom(1 / 1.4)">−</button>
        <button type="button" class="depnet-icon" aria-label="Fit the whole network" @click="fit">⤢</button>
      </div>
      <template v-if="peek">
        <div class="depnet-ring" :style="{ left: peek.at[0] + 'px', top: peek.at[1] + 'px' }"></div>
        <peek :key="peek.variable" :name="names[peek.variable]" :card="peek.card" :open="peek.open" :evidence="known.length > 0"
          :known="known.some(([v]) => v === peek.variable)" :target="target === peek.variable" :at="peek.at" :size="26"
          :room="[$refs.chart.clientWidth, $refs.chart.clientHeight]" @hold="hold" @target="makeTarget" @near="showNear" @close="closePeek"></peek>
      </template>
    </div>
    <matrix v-if="mode === 'matrix' && grid" ref="matrix" :names="names" :order="grid.order" :groups="groups" :colours="colours" :cells="grid.cells"
      :pair="pair" :room="tall" :label="'Matrix of links: a row is predicted, a column predicts. Arrow keys go from cell to cell, with Ctrl to the next link; Enter opens the pair. ' + summary"
      @pair="openPair" @choose="choose"></matrix>
    <div class="depnet-legend" v-if="mode === 'matrix' && grid">
      <span>A row is predicted, a column predicts; frames are communities.</span>
      <span class="depnet-scale">0<i :style="{ background: gradient }"><em style="left: 25%">{{ (grid.cells.most / 16).toPrecision(2) }}</em><em style="left: 50%">{{ (grid.cells.most / 4).toPrecision(2) }}</em></i>{{ bits(grid.cells.most) }}</span>
      <span title="So that weak links show beside strong ones">square-root scale</span>
    </div>
    <div class="depnet-legend" v-else-if="chosen !== null">
      <span v-for="(kind, how) in relations"><i :class="'depnet-line ' + how"></i>{{ kind.name }}</span>
    </div>
    <div class="depnet-legend" v-if="mode === 'graph' && known.length">
      <div class="depnet-switch" role="group" aria-label="Colours">
        <button type="button" :aria-pressed="colour === 'change'" @click="colourBy('change')">change</button>
        <button type="button" :aria-pressed="colour === 'community'" @click="colourBy('community')">community</button>
      </div>
      <template v-if="byChange"><span class="depnet-scale">unmoved<i :style="{ background: gradient }"></i>moved {{ most.toFixed(2) }}</span>
      <span title="Total variation: the largest change in the probability of any event">total variation<template v-if="!sharp">; not yet sharp</template></span></template>
      <span><i class="depnet-square"></i>known</span>
    </div>
    <div class="depnet-legend" v-if="communities.length > 1" role="group" aria-label="Communities">
      <button type="button" v-for="one in coloured" class="depnet-community" :aria-pressed="community === one.group" @click="only(one.group)"
        :title="'Show only the ' + one.size + ' variables around ' + one.name">
        <i class="depnet-dot" :style="{ background: one.colour }"></i>around {{ one.name }} <small>{{ one.size }}</small></button>
      <label v-if="uncoloured.length" class="depnet-other"><i class="depnet-dot" :style="{ background: rest }"></i>
        <select aria-label="Other communities" :value="community !== null && community >= colours.length ? community : ''"
          @change="only($event.target.value === '' ? community : Number($event.target.value))">
          <option value="">{{ uncoloured.length }} smaller ones</option>
          <option v-for="one in uncoloured" :value="one.group">around {{ one.name }} ({{ one.size }})</option>
        </select></label>
      <button type="button" v-if="community !== null" class="depnet-community" @click="only(community)">show all</button>
    </div>
  </section>
  <div class="depnet-stack">
    <pair-panel v-if="pair" ref="pairPanel" :key="pair.join()" :first="names[pair[0]]" :second="names[pair[1]]"
      :forward="joint?.forward" :backward="joint?.backward" :table="joint" :dark="dark" @close="closePair"></pair-panel>
    <near-panel v-if="chosen !== null" :names="names" :ties="listed" :chosen="chosen" @choose="choose" @pair="openPair"></near-panel>
    <links-panel v-if="chosen === null" :names="names" :ties="listed" :left="left" :measured="measured" @choose="choose" @pair="openPair"></links-panel>
  </div>
</div>`;
