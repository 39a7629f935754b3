// Tools for tests, made of plain source text: the body of a behavior, without the compiler.
import { jsonDigest, sha256Digest } from '../../src/contract/digest.js';
import type { JsonObject, JsonValue } from '../../src/contract/json.js';
import type { CompiledTool } from '../../src/contract/run/build.js';
import { materializeManifest } from '../../src/contract/validate/defaults.js';
import type { Capability, ToolManifestInput } from '../../src/contract/world/tool-manifest.js';
import { bundleFunction } from '../../src/tools/ambient.js';
import { loadTool } from '../../src/tools/load.js';
import { type ContextCalls, ContextRefusal, type HandlerReturn, type ToolInstance } from '../../src/tools/loaded-tool.js';
import { threadRealm } from '../../src/tools/realm.js';

export const everyCapability: Capability[] = ['state.read', 'state.write', 'clock.read', 'clock.schedule', 'random.draw', 'event.emit'];

export function manifestOf(operations: readonly string[], rest: Partial<ToolManifestInput> = {}): ToolManifestInput {
  return {
    schemaVersion: 1,
    id: 'probe',
    version: '1.0.0',
    engine: '*',
    capabilities: everyCapability,
    state: [{ namespace: 'rows', schema: { type: 'object' } }],
    operations: operations.map((id) => ({ id, inputSchema: true, outputSchema: true, idempotency: 'none', fidelity: 'test' })),
    ...rest,
  };
}

/** `body` is statements that declare `behavior`, as a bundle does. */
export function compiledOf(body: string | null, input: ToolManifestInput): CompiledTool {
  const manifest = materializeManifest(input);
  const code = body === null ? undefined : bundleFunction(body);
  const manifestHash = jsonDigest(manifest as unknown as JsonValue);
  return {
    packageId: manifest.id,
    version: manifest.version,
    manifest,
    manifestHash,
    artifactHash: code === undefined ? manifestHash : sha256Digest(code),
    stateSchemaDigest: jsonDigest(manifest.state as unknown as JsonValue),
    behavior: code === undefined ? null : { code, codeHash: sha256Digest(code) },
  };
}

/** Rows in a Map, a clock that stands, events in a list. */
export class FakeWorld implements ContextCalls {
  readonly packageId = 'probe';
  readonly instanceId = 'probe';
  readonly rows = new Map<string, JsonObject>();
  readonly events: { eventId: string; text: string; atUs?: number }[] = [];
  readonly blobs = new Map<string, Buffer>();
  #drawn = 0n;

  actor(): JsonValue {
    return threadRealm().admit({ id: 'ann', attributes: { team: 'a' }, grants: [] }).value;
  }
  source(): unknown {
    return { kind: 'operation', operationId: 'x', callId: 'call_1' };
  }
  get(namespace: string, rowId: string): JsonObject | undefined {
    if (namespace !== 'rows') throw new ContextRefusal(`there is no namespace '${namespace}'`);
    if (rowId === 'bug') throw new RangeError('a bug of the host');
    return this.rows.get(rowId);
  }
  scan(_namespace: string, afterRowId: string | undefined, limit: number) {
    return [...this.rows]
      .filter(([rowId]) => afterRowId === undefined || rowId > afterRowId)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([rowId, value]) => ({ rowId, value }));
  }
  put(_namespace: string, rowId: string, value: JsonObject): void {
    if (value.refuse === true) throw new ContextRefusal('the row breaks its schema');
    this.rows.set(rowId, value);
  }
  delete(_namespace: string, rowId: string): boolean {
    return this.rows.delete(rowId);
  }
  nowUs(): number {
    return 1_000_000;
  }
  nextFloat(): number {
    return 0.25;
  }
  nextInteger(min: number): number {
    return min;
  }
  nextU64(): bigint {
    return ++this.#drawn;
  }
  emit(eventId: string, _payload: JsonObject, text: string): void {
    this.events.push({ eventId, text });
  }
  scheduleAt(eventId: string, _payload: JsonObject, text: string, atUs: number): string {
    this.events.push({ eventId, text, atUs });
    return `pending_${this.events.length}`;
  }
  cancel(scheduledEventId: string): boolean {
    return this.events.splice(Number(scheduledEventId.slice('pending_'.length)) - 1, 1).length === 1;
  }
  readBlob(digest: string): Uint8Array | undefined {
    return this.blobs.get(digest);
  }
  readBlobText(digest: string): string | undefined {
    return this.blobs.get(digest)?.toString();
  }
  putBlob(content: Uint8Array | string): { digest: string; length: number } {
    const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
    const digest = sha256Digest(bytes);
    this.blobs.set(digest, bytes);
    return { digest, length: bytes.length };
  }
  joinBlobs(digests: readonly string[]): { digest: string; length: number } {
    return this.putBlob(Buffer.concat(digests.map((digest) => this.blobs.get(digest) as Buffer)));
  }
}

export interface Probe {
  world: FakeWorld;
  instance: ToolInstance;
  /** Calls the one operation. */
  run(input?: JsonValue): HandlerReturn;
}

/** One operation, `x`, whose handler is the given expression. */
export function probe(handler: string, rest: Partial<ToolManifestInput> = {}): Probe {
  const tool = loadTool(compiledOf(`var behavior={default:{operations:{x:${handler}}}};`, manifestOf(['x'], rest)));
  const world = new FakeWorld();
  const instance = tool.instantiate(world);
  return { world, instance, run: (input = null) => instance.call('x', threadRealm().admit(input).value) };
}

/** What an expression, evaluated inside a handler, gives or throws. */
export function evaluate(expression: string): HandlerReturn {
  return probe(`(input, context) => (${expression})`).run();
}

export function resultOf(result: HandlerReturn): JsonValue {
  if (result.kind !== 'value') throw new Error(`expected a value, got ${JSON.stringify(result)}`);
  return plain(result.value);
}

/** A copy made of this realm's objects: deepEqual compares prototypes. */
export function plain<T>(value: T): T {
  return structuredClone(value);
}
