// A compiled build as text. Setups repeat each other: every scenario holds the world's rows, every drill its scenario's. Written down, each
// setup is there once, by its hash, and each row once, by its place in one list; read back, what is equal is shared again.
import type { CompiledBuild } from '../../contract/run/build.js';
import type { StatePatch, WorldSetup } from '../../contract/world/scenario.js';

interface PackedSetup extends Omit<WorldSetup, 'state'> {
  /** Places in `patches`. */
  state: number[];
}
interface PackedBuild extends Omit<CompiledBuild, 'baseline' | 'scenarios' | 'drills'> {
  patches: WorldSetup['state'];
  setups: { [setupHash: string]: PackedSetup };
  baseline: { setupHash: string };
  scenarios: Omit<CompiledBuild['scenarios'][number], 'setup'>[];
  drills: Omit<CompiledBuild['drills'][number], 'setup'>[];
}

export function packBuild(build: CompiledBuild): Uint8Array {
  const places = new Map<StatePatch, number>();
  const patches: WorldSetup['state'] = [];
  const placeOf = (patch: WorldSetup['state'][number]): number => {
    const place = places.get(patch) ?? patches.push(patch) - 1;
    places.set(patch, place);
    return place;
  };
  const setups: PackedBuild['setups'] = {};
  const keep = ({ setup, setupHash }: { setup: WorldSetup; setupHash: string }): void => {
    setups[setupHash] ??= { ...setup, state: setup.state.map(placeOf) };
  };
  for (const holder of [build.baseline, ...build.scenarios, ...build.drills]) keep(holder);
  const packed: PackedBuild = {
    ...build,
    patches,
    setups,
    baseline: { setupHash: build.baseline.setupHash },
    scenarios: build.scenarios.map(({ setup: _, ...scenario }) => scenario),
    drills: build.drills.map(({ setup: _, ...drill }) => drill),
  };
  return Buffer.from(JSON.stringify(packed));
}

export function unpackBuild(bytes: Uint8Array): CompiledBuild {
  const { patches, setups, baseline, scenarios, drills, ...build } = JSON.parse(Buffer.from(bytes).toString()) as PackedBuild;
  const whole = new Map(
    Object.entries(setups).map(([hash, { state, ...rest }]) => [
      hash,
      { ...rest, state: state.map((place) => patches[place]!) } as WorldSetup,
    ]),
  );
  const withSetup = <T extends { setupHash: string }>(holder: T): T & { setup: WorldSetup } => ({
    ...holder,
    setup: whole.get(holder.setupHash)!,
  });
  return { ...build, baseline: withSetup(baseline), scenarios: scenarios.map(withSetup), drills: drills.map(withSetup) };
}
