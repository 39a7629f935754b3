// One world of a library package, reset for each example of a law. Its actor may call everything; whatever it asks for, the behavior must
// not break.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JsonObject, JsonValue } from '../../src/contract/json.js';
import type { ToolOutcome } from '../../src/contract/world/evidence.js';
import { createLocalWorld, type LocalWorld } from '../../src/index.js';

export const library = fileURLToPath(new URL('../../../library', import.meta.url));

/** Every package that the library has: a test that goes through them misses none that is added. */
export const libraryPackages = readdirSync(library, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

export class PackageWorld {
  readonly #packageId: string;
  readonly #local: LocalWorld;
  #calls = 0;

  private constructor(packageId: string, local: LocalWorld) {
    this.#packageId = packageId;
    this.#local = local;
  }

  static async open(packageId: string): Promise<PackageWorld> {
    return new PackageWorld(packageId, await createLocalWorld({ root: `${library}/${packageId}/conformance` }));
  }

  async reset(): Promise<void> {
    await this.#local.world.command({ kind: 'reset' });
  }

  /** Calls as the operator, with a fresh key. A handler that broke, or failed with an error it does not declare, fails the test. */
  async call(operationId: string, args: JsonValue): Promise<ToolOutcome> {
    this.#calls += 1;
    const { outcome } = await this.#local.call({
      actorId: 'operator',
      packageId: this.#packageId,
      operationId,
      arguments: args,
      idempotencyKey: `call-${this.#calls}`,
    });
    const broken = outcome.kind !== 'ok' && ['HANDLER_FAILED', 'UNDECLARED_ERROR', 'INVALID_ARGUMENTS'].includes(outcome.error.code);
    assert.ok(!broken, `${operationId} ${JSON.stringify(args)}: ${JSON.stringify(outcome)}`);
    return outcome;
  }

  async advance(byUs: number): Promise<void> {
    const { virtualTimeUs } = await this.#local.position();
    const result = await this.#local.advance(virtualTimeUs + byUs);
    assert.equal(result.status, 'completed', JSON.stringify(result.failure));
  }

  async nowUs(): Promise<number> {
    return (await this.#local.position()).virtualTimeUs;
  }

  async rows<Row>(namespace: string): Promise<Row[]> {
    const rows: JsonObject[] = [];
    for await (const { value } of this.#local.state({ packageId: this.#packageId, namespace })) rows.push(value);
    return rows as Row[];
  }

  /** Payloads of the events that were emitted under this id. */
  async emitted(eventId: string): Promise<JsonObject[]> {
    const payloads: JsonObject[] = [];
    for await (const entry of this.#local.evidence()) {
      if (entry.kind === 'event' && entry.phase === 'emitted' && entry.event.eventId === eventId) payloads.push(entry.payload);
    }
    return payloads;
  }

  async close(): Promise<void> {
    await this.#local.close();
  }
}
