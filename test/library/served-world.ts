// A world of a library package's conformance project, served to clients of its vendor; closed after the test.
import assert from 'node:assert/strict';
import type { createBindings as Create } from '../../src/bindings/create-bindings.js';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { defined } from '../../src/contract/defined.js';
import { createLocalWorld, type LocalWorld } from '../../src/index.js';
import { library } from './package-world.js';

export interface ServedWorld {
  local: LocalWorld;
  url: string;
  token: string;
  advance(byUs: number): Promise<void>;
}
interface Served {
  packageId: string;
  scenarioId?: string;
  actorId?: string;
  /** The API gets a port of its own, for a client that takes no path. */
  httpMounts?: 'port';
  engine?: NonNullable<Parameters<typeof Create>[0]>['engine'];
}

export async function serveWorld(
  context: { after(done: () => Promise<void>): void },
  { packageId, scenarioId, actorId = 'operator', httpMounts, engine }: Served,
): Promise<ServedWorld> {
  const local = await createLocalWorld({
    root: `${library}/${packageId}/conformance`,
    ...(scenarioId === undefined ? {} : { scenarioId }),
  });
  const bindings = createBindings(engine === undefined ? {} : { engine });
  context.after(async () => {
    await bindings.close();
    await local.close();
  });
  const { endpoints } = await bindings.open({ world: local.world, actorId, bindings: ['http'], ...defined({ httpMounts }) });
  const { url: base, token, mounts } = endpoints.http ?? assert.fail('no http endpoint');
  const url = httpMounts === undefined ? base : (mounts?.[packageId]?.url ?? assert.fail('no mount'));
  const advance = async (byUs: number): Promise<void> => {
    const { virtualTimeUs } = await local.position();
    const { status, failure } = await local.advance(virtualTimeUs + byUs);
    assert.equal(status, 'completed', JSON.stringify(failure));
  };
  return { local, url, token, advance };
}
