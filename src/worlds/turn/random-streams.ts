// The streams of one world, one for each (package instance, purpose), made at their first draw and kept in the counters.
// A draw stays drawn when its turn is rolled back: a retry of a handler that failed by chance must not fail by the same chance.
import type { RandomEntry } from '../../contract/world/evidence.js';
import type { Counters } from './counters.js';
import { nextFloat, nextInteger, nextU64, type StreamState, splitStream } from './random-stream.js';

export type Draw = Pick<RandomEntry, 'packageId' | 'instanceId' | 'purpose' | 'method' | 'value'>;
export interface StreamName {
  packageId: string;
  instanceId: string;
  purpose: string;
}

export class RandomStreams {
  /** Called with every draw. */
  onDraw: ((draw: Draw) => void) | undefined;
  readonly #seed: string;
  readonly #counters: Counters;

  constructor(seed: string, counters: Counters) {
    this.#seed = seed;
    this.#counters = counters;
  }

  nextFloat(name: StreamName): number {
    return this.#draw(name, 'nextFloat', nextFloat);
  }
  nextInteger(name: StreamName, min: number, maxExclusive: number): number {
    return this.#draw(name, 'nextInteger', (state) => nextInteger(state, min, maxExclusive));
  }
  nextU64(name: StreamName): bigint {
    return this.#draw(name, 'nextU64', nextU64);
  }

  #draw<T extends number | bigint>(
    { packageId, instanceId, purpose }: StreamName,
    method: Draw['method'],
    from: (state: StreamState) => T,
  ): T {
    const key = `random ${packageId} ${instanceId} ${purpose}`;
    const known = this.#counters.get(key) as StreamState | undefined;
    const state: StreamState = known === undefined ? splitStream(this.#seed, [packageId, instanceId, purpose]) : [...known];
    const value = from(state);
    this.#counters.set(key, state);
    this.onDraw?.({ packageId, instanceId, purpose, method, value: typeof value === 'bigint' ? value.toString() : value });
    return value;
  }
}
