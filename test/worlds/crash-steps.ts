// Ends of a world's host, at rest and in the middle of a command, beside the reference model. When the host ends is up to the machine, so
// the world says which of the allowed things has happened, and has to be exactly that: a call whole or not at all, an advance up to one of
// its events.
import assert from 'node:assert/strict';
import { ServiceError } from '../../src/contract/errors.js';
import type { AdvanceResult } from '../../src/contract/world/world-protocol.js';
import type { Worlds } from '../../src/worlds/api.js';
import type { Bank } from './bank-kit.js';
import type { AdvanceView, ModelCall, Outcome, ReferenceModel } from './reference-model.js';

export interface Scene {
  worlds: Worlds;
  bank: Bank;
  model: ReferenceModel;
  compare(model: ReferenceModel): Promise<void>;
}
/** How a command in flight ended: answered, or refused with nothing, some or all of it done. */
export type CrashEnd = 'answered' | 'nothing' | 'part' | 'whole';

let advances = 0;

/** `turns`: of our event loop between the call and the end of its host. */
export async function crashInCall(
  { worlds, bank, model }: Scene,
  { call, send, turns }: { call: ModelCall; send(bank: Bank, call: ModelCall): Promise<Outcome>; turns: number },
): Promise<CrashEnd> {
  const { evidenceSequence } = await bank.position();
  const answer = await unlessRestarted(send(bank, call), crash(worlds, bank, turns));
  if (answer !== undefined) {
    assert.deepEqual(answer, model.call(call));
    return 'answered';
  }
  // Every call leaves an entry.
  const happened = (await bank.position()).evidenceSequence > evidenceSequence;
  if (happened) model.call(call);
  if (call.key !== undefined) assert.deepEqual(await send(bank, call), model.call(call), 'a retry gets the first answer');
  return happened ? 'whole' : 'nothing';
}

export async function crashInAdvance(
  scene: Scene,
  { targetUs, maxEvents, whenToCrash }: { targetUs: number; maxEvents: number; whenToCrash: () => Promise<unknown> },
): Promise<CrashEnd> {
  const { worlds, bank, model } = scene;
  const operationKey = `advance-${advances++}`;
  const advance = () => bank.run({ kind: 'advance', targetUs, maxEvents, operationKey });
  const { evidenceSequence } = await bank.position();
  const answering = advance();
  let result = await unlessRestarted(
    answering,
    whenToCrash().then(() => worlds.killHost(worlds.hostOf(bank.world.worldId))),
  );
  let end: CrashEnd = 'answered';
  if (result === undefined) {
    const part = (await bank.world.query({ kind: 'pending', limit: 1 })).advance;
    end = part !== undefined ? 'part' : (await bank.position()).evidenceSequence > evidenceSequence ? 'whole' : 'nothing';
    if (part !== undefined) await scene.compare(model.midAdvance(part.scheduledEventsProcessed));
    result = await advance();
  }
  assert.deepEqual(viewOf(result), model.advance(targetUs, maxEvents));
  await scene.compare(model);
  assert.deepEqual(await advance(), result, 'an advance with a key is done once');
  return end;
}

export function viewOf({ status, reachedUs, scheduledEventsProcessed, eventBudgetExhausted }: AdvanceResult): AdvanceView {
  return { status, reachedUs, processed: scheduledEventsProcessed, exhausted: eventBudgetExhausted };
}

export async function eventLoopTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function crash(worlds: Worlds, bank: Bank, turns: number): Promise<void> {
  await eventLoopTurns(turns);
  await worlds.killHost(worlds.hostOf(bank.world.worldId));
}

/** The answer once its host stands again; undefined when the command was refused because its host ended. */
async function unlessRestarted<T>(answering: Promise<T>, crashed: Promise<void>): Promise<T | undefined> {
  const [answer] = await Promise.allSettled([answering, crashed]);
  await crashed;
  if (answer.status === 'fulfilled') return answer.value;
  if (answer.reason instanceof ServiceError && answer.reason.code === 'world.ACTOR_RESTARTED') return undefined;
  throw answer.reason;
}
