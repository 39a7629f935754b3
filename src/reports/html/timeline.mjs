// The run over virtual time. Drag or scroll sideways to move, buttons, +, - and 0 or ctrl-wheel to zoom; arrow keys walk the entries.
import { button, h, svg } from './dom.mjs';
import { onSelect, openEntry, selectedSequence } from './entry-drawer.mjs';
import { data, positionOf, rows } from './page-data.mjs';
import { densityChart, drawClockMoves, drawLane, drawTicks, layLanes, legend } from './timeline-drawing.mjs';
import { lanesOf } from './timeline-marks.mjs';
import { elasticAxis, linearAxis, panned, wholeAxis, zoomed } from './timeline-scale.mjs';
import { virtualClock } from './virtual-time.mjs';

const keysText = 'Timeline: arrow keys walk the entries, Enter opens one, plus and minus zoom';
const hintText = 'Drag to move, ctrl and wheel to zoom. Click a mark for its entry; a number stands for entries too close to tell apart.';
const zoomStep = 1.6;

export function startTimeline(section) {
  if (rows.length === 0) return;
  section.hidden = false;
  const timeline = new Timeline();
  section.append(timeline.controls, timeline.frame, legend(), h('p', { class: 'quiet' }, hintText));
  if (rows.length < data.total) section.append(densityChart());
  timeline.start();
}

class Timeline {
  #entries = rows.map((row) => row.entry);
  #laid = layLanes(lanesOf(rows));
  #elastic = elasticAxis(this.#entries);
  #linear = linearAxis(this.#entries, { fromUs: data.startedAtUs, toUs: Math.max(data.finishedAtUs, data.startedAtUs + 1) });
  #axis = this.#elastic;
  #view = wholeAxis(this.#axis.length);
  #width = 800;
  #drawingLater = false;
  #drawing = svg('svg', {
    class: 'timeline-drawing',
    height: this.#laid.height,
    tabindex: '0',
    role: 'application',
    'aria-label': keysText,
  });
  #tip = h('div', { class: 'tip', hidden: true });

  controls = this.#makeControls();
  frame = h(
    'div',
    { class: 'timeline' },
    h('ul', { class: 'lanes', 'aria-hidden': 'true' }, ...this.#laid.lanes.map(laneLabel)),
    h('div', { class: 'timeline-canvas' }, this.#drawing, this.#tip),
  );

  start() {
    new ResizeObserver(([observed]) => {
      this.#width = Math.max(observed.contentRect.width, 100);
      this.#draw();
    }).observe(this.#drawing.parentElement);
    onSelect((sequence) => {
      if (sequence !== null) this.#reveal(positionOf(sequence));
      this.#draw();
    });
    this.#drawing.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    this.#drawing.addEventListener('keydown', (event) => this.#key(event));
    this.#drawing.addEventListener('pointerdown', (event) => this.#press(event));
  }

  #makeControls() {
    const axes = [
      ['Elastic time', this.#elastic],
      ['Linear time', this.#linear],
    ].map(([text, axis]) => {
      const choose = () => {
        this.#axis = axis;
        for (const other of axes) other.setAttribute('aria-pressed', String(other === choice));
        this.#showAll();
      };
      const choice = button(text, choose, { 'aria-pressed': String(axis === this.#axis) });
      return choice;
    });
    const out = button('−', () => this.#zoom(1 / zoomStep), { 'aria-label': 'Zoom out' });
    const into = button('+', () => this.#zoom(zoomStep), { 'aria-label': 'Zoom in' });
    const all = button('All', () => this.#showAll());
    return h('div', { class: 'toolbar' }, h('span', { class: 'group' }, ...axes), h('span', { class: 'group' }, out, into, all));
  }

  #xAt = (position) => ((position - this.#view.from) / (this.#view.to - this.#view.from)) * this.#width;
  #xOf = (index) => this.#xAt(this.#axis.positions[index]);

  #show(view) {
    this.#view = view;
    this.#draw();
  }

  #showAll() {
    this.#show(wholeAxis(this.#axis.length));
  }

  #zoom(factor, at = (this.#view.from + this.#view.to) / 2) {
    this.#show(zoomed(this.#view, this.#axis.length, { factor, at }));
  }

  #pan(pixels) {
    this.#show(panned(this.#view, this.#axis.length, (pixels / this.#width) * (this.#view.to - this.#view.from)));
  }

  #reveal(index) {
    const x = this.#xOf(index);
    if (x < 0 || x > this.#width) this.#pan(x - this.#width / 2);
  }

  /** Once a frame, however much changes. */
  #draw() {
    if (this.#drawingLater) return;
    this.#drawingLater = true;
    requestAnimationFrame(() => {
      this.#drawingLater = false;
      const ticks = drawTicks(this.#axis, {
        xAt: this.#xAt,
        width: this.#width,
        height: this.#laid.height,
        elastic: this.#axis === this.#elastic,
      });
      this.#drawing.replaceChildren(...ticks, ...this.#laid.lanes.flatMap((lane) => this.#lane(lane)));
    });
  }

  #lane(lane) {
    const drawn = drawLane(lane, { xOf: this.#xOf, width: this.#width, onPoint: (mark) => this.#point(mark) });
    if (lane.name !== 'Clock' || this.#axis !== this.#linear) return drawn;
    const shownShare = (this.#view.to - this.#view.from) / this.#axis.length;
    const pixelsPerUs = this.#width / shownShare / Math.max(data.finishedAtUs - data.startedAtUs, 1);
    return [...drawClockMoves(lane, { xOf: this.#xOf, pixelsPerUs }), ...drawn];
  }

  /** What is under the pointer, in words. */
  #point(mark) {
    this.#tip.hidden = mark === null;
    if (mark === null) return;
    const { x, y, indexes } = mark;
    const lines = indexes.slice(0, 6).map((index) => h('div', {}, h('b', {}, `#${this.#entries[index].sequence} `), rows[index].text));
    const more = indexes.length > 6 ? h('div', { class: 'quiet' }, `and ${indexes.length - 6} more: click to zoom in`) : '';
    this.#tip.replaceChildren(h('div', { class: 'quiet' }, virtualClock(this.#entries[indexes[0]].virtualTimeUs)), ...lines, more);
    this.#tip.style.left = `${Math.min(x + 12, Math.max(this.#width - 340, 0))}px`;
    this.#tip.style.top = `${y + 14}px`;
  }

  #wheel(event) {
    const at = this.#view.from + (event.offsetX / this.#width) * (this.#view.to - this.#view.from);
    if (event.ctrlKey || event.metaKey) this.#zoom(event.deltaY < 0 ? 1.25 : 0.8, at);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.#pan(event.deltaX);
    else return;
    event.preventDefault();
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

  /** Opens the entry; of several, zooms in until they can be told apart. */
  #click(mark) {
    if (mark === null) return;
    const [first, last] = [Number(mark.dataset.index), Number(mark.dataset.last)];
    const { positions } = this.#axis;
    const canZoom = positions[last] > positions[first] && this.#view.to - this.#view.from > 2.2;
    if (canZoom) this.#zoom(3, (positions[first] + positions[last]) / 2);
    else openEntry(this.#entries[first].sequence, { focus: false });
  }

  #key(event) {
    const selected = selectedSequence();
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step !== undefined) {
      const next = (selected === null ? -1 : positionOf(selected)) + step;
      openEntry(this.#entries[Math.min(Math.max(next, 0), rows.length - 1)].sequence, { focus: false });
    } else if (event.key === 'Enter' && selected !== null) openEntry(selected);
    else if (event.key === '+' || event.key === '=') this.#zoom(zoomStep);
    else if (event.key === '-') this.#zoom(1 / zoomStep);
    else if (event.key === '0') this.#showAll();
    else return;
    event.preventDefault();
  }
}

function laneLabel({ name, indexes, height }) {
  const label = h('li', { title: `${name}: ${indexes.length}` }, name);
  label.style.height = `${height}px`;
  return label;
}
