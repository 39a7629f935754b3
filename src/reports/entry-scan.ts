// Reads what an index or a comparison needs out of an entry's bytes, without making it a value: a journal is read at the speed of its
// bytes.
//   ENTRY-SCAN-1. An entry is one line of canonical JSON, so its members are ordered and its own keys have no escapes. A line that is not
//     of that form, or not of the sequence it should be, is refused; nothing else about it is checked here (reports/verify-evidence.ts
//     does).
import { type EvidenceKind, evidenceKinds } from '../contract/world/evidence.js';

const codes = new Map<string, number>(evidenceKinds.map((kind, code) => [kind, code]));
export const stateChangeCode = codeOf('state_change');

export function codeOf(kind: EvidenceKind): number {
  return codes.get(kind) as number;
}

const ascii = (character: string): number => character.charCodeAt(0);
const [quote, backslash, comma, colon, minus, zero] = [ascii('"'), ascii('\\'), ascii(','), ascii(':'), ascii('-'), ascii('0')];
const [openBrace, closeBrace, openBracket, closeBracket] = [ascii('{'), ascii('}'), ascii('['), ascii(']')];
const [letterC, letterF, letterK, letterO] = [ascii('c'), ascii('f'), ascii('k'), ascii('o')];
const [letterP, letterR, letterS, letterV] = [ascii('p'), ascii('r'), ascii('s'), ascii('v')];
const [letterA, letterT, letterX] = [ascii('a'), ascii('t'), ascii('x')];

/** Members whose text can be asked for, where the entry's kind has them. */
const texts = { packageId: 0, instanceId: 1, namespace: 2, rowId: 3, change: 4, phase: 5, event: 6, payload: 7, after: 8 } as const;
type TextMember = keyof typeof texts;

/** One line at a time; what it found stands until the next. */
export class EntryScan {
  kind = 0;
  sequence = 0;
  virtualTimeUs = 0;
  /** 0 where it has none. */
  causeSequence = 0;
  transactionIndex = 0;
  /** A call that was not ok, an event or callback that failed, a checkpoint that did not pass. */
  failed = false;
  protected bytes: Buffer = Buffer.alloc(0);
  #end = 0;
  /** Begin and end of the values of the members in `texts`; 0 and 0 of one that the line does not have. */
  readonly #spans = new Int32Array(2 * Object.keys(texts).length);

  /** False: it is no entry. `end`: of the line, without its newline. */
  scan(bytes: Buffer, start: number, end: number): boolean {
    this.bytes = bytes;
    this.#end = end;
    this.kind = -1;
    this.sequence = -1;
    this.virtualTimeUs = Number.NaN;
    this.failed = false;
    this.causeSequence = 0;
    this.transactionIndex = 0;
    this.#spans.fill(0);
    if (end - start < 2 || bytes[start] !== openBrace || bytes[end - 1] !== closeBrace) return false;
    let at = start + 1;
    while (at < end) {
      if (bytes[at] !== quote) return false;
      const keyEnd = this.#afterString(at);
      if (bytes[keyEnd] !== colon) return false;
      const valueEnd = this.#afterValue(keyEnd + 1);
      if (valueEnd > end || valueEnd === keyEnd + 1) return false;
      this.member(at + 1, keyEnd - 1, keyEnd + 1, valueEnd);
      at = valueEnd + 1;
      if (bytes[valueEnd] === closeBrace)
        return valueEnd === end - 1 && this.kind >= 0 && this.sequence > 0 && !Number.isNaN(this.virtualTimeUs);
      if (bytes[valueEnd] !== comma) return false;
    }
    return false;
  }

  /** Said by the entry; without it, the entry that its transaction began with. 0: neither. */
  get cause(): number {
    if (this.causeSequence > 0) return this.causeSequence;
    return this.transactionIndex > 0 ? this.sequence - this.transactionIndex : 0;
  }

  /** A member that is a string. */
  text(name: 'packageId' | 'instanceId' | 'namespace' | 'rowId' | 'change' | 'phase'): string {
    const text = this.written(name);
    return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
  }

  /** A member as the line has it. */
  written(name: TextMember): string {
    return this.bytes.toString('utf8', this.startOf(name), this.endOf(name));
  }
  protected startOf(name: TextMember): number {
    return this.#spans[2 * texts[name]]!;
  }
  protected endOf(name: TextMember): number {
    return this.#spans[2 * texts[name] + 1]!;
  }

  protected member(keyStart: number, keyEnd: number, start: number, end: number): void {
    const bytes = this.bytes;
    switch (keyEnd - keyStart) {
      case 4:
        if (bytes[keyStart] === letterK) this.kind = codes.get(bytes.toString('latin1', start + 1, end - 1)) ?? -1;
        return;
      case 5:
        // `phase`, `rowId`, `after` and `event`; not `error`.
        if (bytes[keyStart] === letterP) {
          this.failed = bytes[start + 1] === letterF;
          this.#mark(texts.phase, start, end);
        } else if (bytes[keyStart] === letterR) this.#mark(texts.rowId, start, end);
        else if (bytes[keyStart] === letterA) this.#mark(texts.after, start, end);
        else if (bytes[keyStart + 1] === letterV) this.#mark(texts.event, start, end);
        return;
      case 6:
        // `change`, and `result` of a verification, which ends with its verdict; not `before`, `reason`, `method`.
        if (bytes[keyStart] === letterC) this.#mark(texts.change, start, end);
        else if (bytes[keyStart] === letterR && bytes[keyStart + 2] === letterS) this.failed = bytes[end - 8] !== letterP;
        return;
      case 7:
        // `outcome`: only that of a call that was ok begins with its kind, because it has no error. `payload` is another.
        if (bytes[keyStart] === letterO) this.failed = bytes[start + 2] !== letterK;
        else if (bytes[keyStart] === letterP) this.#mark(texts.payload, start, end);
        return;
      case 8:
        if (bytes[keyStart] === letterS) this.sequence = this.integer(start, end);
        return;
      case 9:
        this.#mark(bytes[keyStart] === letterP ? texts.packageId : texts.namespace, start, end);
        return;
      case 10:
        this.#mark(texts.instanceId, start, end);
        return;
      case 13:
        // `virtualTimeUs`, and `causeSequence`; not `correlationId`, `transactionId`.
        if (bytes[keyStart] === letterV) this.virtualTimeUs = this.integer(start, end);
        else if (bytes[keyStart] === letterC && bytes[keyStart + 1] === letterA) this.causeSequence = this.integer(start, end);
        return;
      case 16:
        if (bytes[keyStart] === letterT && bytes[keyEnd - 1] === letterX) this.transactionIndex = this.integer(start, end);
    }
  }

  #mark(text: number, start: number, end: number): void {
    this.#spans[2 * text] = start;
    this.#spans[2 * text + 1] = end;
  }

  protected integer(start: number, end: number): number {
    const bytes = this.bytes;
    const negative = bytes[start] === minus;
    let value = 0;
    for (let at = negative ? start + 1 : start; at < end; at++) {
      const digit = (bytes[at] as number) - zero;
      if (digit < 0 || digit > 9) return Number.NaN;
      value = value * 10 + digit;
    }
    return negative ? -value : value;
  }

  #afterValue(start: number): number {
    const bytes = this.bytes;
    const first = bytes[start];
    if (first === quote) return this.#afterString(start);
    if (first === openBrace || first === openBracket) return this.#afterNested(start);
    let at = start;
    while (at < this.#end && bytes[at] !== comma && bytes[at] !== closeBrace) at++;
    return at;
  }

  #afterNested(start: number): number {
    const bytes = this.bytes;
    const end = this.#end;
    let depth = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at];
      if (byte === quote) at = this.#afterString(at) - 1;
      else if (byte === openBrace || byte === openBracket) depth++;
      else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return at + 1;
    }
    return end + 1;
  }

  #afterString(start: number): number {
    const bytes = this.bytes;
    const end = this.#end;
    for (let at = start + 1; at < end; at++) {
      const byte = bytes[at];
      if (byte === backslash) at++;
      else if (byte === quote) return at + 1;
    }
    return end + 1;
  }
}
