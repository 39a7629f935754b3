// The last lines of a terminal, redrawn in place; what is printed goes above them and stays.
//   LIVE-REGION-1. Each redraw is one write: it goes up over the old lines, overwrites them and erases what is left, so nothing flickers.
//   LIVE-REGION-2. No line is wider than the terminal, so a line is a row; after the terminal shrank the rows are counted again.
import { fitText, textWidth } from './terminal-text.js';

export interface TerminalStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
}

const eraseRight = '\u001b[K';
const eraseBelow = '\u001b[J';
/** Terminals that know synchronized output show what lies between as one frame; others ignore both. */
const frame = { begin: '\u001b[?2026h', end: '\u001b[?2026l' };

export class LiveRegion {
  readonly #stream: TerminalStream;
  readonly #fixedColumns: number | undefined;
  /** Widths of the lines on screen. */
  #drawn: number[] = [];

  constructor(stream: TerminalStream, fixedColumns?: number) {
    this.#stream = stream;
    this.#fixedColumns = fixedColumns;
  }

  /** At least one row is left for what was printed before. A terminal that nobody gave a size says 0. */
  get linesMax(): number {
    return Math.max((this.#stream.rows || 24) - 2, 1);
  }

  /** Shows `lines` in place of the old ones, below `printed`. */
  draw(lines: readonly string[], printed: readonly string[] = []): void {
    const columns = this.#columns();
    const shown = lines.slice(0, this.linesMax).map((line) => fitText(line, columns - 1));
    const written = [...printed, ...shown].map((line) => `${line}${eraseRight}\n`).join('');
    this.#stream.write(`${frame.begin}${this.#goUp()}${written}${eraseBelow}${frame.end}`);
    this.#drawn = shown.map(textWidth);
  }

  #goUp(): string {
    const columns = this.#columns();
    const rows = this.#drawn.reduce((sum, width) => sum + Math.max(Math.ceil(width / columns), 1), 0);
    return rows === 0 ? '' : `\r\u001b[${rows}A`;
  }

  #columns(): number {
    return Math.max(this.#fixedColumns ?? (this.#stream.columns || 80), 20);
  }
}
