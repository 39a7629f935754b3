// What one turn may still ask for and write. All of its handlers spend from it, and a rollback gives nothing back.
//   TURN-BUDGET-1. What is spent depends on the turn alone, never on what was committed when: the same turn crosses the same bound
//     anywhere.
//   TURN-BUDGET-2. A turn that has crossed a bound stays failed, whatever its handlers catch.
import { utf8Bytes } from '../../contract/json-check.js';
import { limits } from '../../contract/limits.js';
import type { TurnBound } from '../../contract/turn-bounds.js';
import { ContextRefusal, type HandlerThrow } from '../../tools/loaded-tool.js';
import { tuning } from '../tuning.js';

const said = {
  contextCallsMax: `more than ${limits.contextCallsMax} calls of the context in one turn`,
  turnEntriesMax: `more than ${limits.turnEntriesMax} entries in one turn`,
  turnWriteBytesMax: `more than ${limits.turnWriteBytesMax} bytes written in one turn`,
} satisfies { [bound in TurnBound]?: string };

export class TurnBudget {
  #crossed: keyof typeof said | undefined;
  #calls = 0;
  #entries = 0;
  #chars = 0;
  #bytes = 0;
  /** How many of `#texts` are counted in `#bytes`. */
  #counted = 0;
  #texts: string[] = [];
  #written = 0;

  begin(): void {
    this.#crossed = undefined;
    if (this.#chars > tuning.turnCharsKeptMax) this.#texts = [];
    this.#calls = this.#entries = this.#chars = this.#bytes = this.#counted = this.#written = 0;
  }

  /** The fault of a turn that has crossed a bound. */
  fault(): HandlerThrow | undefined {
    const bound = this.#crossed;
    return bound === undefined ? undefined : { kind: 'thrown', message: said[bound], detail: '', bound };
  }

  /** Before anything is done for a handler. Throws ContextRefusal. */
  spendCalls(count: number): void {
    this.#calls += count;
    if (this.#calls > limits.contextCallsMax) this.#cross('contextCallsMax');
    else if (this.#crossed !== undefined) this.#refuse(this.#crossed);
  }
  /** Of what leaves an entry without a text. Throws ContextRefusal. */
  spendEntry(): void {
    if (++this.#entries > limits.turnEntriesMax) this.#cross('turnEntriesMax');
  }
  /** Of an entry and what it writes. Throws ContextRefusal. */
  spendWrite(id: string, text: string): void {
    this.spendEntry();
    if (!this.#fits(id, text)) this.#cross('turnWriteBytesMax');
  }
  /** The same, for what no handler asks for: the fault when a bound is crossed. */
  takeWrite(text: string): HandlerThrow | undefined {
    if (++this.#entries > limits.turnEntriesMax) this.#crossed ??= 'turnEntriesMax';
    else if (!this.#fits('', text)) this.#crossed ??= 'turnWriteBytesMax';
    return this.fault();
  }

  /** Bytes are counted once there could be too many: a code unit has at most three. */
  #fits(id: string, text: string): boolean {
    this.#texts[this.#written++] = text;
    if (id !== '') this.#texts[this.#written++] = id;
    this.#chars += id.length + text.length;
    if (this.#chars * 3 <= limits.turnWriteBytesMax) return true;
    if (this.#chars > limits.turnWriteBytesMax) return false;
    while (this.#counted < this.#written) this.#bytes += utf8Bytes(this.#texts[this.#counted++] as string);
    return this.#bytes <= limits.turnWriteBytesMax;
  }

  #cross(bound: keyof typeof said): never {
    this.#crossed ??= bound;
    return this.#refuse(this.#crossed);
  }
  #refuse(bound: keyof typeof said): never {
    throw new ContextRefusal(said[bound], bound);
  }
}
