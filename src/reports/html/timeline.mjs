// The run over virtual time. Drag or scroll sideways to move, buttons, +, - and 0 or ctrl-wheel to zoom; arrow keys walk the entries.
import { button, h, svg } from './dom.mjs';
import { onSelect, openEntry, selectedSequence } from './entry-drawer.mjs';
import { data, positionOf, rows } from './page-data.mjs';
import { lanesOf, marksOf } from './timeline-marks.mjs';
import { elasticAxis, linearAxis, panned, wholeAxis, zoomed } from './timeline-scale.mjs';
import { virtualClock, virtualDuration } from './virtual-time.mjs';

const laneHeight = 30;
const axisHeight = 34;
const densityHeight = 36;
const joinWidth = 9;
const tickGap = 104;

export function startTimeline(section) {
  if (rows.length === 0) return;
  section.hidden = false;
  const timeline = new Timeline();
  section.append(timeline.controls, timeline.frame, legend(), timeline.hint);
  if (rows.length < data.total) section.append(densityChart());
  timeline.start();
}

class Timeline {
  #lanes = lanesOf(rows);
  #entries = rows.map((row) => row.entry);
  #axes = {
    elastic: elasticAxis(this.#entries),
    linear: linearAxis(this.#entries, { fromUs: data.startedAtUs, toUs: Math.max(data.finishedAtUs, data.startedAtUs + 1) }),
  };
  #axis = this.#axes.elastic;
  #view = wholeAxis(this.#axis.length);
  #width = 800;
  #scheduled = false;
  #drawing = svg('svg', {
    class: 'timeline-drawing',
    tabindex: '0',
    role: 'application',
    'aria-label': 'Timeline: arrow keys walk the entries, Enter opens one, plus and minus zoom',
  });
  #tip = h('div', { class: 'tip', hidden: true });

  controls = this.#makeControls();
  hint = h(
    'p',
    { class: 'quiet' },
    'Drag to move, ctrl and wheel to zoom. Click a mark for its entry; a number stands for entries too close to tell apart.',
  );
  frame = this.#makeFrame();

  start() {
    new ResizeObserver(([observed]) => {
      this.#width = Math.max(observed.contentRect.width, 100);
      this.#draw();
    }).observe(this.#drawing.parentElement);
    onSelect((sequence) => {
      if (sequence !== null) this.#reveal(positionOf(sequence));
      this.#draw();
    });
    this.#listen();
  }

  #makeControls() {
    const axis = (name, text) =>
      button(
        text,
        (event) => {
          this.#axis = this.#axes[name];
          this.#show(wholeAxis(this.#axis.length));
          for (const other of event.currentTarget.parentElement.querySelectorAll('[aria-pressed]'))
            other.setAttribute('aria-pressed', String(other === event.currentTarget));
        },
        { 'aria-pressed': String(name === 'elastic') },
      );
    return h(
      'div',
      { class: 'toolbar' },
      h('span', { class: 'group' }, axis('elastic', 'Elastic time'), axis('linear', 'Linear time')),
      h(
        'span',
        { class: 'group' },
        button('−', () => this.#zoom(1 / 1.6), { 'aria-label': 'Zoom out' }),
        button('+', () => this.#zoom(1.6), { 'aria-label': 'Zoom in' }),
        button('All', () => this.#show(wholeAxis(this.#axis.length))),
      ),
    );
  }

  #makeFrame() {
    const height = axisHeight + this.#lanes.length * laneHeight;
    this.#drawing.setAttribute('height', String(height));
    const labels = this.#lanes.map(({ name, indexes }) => h('li', { title: `${name}: ${indexes.length}` }, name));
    return h(
      'div',
      { class: 'timeline' },
      h('ul', { class: 'lanes', 'aria-hidden': 'true' }, ...labels),
      h('div', { class: 'timeline-canvas' }, this.#drawing, this.#tip),
    );
  }

  #xOf = (index) => ((this.#axis.positions[index] - this.#view.from) / (this.#view.to - this.#view.from)) * this.#width;

  #show(view) {
    this.#view = view;
    this.#draw();
  }

  #zoom(factor, at = (this.#view.from + this.#view.to) / 2) {
    this.#show(zoomed(this.#view, this.#axis.length, { factor, at }));
  }

  #reveal(index) {
    const x = this.#xOf(index);
    if (x < 0 || x > this.#width)
      this.#view = panned(this.#view, this.#axis.length, this.#axis.positions[index] - (this.#view.from + this.#view.to) / 2);
  }

  #draw() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      this.#drawing.replaceChildren(...this.#ticks(), ...this.#lanes.flatMap((lane, row) => this.#lane(lane, row)));
    });
  }

  /** Tick labels, as many as fit, and a line at every one that is labeled. */
  #ticks() {
    const { from, to } = this.#view;
    const height = axisHeight + this.#lanes.length * laneHeight;
    const drawn = [];
    let free = 0;
    for (const { position, timeUs, gapUs } of this.#axis.ticks) {
      const x = ((position - from) / (to - from)) * this.#width;
      if (x < free || x < 0 || x > this.#width - 40) continue;
      free = x + tickGap;
      const elastic = this.#axis === this.#axes.elastic;
      const label = elastic ? `+${virtualDuration(timeUs - data.startedAtUs)}` : virtualDuration(timeUs - data.startedAtUs);
      drawn.push(
        svg('line', { class: 'tick', x1: x, x2: x, y1: 16, y2: height }),
        svg(
          'text',
          { class: 'tick-text', x: x + 3, y: 13 },
          label,
          svg('title', {}, `${virtualClock(timeUs)}${elastic && gapUs > 0 ? `, ${virtualDuration(gapUs)} after the entry before` : ''}`),
        ),
      );
    }
    return drawn;
  }

  #lane({ name, indexes }, row) {
    const y = axisHeight + row * laneHeight + laneHeight / 2;
    const line = svg('line', { class: 'lane-line', x1: 0, x2: this.#width, y1: y, y2: y });
    const marks = marksOf(indexes, { rows, xOf: this.#xOf, width: this.#width, joinWidth });
    const clock = name === 'Clock' && this.#axis === this.#axes.linear ? this.#clockBars(indexes, y) : [];
    return [line, ...this.#bands(name, y), ...clock, ...marks.map((mark) => this.#mark(mark, y))];
  }

  /** From the first to the last call of each interaction of the actor. */
  #bands(actor, y) {
    return data.interactions
      .filter((interaction) => interaction.actor === actor)
      .flatMap(({ id, calls }) => {
        const from = this.#xOf(positionOf(calls[0])) - 11;
        const to = this.#xOf(positionOf(calls.at(-1))) + 11;
        if (to < 0 || from > this.#width) return [];
        const band = svg('rect', { class: 'band', x: from, y: y - 13, width: to - from, height: 26, rx: 8 }, svg('title', {}, `interaction ${id}`));
        return to - from < id.length * 7 + 30 ? [band] : [band, svg('text', { class: 'band-text', x: from + 8, y: y - 4 }, id)];
      });
  }

  /** How far each move of the clock reaches. */
  #clockBars(indexes, y) {
    return indexes.map((index) => {
      const { fromUs, toUs } = this.#entries[index];
      const end = this.#xOf(index);
      const share = (toUs - fromUs) / Math.max(data.finishedAtUs - data.startedAtUs, 1);
      const length = ((share * this.#axis.length) / (this.#view.to - this.#view.from)) * this.#width;
      return svg('line', { class: 'clock-bar', x1: end - length, x2: end, y1: y, y2: y });
    });
  }

  #mark({ x, indexes, tone, cited }, y) {
    const many = indexes.length > 1;
    const chosen = indexes.some((index) => this.#entries[index].sequence === selectedSequence());
    const classes = ['mark', `tone-${tone}`, cited ? 'cited' : '', chosen ? 'chosen' : ''].filter(Boolean).join(' ');
    const radius = many ? 8 : 5;
    const group = svg('g', { class: classes, 'data-index': indexes[0], 'data-many': indexes.length }, svg('circle', { cx: x, cy: y, r: radius }));
    if (cited) group.prepend(svg('circle', { class: 'ring', cx: x, cy: y, r: radius + 4 }));
    if (many) group.append(svg('text', { class: 'mark-count', x, y: y + 3.5 }, indexes.length > 99 ? '99+' : String(indexes.length)));
    group.addEventListener('pointerenter', () => this.#showTip(indexes, x, y));
    group.addEventListener('pointerleave', () => {
      this.#tip.hidden = true;
    });
    return group;
  }

  #showTip(indexes, x, y) {
    const lines = indexes.slice(0, 6).map((index) => h('div', {}, h('b', {}, `#${this.#entries[index].sequence} `), rows[index].text));
    if (indexes.length > 6) lines.push(h('div', { class: 'quiet' }, `and ${indexes.length - 6} more: click to zoom in`));
    this.#tip.replaceChildren(h('div', { class: 'quiet' }, virtualClock(this.#entries[indexes[0]].virtualTimeUs)), ...lines);
    this.#tip.hidden = false;
    this.#tip.style.left = `${Math.min(x + 12, Math.max(this.#width - 340, 0))}px`;
    this.#tip.style.top = `${y + 14}px`;
  }

  #listen() {
    const position = (event) => this.#view.from + (event.offsetX / this.#width) * (this.#view.to - this.#view.from);
    this.#drawing.addEventListener(
      'wheel',
      (event) => {
        if (event.ctrlKey || event.metaKey) this.#zoom(event.deltaY < 0 ? 1.25 : 0.8, position(event));
        else if (event.deltaX !== 0 && Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.#pan(event.deltaX);
        else return;
        event.preventDefault();
      },
      { passive: false },
    );
    this.#drawing.addEventListener('keydown', (event) => this.#key(event));
    this.#drawing.addEventListener('pointerdown', (event) => this.#press(event));
  }

  #pan(pixels) {
    this.#show(panned(this.#view, this.#axis.length, (pixels / this.#width) * (this.#view.to - this.#view.from)));
  }

  /** A press that moves drags; one that does not is a click on what is under it. */
  #press(pressed) {
    let x = pressed.clientX;
    let dragged = false;
    const move = (event) => {
      if (!dragged && Math.abs(event.clientX - x) < 4) return;
      dragged = true;
      this.#pan(x - event.clientX);
      x = event.clientX;
    };
    const release = () => {
      window.removeEventListener('pointermove', move);
      if (!dragged) this.#click(pressed.target.closest('.mark'));
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', release, { once: true });
  }

  #click(mark) {
    if (mark === null) return;
    const index = Number(mark.dataset.index);
    // Where zooming tells the entries apart it is what a click on many of them does.
    const last = this.#axis.positions[index + Number(mark.dataset.many) - 1] ?? this.#axis.positions[index];
    const apart = last > this.#axis.positions[index] && this.#view.to - this.#view.from > 2.2;
    if (Number(mark.dataset.many) > 1 && apart) this.#zoom(3, this.#axis.positions[index]);
    else openEntry(this.#entries[index].sequence, { focus: false });
  }

  #key(event) {
    const selected = selectedSequence();
    const at = selected === null ? -1 : positionOf(selected);
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    if (event.key in steps) openEntry(this.#entries[Math.min(Math.max(at + steps[event.key], 0), rows.length - 1)].sequence, { focus: false });
    else if (event.key === 'Enter' && selected !== null) openEntry(selected);
    else if (event.key === '+' || event.key === '=') this.#zoom(1.6);
    else if (event.key === '-') this.#zoom(1 / 1.6);
    else if (event.key === '0') this.#show(wholeAxis(this.#axis.length));
    else return;
    event.preventDefault();
  }
}

function legend() {
  const items = [
    ['tone-good', 'call, check'],
    ['tone-bad', 'refused or failed'],
    ['tone-fault', 'fault'],
    ['tone-planned', 'scheduled'],
    ['tone-plain', 'everything else'],
    ['cited', 'evidence of what did not hold'],
  ];
  const sample = (tone) =>
    svg(
      'svg',
      { viewBox: '0 0 18 18' },
      svg(
        'g',
        { class: `mark ${tone}` },
        tone === 'cited' ? svg('circle', { class: 'ring', cx: 9, cy: 9, r: 8 }) : null,
        svg('circle', { cx: 9, cy: 9, r: 5 }),
      ),
    );
  return h('p', { class: 'legend' }, ...items.map(([tone, text]) => h('span', {}, sample(tone), ` ${text}`)));
}

/** Of a journal too long for the page: how its entries spread over virtual time. */
function densityChart() {
  const most = Math.max(...data.density, 1);
  const bars = data.density.map((many, index) => {
    const height = many === 0 ? 0 : Math.max((Math.log1p(many) / Math.log1p(most)) * densityHeight, 1);
    return svg('rect', { class: 'density-bar', x: index * 4, y: densityHeight - height, width: 3, height }, svg('title', {}, `${many} entries`));
  });
  const drawing = svg(
    'svg',
    {
      class: 'density',
      viewBox: `0 0 ${data.density.length * 4} ${densityHeight}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': 'Entries over virtual time',
    },
    ...bars,
  );
  return h(
    'div',
    {},
    h(
      'p',
      { class: 'quiet' },
      `All ${data.total} entries over virtual time (bars grow with the logarithm); the marks above are the ${rows.length} in this page.`,
    ),
    drawing,
  );
}
