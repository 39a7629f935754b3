// Commands that were done under an operation key: what each one asked and what it was answered, so that a repeat gets the first answer.
//   COMMAND-LOG-1. An answer is stored by the commit that stores what its command did: both are there, or neither.
//   COMMAND-LOG-2. They belong to the world and not to its timeline: no reset takes them back, no fork takes them along. They go with the
//     world.
// There is one record a keyed command, beside the entries it left in the journal, and it is as big as the answer.
import { jsonDigest } from '../../contract/digest.js';
import { ServiceError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import { checkJson } from '../../contract/json-check.js';
import { recordBounds } from '../../contract/json-fault.js';
import { doneCommandKey } from '../kv/keys.js';
import type { KvView } from '../kv/view.js';
import type { WriteSet } from '../kv/write-set.js';

export interface DoneCommand {
  requestHash: string;
  answer: JsonValue;
}

export class CommandLog {
  readonly #view: KvView;
  readonly #worldId: string;
  /** Not yet taken. */
  readonly #fresh = new Map<string, DoneCommand>();

  constructor(view: KvView, worldId: string) {
    this.#view = view;
    this.#worldId = worldId;
  }

  get hasFresh(): boolean {
    return this.#fresh.size > 0;
  }
  get(operationKey: string): DoneCommand | undefined {
    const fresh = this.#fresh.get(operationKey);
    if (fresh !== undefined) return fresh;
    const stored = this.#view.get(doneCommandKey(this.#worldId, operationKey));
    return stored === undefined ? undefined : (JSON.parse(stored.toString()) as DoneCommand);
  }
  put(operationKey: string, done: DoneCommand): void {
    this.#fresh.set(operationKey, done);
  }
  takeInto(set: WriteSet): void {
    for (const [operationKey, done] of this.#fresh) set.put(doneCommandKey(this.#worldId, operationKey), Buffer.from(JSON.stringify(done)));
    this.#fresh.clear();
  }
}

/**
 * Of everything a command asks for but its key, and who delivers what comes due meanwhile. control.INVALID_REQUEST where it is not JSON,
 * which has no hash.
 */
export function requestHashOf(command: object): string {
  const asked = { ...command, operationKey: undefined, delivering: undefined } as unknown as JsonValue;
  try {
    return jsonDigest(asked);
  } catch (error) {
    // Only then: the walk over a large command takes as long as its hash.
    const fault = checkJson(asked, recordBounds);
    if (fault === null) throw error;
    throw new ServiceError('control.INVALID_REQUEST', { message: `The command is not JSON: ${fault.path} ${fault.message}.` });
  }
}

export function requireSameRequest(operationKey: string, first: string, requestHash: string): void {
  if (first === requestHash) return;
  throw new ServiceError('control.IDEMPOTENCY_KEY_REUSED', {
    message: `The operation '${operationKey}' is another request.`,
    details: { operationKey },
  });
}
