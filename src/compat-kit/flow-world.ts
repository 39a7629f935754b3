// A world of the package for one flow: the conformance project's, with the package's mount at the root of a recording proxy.
import { createBindings } from '../bindings/create-bindings.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import type { CompiledBuild } from '../contract/run/build.js';
import { mountMark } from '../contract/world/wire-mounts.js';
import { openWorld } from '../testing/open-world.js';
import type { CompatContext, CompatDefinition } from './definition.js';
import { type RecordedRequest, startRecordingProxy } from './recording-proxy.js';

export interface FlowPlace {
  /** The package's. */
  folder: string;
  /** Of the conformance project. */
  root: string;
  config?: string | undefined;
  packageId: string;
  /** Who asks. */
  actorId: string;
  scenarioId?: string | undefined;
  record(exchange: RecordedRequest, mount: string): void;
}
export interface FlowWorld {
  context: CompatContext;
  /** Past the recording. */
  mount: { url: string; token: string };
  close(): Promise<void>;
}

export async function openFlowWorld({ folder, root, packageId, actorId, record, ...start }: FlowPlace): Promise<FlowWorld> {
  const world = await openWorld({ root, ...defined(start) });
  const bindings = createBindings();
  const closing: (() => Promise<void>)[] = [() => bindings.close(), () => world.close()];
  const close = async (): Promise<void> => {
    for (const end of closing) await end();
  };
  try {
    // At a port the mount's paths are the vendor's own, which signatures cover.
    const { endpoints } = await bindings.open({ world: world.local.world, actorId, bindings: ['http'], httpMounts: 'port' });
    const { url: base, token, mounts = {} } = endpoints.http ?? { url: '', token: '' };
    const mount = mounts[packageId]?.url;
    if (mount === undefined) throw new ServiceError('control.INVALID_REQUEST', { message: `The package '${packageId}' has no routes.` });
    const { port, pathname } = new URL(mount);
    const proxy = await startRecordingProxy({
      port: Number(port),
      prefix: pathname.replace(/\/$/, ''),
      alsoCalled: [`${base}/${mountMark}${packageId}`],
      record: (exchange) => record(exchange, packageId),
    });
    closing.unshift(() => proxy.close());
    const tool = world.tool(packageId, { actorId });
    const context: CompatContext = {
      url: `http://127.0.0.1:${proxy.port}`,
      token,
      advance: async (byUs) => void (await world.advance({ byUs })),
      call: (operationId, args) => tool.call(operationId, args),
      folder,
    };
    return { context, mount: { url: mount, token }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Who is granted the most of the package's operations; of several, the first. */
export function chooseActor({ world }: CompiledBuild, packageId: string, { actorId }: Pick<CompatDefinition, 'actorId'>): string {
  const grantsOf = (actor: (typeof world.actors)[number]): number => actor.grants.filter((grant) => grant.packageId === packageId).length;
  const named = actorId === undefined ? world.actors : world.actors.filter(({ id }) => id === actorId);
  const [most] = named.toSorted((one, other) => grantsOf(other) - grantsOf(one));
  if (most !== undefined) return most.id;
  const message = actorId === undefined ? 'The world of the conformance project has no actor.' : `It has no actor '${actorId}'.`;
  throw new ServiceError('control.INVALID_REQUEST', { message });
}
