// One tool package by itself, in a world that holds nothing else: its rows are the test's, its one actor may call everything.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileProject } from '../compiler/compile.js';
import { glancePackage } from '../compiler/package-glance.js';
import { setupDigest } from '../compiler/setups.js';
import { defined } from '../contract/defined.js';
import type { JsonObject } from '../contract/json.js';
import { type OptionShapes, optionShapes, requireOptions } from '../contract/known-options.js';
import type { CompiledBuild } from '../contract/run/build.js';
import type { StatePatch, WorldSetup } from '../contract/world/scenario.js';
import type { Access } from '../drills/ports/bindings-port.js';
import { SourceInvalidError } from '../drills/source-invalid.js';
import { openLocalWorld } from '../local-world.js';
import type { ToolTypes } from '../tools/sdk.js';
import type { LocalIsolation } from '../worlds/local-worlds.js';
import { type CallPlace, callerOf, placedForAuthor } from './mock-places.js';
import { explained, type TestWorld, testWorld } from './open-world.js';
import type { Rows, TestTool } from './test-tool.js';

export interface MockToolOptions<T extends ToolTypes = ToolTypes> {
  /** `library:ticket-desk`, a folder (`./my-tool`), or the name of an installed package. */
  package: string;
  /** What a folder is relative to and packages are looked up from: a folder, or `import.meta.url`. Default: the current folder. */
  from?: string;
  /** Begin with the package's starter, rows and clock. Default: with nothing. */
  starter?: boolean;
  /** Rows by namespace and id, over the starter's. */
  state?: { [N in keyof Rows<T> & string]?: { [rowId: string]: Rows<T>[N] } };
  /** Default: the starter's, else 0. */
  virtualTimeUs?: number;
  /** Default "1". */
  seed?: string;
  /** Who calls. */
  actor?: { id?: string; attributes?: JsonObject };
  isolate?: LocalIsolation;
}
const shapes: OptionShapes<MockToolOptions> = {
  package: { required: 'text' },
  from: 'text',
  starter: 'boolean',
  // A row that does not fit is reported where its author wrote it.
  state: { mapOf: { mapOf: 'anything' } },
  virtualTimeUs: 'number',
  seed: 'text',
  actor: { members: { id: 'text', attributes: 'object' } },
  isolate: optionShapes.isolate,
};
/** The tool and its world in one. */
export type MockedTool<T extends ToolTypes = ToolTypes> = TestTool<T> &
  Omit<TestWorld, 'connect'> & { connect(): Promise<Access['endpoints']> };

/** Rejects with control.SOURCE_INVALID when the package does not compile, or its rows do not fit their schemas. */
export async function mockTool<T extends ToolTypes = ToolTypes>(options: MockToolOptions<T>): Promise<MockedTool<T>> {
  const caller = callerOf(new Error().stack);
  requireOptions('mockTool', options, shapes);
  const build = await explained(compilePackage(options, caller));
  const packageId = build.tools[0]?.packageId as string;
  const actorId = options.actor?.id ?? 'tester';
  const setup: WorldSetup = {
    ...build.baseline.setup,
    actors: [{ id: actorId, attributes: options.actor?.attributes ?? {}, grants: everything(build) }],
  };
  const { seed = '1', isolate } = options;
  const start = { setup, setupHash: setupDigest(setup) };
  const world = testWorld(await openLocalWorld(build, start, { seed, ...defined({ isolate }) }));
  return { ...world, ...world.tool<T>(packageId, { actorId }), connect: () => world.connect({ actorId }) };
}

function everything({ tools }: CompiledBuild): WorldSetup['actors'][number]['grants'] {
  const operations = tools.flatMap(({ packageId, manifest }) => manifest.operations.map(({ id }) => ({ packageId, operationId: id })));
  return [...operations, { packageId: 'world', operationId: 'clock.wait' }];
}

/** In a repository made for it, which is gone when it is compiled. */
async function compilePackage<T extends ToolTypes>(options: MockToolOptions<T>, caller: CallPlace | undefined): Promise<CompiledBuild> {
  const { package: specifier, from = '.', starter: wantsStarter, state = {}, virtualTimeUs } = options;
  const base = from.startsWith('file:') ? dirname(fileURLToPath(from)) : resolve(from);
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'drillyard-mock-')));
  try {
    const found = glancePackage(specifier, base);
    const starter = wantsStarter === true ? found?.starter : undefined;
    const { packageId = specifier, folder } = found ?? {};
    const isFolder = folder !== undefined && !specifier.startsWith('library:');
    const rows = patchesOf(packageId, state);
    const world = {
      schemaVersion: 1,
      id: 'mock',
      virtualTimeUs: virtualTimeUs ?? starter?.virtualTimeUs ?? 0,
      state: [...(starter?.state ?? []), ...rows],
    };
    mkdirSync(join(root, 'drillyard'));
    writeFileSync(
      join(root, 'drillyard.json'),
      JSON.stringify({ schemaVersion: 1, world: 'world.json', toolPackages: [isFolder ? relative(root, folder) : specifier] }),
    );
    writeFileSync(join(root, 'drillyard/world.json'), JSON.stringify(world));
    const { build, diagnostics } = await compileProject({ root });
    const source = { root, caller, starterRows: starter?.state.length ?? 0, rows };
    if (build === undefined) throw new SourceInvalidError(diagnostics.map((found) => placedForAuthor(found, source)));
    return build;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function patchesOf(packageId: string, state: { [namespace: string]: { [rowId: string]: unknown } | undefined }): StatePatch[] {
  return Object.entries(state).flatMap(([namespace, rows = {}]) =>
    Object.entries(rows).map(
      ([rowId, value]): StatePatch => ({ action: 'upsert', packageId, namespace, rowId, value: value as JsonObject }),
    ),
  );
}
