// Before the first attempt each tool is loaded once, in a world of its own: one that cannot be would fail every call that an agent makes of
// it, which reads as the agent's trouble, and a drill that asks for no more than a call would pass.
import { ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import type { CompiledBuild } from '../contract/run/build.js';
import type { WorldRef, Worlds } from '../worlds/api.js';
import type { PlaceOfHandler } from './attempt/attempt-context.js';
import type { PlannedDrill } from './plan/plan.js';

/** Rejects with world.HANDLER_FAILED, or world.HANDLER_TIMEOUT where a module does not end. What else goes wrong, the attempts tell. */
export async function requireLoadableTools(
  worlds: Worlds,
  { build, drill, placeOfHandler }: { build: CompiledBuild; drill: PlannedDrill | undefined; placeOfHandler: PlaceOfHandler },
): Promise<void> {
  const trial = drill?.trials[0];
  if (drill === undefined || trial === undefined || build.tools.every(({ behavior }) => behavior === null)) return;
  const { setup, setupHash } = drill;
  let world: WorldRef | undefined;
  try {
    world = await worlds.create({
      worldId: newId('run'),
      build,
      setup,
      setupHash,
      seed: { ...trial, attempt: 1 },
      placement: { host: 0 },
      isNew: true,
      isChecked: true,
    });
    await loadEachTool(world, build);
  } catch (error) {
    if (error instanceof ServiceError && fatal.has(error.code)) throw namingFile(error, { build, placeOfHandler });
  } finally {
    await world?.destroy().catch(() => {});
  }
}

/** One by one, so that an error names its tool, whatever it is. */
export async function loadEachTool(world: WorldRef, { tools }: CompiledBuild): Promise<void> {
  for (const { packageId } of tools) await world.query({ kind: 'checkTools', packageId });
}

const fatal = new Set<string>(['world.HANDLER_FAILED', 'world.HANDLER_TIMEOUT']);

/** A tool that cannot be loaded, with its module: an error of tool code has no stack. Anything else is as it was. */
export function namingFile<E>(
  error: E,
  { build, placeOfHandler }: { build: CompiledBuild; placeOfHandler: PlaceOfHandler },
): E | ServiceError {
  if (!(error instanceof ServiceError)) return error;
  const packageId = error.extra.details?.packageId;
  const tool = build.tools.find((one) => one.packageId === packageId);
  const known = [...(tool?.manifest.operations.map(({ id }) => id) ?? []), 'operations'];
  const file = known.map((id) => placeOfHandler(String(packageId), id)?.file).find((path) => path !== undefined);
  if (tool === undefined || file === undefined) return error;
  return new ServiceError(error.code, {
    ...error.extra,
    message: error.message.replace(' cannot be loaded', ` (${file}) cannot be loaded`),
  });
}
