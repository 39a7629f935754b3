// Faults of one world: which are active, and when an active one fires.
// A fault considers a call, or an attempt to deliver, when it is active, applies to the operation (the callback) and the clock is in its
// window. Of those looks, `everyNth` takes each n-th, `times` the first so many firings, `rate` a share by the seeded stream; they combine
// by "and", and chance is drawn last. The counters belong to the calls, not to their effects: no rollback takes them back. Switching a
// fault on counts afresh.
import type { ToolFault } from '../../contract/world/tool-manifest.js';
import type { FaultView } from '../../contract/world/world-protocol.js';
import type { LoadedTool } from '../../tools/loaded-tool.js';
import type { CounterEntries, Counters } from './counters.js';
import type { Program } from './program.js';
import type { RandomStreams } from './random-streams.js';

interface FaultState {
  active: boolean;
  looks: number;
  fired: number;
}
export interface FaultPlace {
  packageId: string;
  instanceId: string;
}

const idle: FaultState = { active: false, looks: 0, fired: 0 };
const fresh: FaultState = { active: true, looks: 0, fired: 0 };

export class Faults {
  readonly #program: Program;
  readonly #counters: Counters;
  readonly #streams: RandomStreams;

  constructor(program: Program, counters: Counters, streams: RandomStreams) {
    this.#program = program;
    this.#counters = counters;
    this.#streams = streams;
  }

  /** True when that changed anything. */
  set(place: FaultPlace, faultId: string, active: boolean): boolean {
    const state = this.#state(place, faultId);
    if (state.active === active) return false;
    this.#save(place, faultId, active ? fresh : { ...state, active });
    return true;
  }

  /**
   * Faults of this timing that fire at the call or the delivery, in the manifest's order. `target`: the operation, or the callback.
   * `first`: stops at the first, and those after it do not look.
   */
  firing(
    tool: LoadedTool,
    place: FaultPlace,
    call: { target: string; nowUs: number; timing: ToolFault['timing']; first: boolean },
  ): ToolFault[] {
    const fired: ToolFault[] = [];
    for (const fault of tool.faults.values()) {
      if (fault.timing !== call.timing || !fault.appliesTo.includes(call.target)) continue;
      if (!this.#looks(place, fault, call.nowUs)) continue;
      fired.push(fault);
      if (call.first) break;
    }
    return fired;
  }

  #looks(place: FaultPlace, fault: ToolFault, nowUs: number): boolean {
    const state = this.#state(place, fault.id);
    if (!state.active || nowUs < (fault.fromUs ?? -Infinity) || nowUs >= (fault.untilUs ?? Infinity)) return false;
    const looks = state.looks + 1;
    const fires =
      looks % (fault.everyNth ?? 1) === 0 &&
      state.fired < (fault.times ?? Infinity) &&
      (fault.rate === undefined || this.#streams.nextFloat({ ...place, purpose: `fault:${fault.id}` }) < fault.rate);
    this.#save(place, fault.id, { active: true, looks, fired: state.fired + (fires ? 1 : 0) });
    return fires;
  }

  /** Every fault of every instance, packages in build order. */
  views(): FaultView[] {
    return [...this.#program.tools.values()].flatMap((tool) =>
      (this.#program.instances.get(tool.packageId) ?? []).flatMap((instanceId) =>
        [...tool.faults.keys()].map((faultId) => {
          const { active, fired } = this.#state({ packageId: tool.packageId, instanceId }, faultId);
          return { packageId: tool.packageId, instanceId, faultId, active, triggered: fired };
        }),
      ),
    );
  }

  /** The package's faults as they were in earlier counters. */
  restore(packageId: string, origin: CounterEntries): void {
    this.#counters.restoreWhere((key) => key.startsWith(`fault ${packageId} `), origin);
  }

  #state({ packageId, instanceId }: FaultPlace, faultId: string): FaultState {
    const saved = this.#counters.get(faultKey({ packageId, instanceId }, faultId)) as [0 | 1, number, number] | undefined;
    if (saved !== undefined) return { active: saved[0] === 1, looks: saved[1], fired: saved[2] };
    const selected = this.#program.setup.faults.some(
      (fault) => fault.packageId === packageId && (fault.instanceId ?? packageId) === instanceId && fault.faultId === faultId,
    );
    return selected ? fresh : idle;
  }
  #save(place: FaultPlace, faultId: string, { active, looks, fired }: FaultState): void {
    this.#counters.set(faultKey(place, faultId), [active ? 1 : 0, looks, fired]);
  }
}

const faultKey = ({ packageId, instanceId }: FaultPlace, faultId: string): string => `fault ${packageId} ${instanceId} ${faultId}`;
