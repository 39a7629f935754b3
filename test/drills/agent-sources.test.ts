// What an agent's module may import: by paths of its tsconfig.json, from packages of its workspace, TypeScript included; installed packages
// stay what they are.
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runDrills } from '../../src/index.js';
import { createRepository, drill, moduleAgent, noteIs } from './repository.js';

test('paths of tsconfig.json and packages of the workspace are bundled, installed packages are not', async (t) => {
  const { root, remove } = createRepository({
    ...moduleAgent('agent', ''),
    'drillyard/agent.target.json': {
      schemaVersion: 1,
      target: { id: 'agent', kind: 'module', module: 'agents/agent.ts', bindings: ['direct'], timeoutMs: 20_000 },
    },
    'agents/agent.ts': `
      import { fromPaths } from '@/words';
      import { fromWorkspace, ownPlace } from '@acme/shared';
      import installed from 'installed';
      import { ServiceError } from 'drillyard';
      export default async (_: unknown, { world }: { world: { call(tool: string, operation: string, input: object): Promise<unknown> } }) => {
        const text: string = [fromPaths, fromWorkspace, ownPlace.endsWith('/packages/shared/src/index.ts'), installed.place, typeof ServiceError].join(' ');
        await world.call('notes', 'note.write', { id: 'a', text });
      };`,
    'tsconfig.json': { compilerOptions: { paths: { '@/*': ['./lib/*'] } } },
    'lib/words.ts': `export const fromPaths: string = 'paths';`,
    'packages/shared/package.json': { name: '@acme/shared', type: 'module', exports: './src/index.ts' },
    'packages/shared/src/index.ts': `enum Kind { Workspace = 'workspace' }\nexport const fromWorkspace: string = Kind.Workspace;\nexport const ownPlace: string = import.meta.url;`,
    'node_modules/installed/package.json': { name: 'installed', main: 'index.js' },
    'node_modules/installed/index.js': `module.exports = { place: __filename.endsWith('node_modules/installed/index.js') };`,
    ...drill('d', 'agent', [noteIs('a', 'paths workspace true true function')]),
  });
  t.after(remove);
  mkdirSync(join(root, 'node_modules/@acme'));
  symlinkSync('../../packages/shared', join(root, 'node_modules/@acme/shared'));
  symlinkSync(fileURLToPath(new URL('../../..', import.meta.url)), join(root, 'node_modules/drillyard'));
  const { verdict, drills } = await runDrills({ root });
  assert.equal(verdict, 'passed', JSON.stringify(drills[0]?.trials[0]?.attempts[0]?.result, null, 2));
});
