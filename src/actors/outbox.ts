// What leaves a host: frames gathered until the present turn of the event loop has run out of work, then one envelope.
import { type ErrorFrame, errorToFrame, ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import { isStoredDamage } from '../contract/stored-damage.js';
import type { CommandEntry } from './cell.js';
import { type Envelope, postToCaller, writeToCaller } from './frames.js';

export class MailOutbox {
  #envelope: Envelope = [];
  readonly #post: (envelope: Envelope) => void;
  readonly #unasked: (number: number, cause: Error) => void;

  /** `unasked`: an ask that could not be sent. */
  constructor(post: (envelope: Envelope) => void, unasked: (number: number, cause: Error) => void = () => {}) {
    this.#post = post;
    this.#unasked = unasked;
  }

  ask(number: number, request: unknown): void {
    this.#scheduleFlush();
    writeToCaller.ask(this.#envelope, number, request);
  }

  reply(slot: number, value: unknown): void {
    this.#scheduleFlush();
    writeToCaller.reply(this.#envelope, slot, value);
  }

  refuse(slot: number, error: ErrorFrame): void {
    this.#scheduleFlush();
    writeToCaller.refusal(this.#envelope, slot, error);
  }

  progress(slot: number, value: unknown): void {
    this.#scheduleFlush();
    writeToCaller.progress(this.#envelope, slot, value);
  }

  /** Sends what a finished command came to. */
  settle(entry: CommandEntry): void {
    const outcome = entry.outcome!;
    if ('reply' in outcome) this.reply(entry.slot, outcome.reply);
    else this.refuse(entry.slot, outcome.refusal);
  }

  /** Reports a bug to the log; the frame is what its callers get. */
  bug(actorId: string, error: unknown): ErrorFrame {
    const correlationId = newId('corr');
    this.#scheduleFlush();
    writeToCaller.failure(this.#envelope, {
      actorId,
      correlationId,
      stack: error instanceof Error ? (error.stack ?? String(error)) : String(error),
    });
    const [code, message] = isStoredDamage(error)
      ? (['control.DATA_DAMAGED', 'What is stored of this actor is damaged; nothing was changed, and the log names the file.'] as const)
      : (['control.INTERNAL', 'The actor failed; its log has the cause.'] as const);
    return errorToFrame(new ServiceError(code, { message, details: { correlationId } }));
  }

  flush(): void {
    const envelope = this.#envelope;
    if (envelope.length === 0) return;
    this.#envelope = [];
    postToCaller(envelope, this.#post, {
      reply: (slot, error) => this.refuse(slot, this.bug('', error)),
      ask: this.#unasked,
    });
  }

  /** The tick queue runs after all promise reactions, so the replies of a whole commit and what they wake travel together. */
  #scheduleFlush(): void {
    if (this.#envelope.length === 0) process.nextTick(() => this.flush());
  }
}
