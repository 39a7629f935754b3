// `TextEncoder` and `TextDecoder` as tool code has them: UTF-8, as the Encoding Standard says. Evaluated inside the realm
// (realm-script.ts).

const utf8Labels = ['unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'utf-8', 'utf8', 'x-unicode20utf8'];
const replacement = 0xfffd;
/** As many code units are made into text at once. */
const unitsAtOnce = 0x2000;

/** The bytes of a text; half of a surrogate pair is U+FFFD. */
export function utf8Bytes(text: string): number[] {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const point = text.codePointAt(index) as number;
    if (point > 0xffff) index++;
    pushPoint(bytes, point >= 0xd800 && point <= 0xdfff ? replacement : point);
  }
  return bytes;
}

function pushPoint(bytes: number[], point: number): void {
  if (point < 0x80) bytes.push(point);
  else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63));
  else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
  else bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
}

/** The text of bytes, with U+FFFD for what is no UTF-8. */
export function utf8Text(bytes: ArrayLike<number>): string {
  const reader = new Utf8Reader(false);
  return reader.read(bytes, true);
}

/** Reads bytes that come in pieces. */
class Utf8Reader {
  readonly #fatal: boolean;
  #point = 0;
  /** Bytes of the present character that are still to come, and what the next may be. */
  #left = 0;
  #least = 0x80;
  #most = 0xbf;

  constructor(fatal: boolean) {
    this.#fatal = fatal;
  }

  read(bytes: ArrayLike<number>, isLast: boolean): string {
    const units: number[] = [];
    let text = '';
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] as number;
      if (this.#left > 0 && (byte < this.#least || byte > this.#most)) this.#broken(units);
      this.#take(byte, units);
      if (units.length < unitsAtOnce) continue;
      text += String.fromCharCode(...units);
      units.length = 0;
    }
    if (isLast && this.#left > 0) this.#broken(units);
    return text + String.fromCharCode(...units);
  }

  #take(byte: number, units: number[]): void {
    if (this.#left > 0) {
      this.#point = (this.#point << 6) | (byte & 63);
      [this.#least, this.#most] = [0x80, 0xbf];
      this.#left -= 1;
      if (this.#left === 0) pushUnits(units, this.#point);
    } else if (byte < 0x80) units.push(byte);
    else if (byte >= 0xc2 && byte <= 0xdf) this.#begin(1, byte & 0x1f);
    else if (byte >= 0xe0 && byte <= 0xef) {
      this.#begin(2, byte & 0xf);
      if (byte === 0xe0) this.#least = 0xa0;
      if (byte === 0xed) this.#most = 0x9f;
    } else if (byte >= 0xf0 && byte <= 0xf4) {
      this.#begin(3, byte & 0x7);
      if (byte === 0xf0) this.#least = 0x90;
      if (byte === 0xf4) this.#most = 0x8f;
    } else this.#broken(units);
  }

  #begin(left: number, bits: number): void {
    this.#left = left;
    this.#point = bits;
  }

  #broken(units: number[]): void {
    this.#left = 0;
    [this.#least, this.#most] = [0x80, 0xbf];
    if (this.#fatal) throw new TypeError('The encoded data was not valid for encoding utf-8');
    units.push(replacement);
  }
}

function pushUnits(units: number[], point: number): void {
  if (point < 0x10000) units.push(point);
  else units.push(0xd7c0 + (point >> 10), 0xdc00 | (point & 0x3ff));
}

export class TextEncoder {
  get encoding(): string {
    return 'utf-8';
  }
  get [Symbol.toStringTag](): string {
    return 'TextEncoder';
  }
  encode(input: unknown = ''): Uint8Array {
    return new Uint8Array(utf8Bytes(String(input)));
  }
  encodeInto(source: unknown, destination: Uint8Array): { read: number; written: number } {
    if (!(destination instanceof Uint8Array)) throw new TypeError('the destination of encodeInto is a Uint8Array');
    const text = String(source);
    let [read, written] = [0, 0];
    while (read < text.length) {
      const point = text.codePointAt(read) as number;
      const units = point > 0xffff ? 2 : 1;
      const bytes = utf8Bytes(text.slice(read, read + units));
      if (written + bytes.length > destination.length) break;
      destination.set(bytes, written);
      read += units;
      written += bytes.length;
    }
    return { read, written };
  }
}

export class TextDecoder {
  readonly #fatal: boolean;
  readonly #ignoreBOM: boolean;
  #reader: Utf8Reader | undefined;
  #atStart = true;

  constructor(label: unknown = 'utf-8', options: { fatal?: unknown; ignoreBOM?: unknown } = {}) {
    const wanted = String(label)
      .replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '')
      .toLowerCase();
    if (!utf8Labels.includes(wanted)) throw new RangeError(`TextDecoder of tool behavior reads utf-8, and not '${wanted}'`);
    this.#fatal = Boolean(options?.fatal);
    this.#ignoreBOM = Boolean(options?.ignoreBOM);
  }
  get encoding(): string {
    return 'utf-8';
  }
  get fatal(): boolean {
    return this.#fatal;
  }
  get ignoreBOM(): boolean {
    return this.#ignoreBOM;
  }
  get [Symbol.toStringTag](): string {
    return 'TextDecoder';
  }

  decode(input?: ArrayBuffer | ArrayBufferView, options: { stream?: unknown } = {}): string {
    const bytes = input === undefined ? new Uint8Array() : viewOf(input);
    const isLast = !options?.stream;
    const reader = this.#reader ?? new Utf8Reader(this.#fatal);
    this.#reader = undefined;
    const isStart = this.#atStart;
    this.#atStart = true;
    let text = reader.read(bytes, isLast);
    if (!isLast) {
      this.#reader = reader;
      this.#atStart = isStart && text === '';
    }
    if (isStart && !this.#ignoreBOM && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    return text;
  }
}

function viewOf(input: unknown): Uint8Array {
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  if (!ArrayBuffer.isView(input)) throw new TypeError('decode takes an ArrayBuffer or a view of one');
  return new Uint8Array(input.buffer as ArrayBuffer, input.byteOffset, input.byteLength);
}
