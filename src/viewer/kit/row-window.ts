// Which rows of a long list are in view. Browsers end an element at some tens of millions of pixels, so a list that is longer gets a
// shorter scroll area: a drag of the scrollbar moves by proportion, wheel and keys move by pixels as everywhere, and at rest the bar is put
// right.
import { tuning } from '../tuning.js';

export class RowWindow {
  readonly rowPx: number;
  #rows = 0;
  #viewPx = 0;
  /** Of the first visible pixel, among all rows. */
  #top = 0;
  /** Where the scroll area stood when #top was set. */
  #scrolled = 0;

  constructor(rowPx: number) {
    this.rowPx = rowPx;
  }

  get areaPx(): number {
    return Math.min(this.#rows * this.rowPx, tuning.areaPxMax);
  }

  /** What is added to a row's place among all rows to get its place in the scroll area. */
  get shiftPx(): number {
    return this.#scrolled - this.#top;
  }

  get top(): number {
    return this.#top;
  }

  resize(rows: number, viewPx: number): void {
    this.#rows = rows;
    this.#viewPx = viewPx;
    this.#top = Math.min(this.#top, this.#topMax());
  }

  /** The scroll area moved, by whatever hand. */
  scrolledTo(scrollTop: number): void {
    const by = scrollTop - this.#scrolled;
    this.#scrolled = scrollTop;
    if (!this.#isScaled()) this.#top = scrollTop;
    else if (Math.abs(by) <= this.#viewPx * 3) this.#top = this.#within(this.#top + by);
    else this.#top = this.#within((scrollTop / this.#scrollMax()) * this.#topMax());
  }

  /** Where the scroll area should stand for what is shown; the caller puts it there, and says so with `settled`. */
  restingPlace(): number {
    return this.#isScaled() ? Math.round((this.#top / this.#topMax()) * this.#scrollMax()) : this.#top;
  }

  settled(scrollTop: number): void {
    this.#scrolled = scrollTop;
    if (!this.#isScaled()) this.#top = scrollTop;
  }

  /** Moves so that the row is in view: not at all if it is, else to the middle or, for a step, to the nearer edge. */
  reveal(row: number, place: 'center' | 'nearest'): void {
    const from = row * this.rowPx;
    if (from >= this.#top && from + this.rowPx <= this.#top + this.#viewPx) return;
    const edge = from < this.#top ? from : from + this.rowPx - this.#viewPx;
    this.#top = this.#within(place === 'center' ? from - (this.#viewPx - this.rowPx) / 2 : edge);
  }

  /** Rows to draw, with some above and below: from (included) to (not included). */
  visible(margin: number): { from: number; to: number } {
    const first = Math.floor(this.#top / this.rowPx);
    return { from: Math.max(first - margin, 0), to: Math.min(first + Math.ceil(this.#viewPx / this.rowPx) + 1 + margin, this.#rows) };
  }

  #isScaled(): boolean {
    return this.#rows * this.rowPx > tuning.areaPxMax;
  }
  #topMax(): number {
    return Math.max(this.#rows * this.rowPx - this.#viewPx, 0);
  }
  #scrollMax(): number {
    return Math.max(this.areaPx - this.#viewPx, 1);
  }
  #within(top: number): number {
    return Math.min(Math.max(top, 0), this.#topMax());
  }
}
