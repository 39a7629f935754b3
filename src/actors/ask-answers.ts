// Answers what one incarnation of a host asks: the system's side. The other one is host-asks.ts.
//   ASK-ANSWERS-1. Asks are given to the answerer in the order in which they were sent.
//   ASK-ANSWERS-2. A host that asks more than it may, in another shape, or what is wrong (WrongAsk) is ended; an incarnation that is
//     over is answered nothing.
// Answers that are there at the end of a turn of the event loop leave in one envelope.
import { type ErrorFrame, errorToFrame, ServiceError } from '../contract/errors.js';
import { structureFits } from '../processes/json-messages.js';
import { plainOfText, textOfPlain } from './byte-text.js';
import { type Envelope, postAnswers, writeAnswer } from './frames.js';
import { type Answer, answer } from './host-port.js';
import { tuning } from './tuning.js';

/** Thrown by an answerer of an ask that no host of its kind makes: the host is ended. */
export class WrongAsk extends Error {
  override name = 'WrongAsk';
}

export interface AskAnswersParts {
  /** Absent: nobody answers, so nothing may be asked. */
  answer: ((request: unknown) => Promise<unknown>) | undefined;
  asText: boolean;
  post(envelope: Envelope): void;
  /** Ends the host. */
  refuse(reason: string): void;
  /** Reports a bug of the answerer; the frame is what the host gets. */
  bug(error: unknown): ErrorFrame;
}

export class AskAnswers {
  readonly #parts: AskAnswersParts;
  #last = 0;
  #open = 0;
  #chars = 0;
  #isOver = false;
  /** Answers that leave at the end of this turn, and the characters of their texts. */
  #gathered: Envelope = [];
  #gatheredChars = 0;

  constructor(parts: AskAnswersParts) {
    this.#parts = parts;
  }

  take(number: number, request: unknown): void {
    if (this.#isOver) return;
    const fault = this.#faultOf(number, request);
    if (fault !== undefined) {
      this.#refuse(fault);
      return;
    }
    let plain = request;
    try {
      if (this.#parts.asText) plain = plainOfText(request as string);
    } catch {
      this.#refuse('it asked in a text that is no data');
      return;
    }
    const chars = this.#parts.asText ? (request as string).length : 0;
    this.#last = number;
    this.#open++;
    this.#chars += chars;
    void this.#answer(number, plain).finally(() => {
      this.#open--;
      this.#chars -= chars;
    });
  }

  /** The incarnation is over. */
  end(): void {
    this.#isOver = true;
  }

  #faultOf(number: number, request: unknown): string | undefined {
    if (this.#parts.answer === undefined) return 'it asked what nobody answers';
    if (number <= this.#last) return 'it asked out of order';
    if (this.#open >= tuning.asksMax) return 'it asked more than it may at once';
    if (!this.#parts.asText) return undefined;
    if (typeof request !== 'string') return 'it asked in no text';
    if (!structureFits(request, tuning.askStructureCharsMax)) return 'it asked in a text of too many parts';
    return this.#chars + request.length > tuning.askCharsMax ? 'what it asked is too large' : undefined;
  }

  #refuse(reason: string): void {
    this.end();
    this.#parts.refuse(reason);
  }

  #judged(error: unknown, bug: AskAnswersParts['bug']): ErrorFrame {
    if (!(error instanceof WrongAsk)) return bug(error);
    if (!this.#isOver) this.#refuse(error.message);
    return errorToFrame(new ServiceError('control.INVALID_REQUEST', { message: error.message }));
  }

  async #answer(number: number, request: unknown): Promise<void> {
    const { answer: answerer, asText, bug } = this.#parts;
    const found = await answer(
      async () => await answerer?.(request),
      (error) => this.#judged(error, bug),
    );
    let sent: Answer = found;
    try {
      if (asText && found.ok) sent = { ok: true, value: textOfPlain(found.value) };
    } catch (error) {
      sent = unsendable(error);
    }
    this.#gather(number, sent);
  }

  #gather(number: number, sent: Answer): void {
    const chars = sent.ok && typeof sent.value === 'string' ? sent.value.length : 0;
    if (this.#gatheredChars + chars > tuning.askCharsMax) this.#send();
    if (this.#gathered.length === 0) process.nextTick(() => this.#send());
    writeAnswer(this.#gathered, number, sent);
    this.#gatheredChars += chars;
  }

  #send(): void {
    const envelope = this.#gathered;
    this.#gathered = [];
    this.#gatheredChars = 0;
    if (this.#isOver || envelope.length === 0) return;
    postAnswers(envelope, this.#parts.post, (number, cause) => {
      const refusal: Envelope = [];
      writeAnswer(refusal, number, unsendable(cause));
      this.#parts.post(refusal);
    });
  }
}

function unsendable(cause: unknown): Answer {
  return { ok: false, error: errorToFrame(new ServiceError('control.INVALID_REQUEST', { message: 'The answer cannot be sent.', cause })) };
}
