// A tool at its place in one world: (package, instance). Answers what its handlers ask of their context, and holds their behavior.
// What is refused here (an unknown namespace, a broken schema) is an error the handler sees and may catch.
import { type Issue, ServiceError } from '../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { ActorName } from '../../contract/world/persona.js';
import type { ToolCallback } from '../../contract/world/tool-manifest.js';
import type { WireRequest } from '../../contract/world/wire.js';
import {
  type ContextCalls,
  ContextRefusal,
  type DecodeResult,
  type EncodeResult,
  type HandlerFault,
  type HandlerReturn,
  type HandlerThrow,
  type LoadedEvent,
  type LoadedTool,
  type MalformedMessage,
  type ToolCodecs,
  type ToolInstance,
  type Validate,
  type WholeMessage,
} from '../../tools/loaded-tool.js';
import { isStackExhausted } from '../../tools/stack-reserve.js';
import type { EventShape } from '../journal/journal.js';
import { mintedId, ordinalOfId } from '../kv/minted-ids.js';
import type { ScheduledEvent, ScheduledRef } from '../state/event-queue.js';
import type { Space } from '../state/space.js';
import { callbacksOf, queueCallbacks } from './callback-queue.js';
import { type EventName, notScheduled, type Turn } from './turn.js';
import { joinBlobs, putBlob } from './turn-blobs.js';

interface NamespaceEntry {
  readonly space: Space;
  readonly validate: Validate;
}
interface EventEntry {
  readonly name: EventName;
  readonly loaded: LoadedEvent;
  readonly emitted: EventShape;
  readonly callbacks: readonly ToolCallback[];
}

export class WorldTool implements ContextCalls {
  readonly packageId: string;
  readonly instanceId: string;
  readonly tool: LoadedTool;
  readonly #turn: Turn;
  readonly #freshModulePerTurn: boolean;
  readonly #namespaces = new Map<string, NamespaceEntry>();
  readonly #events = new Map<string, EventEntry>();
  #behavior: ToolInstance | undefined;
  #behaviorSerial = 0;
  #codecs: ToolCodecs | undefined;

  /** `freshModulePerTurn`: the module is evaluated again for every turn, so that what it keeps in variables shows. */
  constructor(tool: LoadedTool, instanceId: string, { turn, freshModulePerTurn }: { turn: Turn; freshModulePerTurn: boolean }) {
    this.tool = tool;
    this.packageId = tool.packageId;
    this.instanceId = instanceId;
    this.#turn = turn;
    this.#freshModulePerTurn = freshModulePerTurn;
  }

  call(operationId: string, input: JsonValue): HandlerReturn {
    const behavior = this.#behavior === undefined || this.#freshModulePerTurn ? this.#awaken() : this.#behavior;
    let returned: HandlerReturn;
    try {
      returned = 'kind' in behavior ? behavior : behavior.call(operationId, input);
    } catch (error) {
      returned = this.#exhausted(error);
    }
    returned = this.#turn.budget.fault() ?? returned;
    if (returned.kind === 'thrown') this.#report(operationId, returned);
    return returned;
  }
  handle(subscriptionId: string, payload: JsonValue): HandlerFault | null {
    const behavior = this.#behavior === undefined || this.#freshModulePerTurn ? this.#awaken() : this.#behavior;
    let fault: HandlerFault | null;
    try {
      fault = 'kind' in behavior ? behavior : behavior.handle(subscriptionId, payload);
    } catch (error) {
      fault = this.#exhausted(error);
    }
    fault = this.#turn.budget.fault() ?? fault;
    if (fault?.kind === 'thrown') this.#report(subscriptionId, fault);
    return fault;
  }
  decodeHttp(routeId: string, request: WireRequest): DecodeResult {
    return this.#code(routeId, (codecs) => codecs.decodeHttp(routeId, request));
  }
  encodeHttp(routeId: string, input: unknown): EncodeResult {
    return this.#code(routeId, (codecs) => codecs.encodeHttp(routeId, input));
  }
  encodeRefusal(input: unknown): EncodeResult<WholeMessage> {
    return this.#code('refuse', (codecs) => codecs.encodeRefusal(input));
  }
  encodeCallback(callbackId: string, input: unknown): EncodeResult<WholeMessage> {
    return this.#code(callbackId, (codecs) => codecs.encodeCallback(callbackId, input));
  }
  /** A codec sees no state; a module that throws while it loads has none. */
  #code<R extends DecodeResult | EncodeResult | EncodeResult<WholeMessage>>(
    id: string,
    run: (codecs: ToolCodecs) => R,
  ): R | MalformedMessage {
    try {
      if (this.#codecs === undefined || this.#freshModulePerTurn) this.#codecs = this.tool.codecs();
      const result = run(this.#codecs);
      if (result.kind === 'thrown') this.#report(id, result);
      return result;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { kind: 'misshapen', message: error.message };
    }
  }
  /** A handler that called the context with its stack nearly full has failed like one that overflows by itself. */
  #exhausted(error: unknown): HandlerThrow {
    if (!isStackExhausted(error) || this.#turn.isChanging) throw error;
    return { kind: 'thrown', message: 'RangeError', detail: 'RangeError: Maximum call stack size exceeded' };
  }
  #report(handlerId: string, { message, detail }: HandlerThrow): void {
    const { throws } = this.#turn;
    const isNew =
      throws.length < limits.keptThrowsMax && !throws.some((one) => one.packageId === this.packageId && one.handlerId === handlerId);
    if (isNew) throws.push({ packageId: this.packageId, handlerId, detail: detail || message });
    if (detail !== '' && detail !== message)
      this.#turn.report(`'${handlerId}' of tool '${this.packageId}' (${this.instanceId}): ${detail}`);
  }
  /** A module that throws while it loads fails each of its calls. */
  #awaken(): ToolInstance | HandlerThrow {
    if (this.#behavior !== undefined && this.#behaviorSerial === this.#turn.serial) return this.#behavior;
    try {
      this.#behavior = this.tool.instantiate(this);
      this.#behaviorSerial = this.#turn.serial;
      return this.#behavior;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { kind: 'thrown', message: error.message, detail: error.message };
    }
  }

  actor(): JsonValue {
    this.#turn.enterCall();
    return this.#turn.persona?.admitted ?? null;
  }
  source(): unknown {
    this.#turn.enterCall();
    const { source, scheduledOrdinal, storage } = this.#turn;
    if (source?.kind === 'operation') {
      return { kind: 'operation', operationId: source.operationId, callId: mintedId('call_', storage.tag, source.sequence) };
    }
    if (source?.kind !== 'event') return null;
    const { event, subscriptionId } = source;
    const scheduledEventId = scheduledOrdinal === notScheduled ? undefined : mintedId('pending_', storage.tag, scheduledOrdinal);
    return { kind: 'event', event, subscriptionId, scheduledEventId };
  }

  get(namespace: string, rowId: string): JsonObject | undefined {
    const turn = this.#turn;
    turn.enterCall();
    const { space } = this.#namespace(namespace);
    turn.isChanging = true;
    const value = turn.storage.records.get(space, rowId);
    turn.isChanging = false;
    return value;
  }
  scan(namespace: string, afterRowId: string | undefined, limit: number): readonly { rowId: string; value: JsonObject }[] {
    const turn = this.#turn;
    turn.enterCall();
    const { space } = this.#namespace(namespace);
    turn.isChanging = true;
    const rows = turn.storage.records.scan(space, { afterRowId, limit });
    turn.isChanging = false;
    turn.budget.spendCalls(rows.length);
    return rows;
  }
  put(namespace: string, rowId: string, value: JsonObject, text: string): void {
    const turn = this.#turn;
    turn.enterCall();
    const { space, validate } = this.#namespace(namespace);
    const issues = validate(value);
    if (issues !== null) throw new ContextRefusal(`row '${rowId}' of '${namespace}' breaks its schema: ${issuesText(issues)}`);
    turn.budget.spendWrite(rowId, text);
    turn.isChanging = true;
    turn.storage.records.put(space, rowId, value, text);
    turn.isChanging = false;
  }
  delete(namespace: string, rowId: string): boolean {
    const turn = this.#turn;
    turn.enterCall();
    const { space } = this.#namespace(namespace);
    turn.budget.spendWrite(rowId, '');
    turn.isChanging = true;
    const isDeleted = turn.storage.records.delete(space, rowId);
    turn.isChanging = false;
    return isDeleted;
  }

  nowUs(): number {
    this.#turn.enterCall();
    return this.#turn.clock.nowUs;
  }
  nextFloat(): number {
    const turn = this.#beginDraw();
    const value = turn.streams.nextFloat(this.#stream);
    turn.isChanging = false;
    return value;
  }
  nextInteger(min: number, maxExclusive: number): number {
    const turn = this.#beginDraw();
    const value = turn.streams.nextInteger(this.#stream, min, maxExclusive);
    turn.isChanging = false;
    return value;
  }
  nextU64(): bigint {
    const turn = this.#beginDraw();
    const value = turn.streams.nextU64(this.#stream);
    turn.isChanging = false;
    return value;
  }
  #beginDraw(): Turn {
    const turn = this.#turn;
    turn.enterCall();
    if (turn.recordRandom) turn.budget.spendEntry();
    turn.isChanging = true;
    return turn;
  }

  emit(eventId: string, payload: JsonObject, payloadText: string): void {
    const turn = this.#turn;
    turn.enterCall();
    const { name, emitted, callbacks } = this.#event(eventId, payload);
    const { emissions, storage, budget } = turn;
    if (emissions.length >= limits.cascadeDeliveriesMax)
      throw new ContextRefusal(`more than ${limits.cascadeDeliveriesMax} events in one turn`);
    budget.spendWrite(eventId, payloadText);
    for (let left = callbacks.length; left > 0; left--) budget.spendWrite('', payloadText);
    turn.isChanging = true;
    const sequence = storage.journal.draftEvent(emitted, { payloadText, causeSequence: storage.journal.causeSequence });
    emissions.push({ event: name, payload, payloadText, sequence });
    if (callbacks.length > 0) queueCallbacks(turn, callbacks, { event: name, payloadText, sequence });
    turn.isChanging = false;
  }
  /** A time that has passed means now. */
  scheduleAt(eventId: string, payload: JsonObject, payloadText: string, virtualTimeUs: number): string {
    const turn = this.#turn;
    turn.enterCall();
    const { name } = this.#event(eventId, payload);
    const { storage, clock, persona, budget } = turn;
    budget.spendWrite(eventId, payloadText);
    turn.isChanging = true;
    const target = scheduleTarget(storage, name, persona?.name);
    const ordinal = scheduleEvent(storage, target, { atUs: clock.notBeforeNow(virtualTimeUs), payloadText });
    turn.isChanging = false;
    return mintedId('pending_', storage.tag, ordinal);
  }
  /** Of its own events. A fork has the events of its parent under their ordinals, and a row may hold their ids. */
  cancel(scheduledEventId: string): boolean {
    const turn = this.#turn;
    turn.enterCall();
    const { queue, journal } = turn.storage;
    const ordinal = ordinalOfId(scheduledEventId, 'pending_');
    const event = ordinal === undefined ? undefined : queue.get(ordinal);
    if (event === undefined || event.ref.packageId !== this.packageId || event.ref.instanceId !== this.instanceId) return false;
    turn.budget.spendWrite(event.ref.eventId, event.payloadText);
    turn.isChanging = true;
    queue.cancel(event.ordinal);
    draftCancelled(journal, event);
    turn.isChanging = false;
    return true;
  }

  readBlob(digest: string, from: number, length: number | undefined): Uint8Array | undefined {
    this.#turn.enterCall();
    return this.#turn.storage.blobs.read(digest, length === undefined ? { from } : { from, length });
  }
  readBlobText(digest: string): string | undefined {
    this.#turn.enterCall();
    return this.#turn.storage.blobs.read(digest)?.toString('utf8');
  }
  putBlob(content: Uint8Array | string): { digest: string; length: number } {
    this.#turn.enterCall();
    return this.#change(() => putBlob(this.#turn.storage, content));
  }
  joinBlobs(digests: readonly string[]): { digest: string; length: number } {
    this.#turn.enterCall();
    this.#turn.budget.spendCalls(digests.length);
    return this.#change(() => joinBlobs(this.#turn.storage, digests));
  }
  /** A refusal leaves nothing half done. */
  #change<T>(work: () => T): T {
    const turn = this.#turn;
    turn.isChanging = true;
    try {
      const made = work();
      turn.isChanging = false;
      return made;
    } catch (error) {
      if (error instanceof ContextRefusal) turn.isChanging = false;
      throw error;
    }
  }

  get #stream() {
    return { packageId: this.packageId, instanceId: this.instanceId, purpose: 'behavior' };
  }
  #namespace(namespace: string): NamespaceEntry {
    return this.#namespaces.get(namespace) ?? this.#openNamespace(namespace);
  }
  #openNamespace(namespace: string): NamespaceEntry {
    const loaded = this.tool.namespaces.get(namespace);
    if (loaded === undefined) throw new ContextRefusal(`the manifest declares no namespace '${namespace}'`);
    this.#turn.isChanging = true;
    const opened = { space: this.#turn.storage.records.space(this.packageId, this.instanceId, namespace), validate: loaded.validate };
    this.#namespaces.set(namespace, opened);
    this.#turn.isChanging = false;
    return opened;
  }
  #event(eventId: string, payload: JsonObject): EventEntry {
    let event = this.#events.get(eventId);
    if (event === undefined) {
      const loaded = this.tool.events.get(eventId);
      if (loaded === undefined) throw new ContextRefusal(`the manifest declares no event '${eventId}'`);
      const name = { packageId: this.packageId, instanceId: this.instanceId, eventId };
      const emitted = this.#turn.storage.journal.eventShape({ event: name, phase: 'emitted' });
      event = { name, loaded, emitted, callbacks: callbacksOf(this.tool.manifest, eventId) };
      this.#events.set(eventId, event);
    }
    const issues = event.loaded.validatePayload(payload);
    if (issues !== null) throw new ContextRefusal(`the payload of '${eventId}' breaks its schema: ${issuesText(issues)}`);
    return event;
  }
}

/** Who an event is scheduled for, interned: hold it, do not make it per event. */
export interface ScheduleTarget {
  readonly scheduled: EventShape;
  readonly ref: ScheduledRef;
}
export function scheduleTarget({ journal, queue }: Turn['storage'], event: EventName, actor: ActorName | undefined): ScheduleTarget {
  const who = actor === undefined ? undefined : { actorId: actor.actorId, actorInstanceId: actor.actorInstanceId };
  return { scheduled: journal.eventShape({ event, phase: 'scheduled', actor: who }), ref: queue.ref({ ...event, ...who }) };
}
/** Queues an event and drafts its `scheduled` entry, caused by what runs now. Returns its ordinal. */
export function scheduleEvent(
  { journal, queue }: Turn['storage'],
  { scheduled, ref }: ScheduleTarget,
  { atUs, payloadText }: { atUs: number; payloadText: string },
): number {
  const causeSequence = journal.draftQueued(scheduled, payloadText, queue.nextOrdinal, atUs, journal.causeSequence);
  return queue.schedule({ atUs, ref, payloadText, causeSequence });
}

export function draftCancelled(
  journal: Turn['storage']['journal'],
  { ref, ordinal, atUs, payloadText, causeSequence }: ScheduledEvent,
): void {
  const { packageId, instanceId, eventId } = ref;
  const shape = journal.eventShape({ event: { packageId, instanceId, eventId }, phase: 'cancelled' });
  journal.draftEvent(shape, {
    payloadText,
    scheduledOrdinal: ordinal,
    scheduledForUs: atUs,
    causeSequence: journal.causeSequence || causeSequence,
  });
}

/** For people and evidence: the first few, each with its path. */
export function issuesText(issues: readonly Issue[]): string {
  return issues
    .slice(0, 5)
    .map(({ path, message }) => `${path === '' ? 'the value' : path} ${message}`)
    .join('; ');
}
