// A terminal as far as our reporter steers one: it keeps a screen of rows, wraps what is too wide, and reflows when it is resized.
import type { TerminalStream } from '../../src/reports/live-region.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape is what a control sequence begins with.
const piece = /\u001b\[\??(\d*)([A-Za-z])|\u001b\]8;;[^\u001b]*\u001b\\|\r|\n|[^\u001b\r\n]+/g;

export class FakeTerminal implements TerminalStream {
  readonly isTTY: boolean;
  columns: number;
  rows: number;
  written = '';
  #lines: string[] = [''];
  #row = 0;
  #column = 0;
  readonly #resized = new Set<() => void>();

  constructor({ isTTY, columns = 80, rows = 24 }: { isTTY: boolean; columns?: number; rows?: number }) {
    this.isTTY = isTTY;
    this.columns = columns;
    this.rows = rows;
  }

  get listeners(): number {
    return this.#resized.size;
  }

  on(_: 'resize', listener: () => void): void {
    this.#resized.add(listener);
  }

  off(_: 'resize', listener: () => void): void {
    this.#resized.delete(listener);
  }

  /** Narrower: rows that no longer fit become several, as terminals do. */
  resize({ columns }: { columns: number }): void {
    const above = this.#lines.slice(0, this.#row).flatMap((line) => wrapped(line, columns));
    this.#lines = [...above, ...this.#lines.slice(this.#row)];
    this.#row = above.length;
    this.columns = columns;
    for (const listener of [...this.#resized]) listener();
  }

  write(text: string): void {
    this.written += text;
    for (const [whole, amount, command] of text.matchAll(piece)) {
      // A link has no width.
      if (whole.startsWith('\u001b]')) continue;
      if (command === undefined) this.#put(whole);
      else this.#steer(command, Number(amount || '1'));
    }
  }

  /** What a person sees, from the first row on, without empty rows at the end. */
  screen(): string[] {
    return this.#lines.join('\n').trimEnd().split('\n');
  }

  #put(text: string): void {
    if (text === '\r') this.#column = 0;
    else if (text === '\n') this.#toRow(this.#row + 1);
    else {
      const line = (this.#lines[this.#row] ?? '').padEnd(this.#column);
      if (this.isTTY && this.#column + text.length > this.columns) throw new Error(`wider than the terminal: ${text}`);
      this.#lines[this.#row] = line.slice(0, this.#column) + text + line.slice(this.#column + text.length);
      this.#column += text.length;
    }
  }

  #steer(command: string, amount: number): void {
    if (command === 'A') this.#row = Math.max(this.#row - amount, 0);
    else if (command === 'K') this.#lines[this.#row] = (this.#lines[this.#row] ?? '').slice(0, this.#column);
    else if (command === 'J') this.#lines = [...this.#lines.slice(0, this.#row), (this.#lines[this.#row] ?? '').slice(0, this.#column)];
    else if (!'hlm'.includes(command)) throw new Error(`an unexpected command ${command}`);
  }

  #toRow(row: number): void {
    this.#row = row;
    this.#column = 0;
    this.#lines[row] ??= '';
  }
}

function wrapped(line: string, columns: number): string[] {
  const parts = [];
  for (let from = 0; from === 0 || from < line.length; from += columns) parts.push(line.slice(from, from + columns));
  return parts;
}
