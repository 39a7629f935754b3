// What a host has asked its system and has no answer to yet: the host's side. The other one is ask-answers.ts.
//   HOST-ASKS-1. An ask beyond a bound is refused here; the system ends a host that sends it nevertheless.
import { ServiceError } from '../contract/errors.js';
import { plainOfText, textOfPlain } from './byte-text.js';
import { type Answer, unwrap } from './host-port.js';
import { tuning } from './tuning.js';

export interface HostAsksParts {
  /** Whether somebody answers. */
  mayAsk: boolean;
  /** Whether asks and answers cross as texts: between processes. */
  asText: boolean;
  send(number: number, request: unknown): void;
}
interface OpenAsk {
  chars: number;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

export class HostAsks {
  readonly #parts: HostAsksParts;
  /** By number. Numbers rise. */
  readonly #open = new Map<number, OpenAsk>();
  #last = 0;
  #chars = 0;

  constructor(parts: HostAsksParts) {
    this.#parts = parts;
  }

  async ask(request: unknown): Promise<unknown> {
    const { mayAsk, asText, send } = this.#parts;
    if (!mayAsk) throw new ServiceError('control.UNAVAILABLE', { message: 'This system answers no host.' });
    const sent = asText ? this.#textOf(request) : request;
    const chars = asText ? (sent as string).length : 0;
    if (chars > tuning.askCharsMax) throw new ServiceError('control.INVALID_REQUEST', { message: 'The ask is too large.' });
    if (this.#open.size >= tuning.asksMax || this.#chars + chars > tuning.askCharsMax)
      throw new ServiceError('control.WORLD_BUSY', { details: { asksMax: tuning.asksMax } });
    const number = ++this.#last;
    this.#chars += chars;
    return await new Promise((resolve, reject) => {
      this.#open.set(number, { chars, resolve, reject });
      send(number, sent);
    });
  }

  answered(number: number, answer: Answer): void {
    const open = this.#close(number);
    try {
      const value = unwrap(answer);
      open?.resolve(this.#parts.asText ? plainOfText(value as string) : value);
    } catch (error) {
      open?.reject(error);
    }
  }

  /** It could not be sent. */
  unsent(number: number, cause: Error): void {
    this.#close(number)?.reject(unclonable(cause));
  }

  #textOf(request: unknown): string {
    try {
      return textOfPlain(request);
    } catch (error) {
      throw error instanceof ServiceError ? error : unclonable(error);
    }
  }

  #close(number: number): OpenAsk | undefined {
    const open = this.#open.get(number);
    this.#open.delete(number);
    this.#chars -= open?.chars ?? 0;
    return open;
  }
}

function unclonable(cause: unknown): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: 'The ask cannot be cloned.', cause });
}
