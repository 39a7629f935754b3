// The source of a repository over HTTP: which files there are, their text, what is found in them, and what is never read.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../src/contract/limits.js';
import { assertRefused, onEachEngine, startTestInspector } from './inspector-kit.js';

interface Found {
  fileId: string;
  toolId?: string;
  displayPath: string;
  line: number;
}
interface Listed {
  fileId: string;
  displayPath: string;
  role: string;
  implementationFileId?: string;
}

// REPOSITORY-SOURCE-1
onEachEngine('what runs follow from is listed, read by its id, and searched; an agent with what it imports', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const { repository } = inspector;
  const agent = 'agents/helped-agent.mjs';
  repository.write('agents/lib/words.mjs', "export const word = 'Überraschung';\n");
  repository.write(agent, "import { word } from './lib/words.mjs';\nexport default async () => ({ word });\n");
  repository.write('agents/unused.mjs', 'export {};\n');
  repository.write('drillyard/helped.target.json', JSON.stringify(targetOf('helped', agent)));
  assert.deepEqual((await inspector.post('/api/v1/refresh')).json.project.diagnostics, []);
  const { files, unavailable } = (await inspector.ask('/api/v1/source')).json as { files: Listed[]; unavailable: object[] };
  assert.deepEqual(unavailable, []);
  const paths = files.map(({ displayPath }) => displayPath);
  assert.deepEqual(paths, paths.toSorted());
  const role = new Map(files.map(({ displayPath, role: one }) => [displayPath, one]));
  assert.deepEqual(
    ['drillyard.json', 'drillyard/helped.target.json', agent, 'agents/lib/words.mjs', 'notes/behavior.ts', 'agents/unused.mjs'].map(
      (path) => role.get(path),
    ),
    ['root', 'document', 'module', 'module', 'tool', undefined],
  );
  const { project } = (await inspector.ask('/api/v1/project')).json;
  const behavior = files.find(({ displayPath }) => displayPath === 'notes/behavior.ts')!;
  assert.equal(behavior.implementationFileId, project.tools[0].implementation.files[0].fileId);
  const words = files.find(({ displayPath }) => displayPath === 'agents/lib/words.mjs')!;
  const { source } = (await inspector.ask(`/api/v1/source/${words.fileId}`)).json;
  assert.equal(source.content, "export const word = 'Überraschung';\n");
  const found = (await inspector.ask(`/api/v1/source-matches?q=${encodeURIComponent('ÜBERRASCHUNG')}`)).json;
  assert.deepEqual(found, {
    schemaVersion: 1,
    matches: [{ fileId: words.fileId, displayPath: words.displayPath, line: 1, text: "export const word = 'Überraschung';" }],
    truncated: false,
  });
  const some = (await inspector.ask('/api/v1/source-matches?q=note&limit=2')).json;
  assert.deepEqual([some.matches.length, some.truncated], [2, true]);
  // As it was read until the source is loaded again.
  repository.write('agents/lib/words.mjs', "export const word = 'later';\n");
  assert.equal((await inspector.ask(`/api/v1/source/${words.fileId}`)).json.source.content, source.content);
  await inspector.post('/api/v1/refresh');
  assert.match((await inspector.ask(`/api/v1/source/${words.fileId}`)).json.source.content, /later/);
});

onEachEngine('text is found in the modules of packages from elsewhere too, after the files of the repository', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const root = JSON.parse(readFileSync(join(inspector.repository.root, 'drillyard.json'), 'utf8'));
  const toolPackages = [...(root.toolPackages ?? []), 'library:payments'];
  inspector.repository.write('drillyard.json', { ...root, toolPackages });
  assert.deepEqual((await inspector.post('/api/v1/refresh')).json.project.diagnostics, []);
  const { project } = (await inspector.ask('/api/v1/project')).json;
  const payments = project.tools.find(({ toolId }: { toolId: string }) => toolId === 'payments');
  const ids = new Map(payments.implementation.files.map((file: Listed) => [file.fileId, file.displayPath]));
  const { matches } = (await inspector.ask('/api/v1/source-matches?q=EXPORT%20function%20balanceof')).json as { matches: Found[] };
  assert.equal(matches.length, 1);
  const [match] = matches as [Found];
  assert.deepEqual([match.toolId, match.displayPath], ['payments', ids.get(match.fileId)]);
  const { source } = (await inspector.ask(`/api/v1/tools/payments/implementation/${match.fileId}`)).json;
  assert.match(source.content.split('\n')[match.line - 1], /export function balanceOf/);
  const all = (await inspector.ask('/api/v1/source-matches?q=import')).json.matches as Found[];
  const places = all.map(({ toolId, displayPath }) => `${toolId === undefined ? 0 : 1} ${toolId} ${displayPath}`);
  assert.deepEqual(places, places.toSorted());
  assert.deepEqual(new Set(all.map(({ toolId }) => toolId)), new Set([undefined, 'payments']));
});

// REPOSITORY-SOURCE-1, REPOSITORY-SOURCE-2
onEachEngine('ids are never paths, links are not followed, large files are named and not read', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const { root } = inspector.repository;
  mkdirSync(join(root, 'agents/deep'), { recursive: true });
  writeFileSync(join(root, 'agents/large.mjs'), `export default async () => ({}); //${'x'.repeat(limits.sourceFileBytesMax)}\n`);
  inspector.repository.write('drillyard/large.target.json', JSON.stringify(targetOf('large', 'agents/large.mjs')));
  symlinkSync('/etc/hostname', join(root, 'agents/deep/outside.mjs'));
  inspector.repository.write('agents/linked.mjs', "import './deep/outside.mjs';\nexport default async () => ({});\n");
  inspector.repository.write('drillyard/linked.target.json', JSON.stringify(targetOf('linked', 'agents/linked.mjs')));
  await inspector.post('/api/v1/refresh');
  const { files, unavailable } = (await inspector.ask('/api/v1/source')).json as { files: Listed[]; unavailable: Listed[] };
  assert.ok(files.some(({ displayPath }) => displayPath === 'agents/linked.mjs'));
  assert.ok(files.every(({ displayPath }) => !displayPath.includes('outside') && !displayPath.includes('hostname')));
  assert.deepEqual(
    unavailable.map(({ displayPath }) => displayPath),
    ['agents/large.mjs'],
  );
  for (const id of ['..%2fpackage.json', 'agents%2flinked.mjs', '%2fetc%2fpasswd', 'drillyard.json'])
    assertRefused(await inspector.ask(`/api/v1/source/${id}`), 400, 'control.INVALID_REQUEST');
  assertRefused(await inspector.ask('/api/v1/source/src_00000000'), 404, 'control.NOT_FOUND');
  for (const query of ['q=', `q=${'x'.repeat(201)}`, 'q=a&limit=0', 'q=a&path=x', ''])
    assertRefused(await inspector.ask(`/api/v1/source-matches?${query}`), 400, 'control.INVALID_REQUEST');
});

onEachEngine('source that does not compile is shown too, as far as it is known', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  inspector.repository.write('drillyard/broken.drill.json', '{"schemaVersion": 1, "drill": {"id": "broken"');
  const { project } = (await inspector.post('/api/v1/refresh')).json;
  assert.equal(project.buildHash, undefined);
  const { files } = (await inspector.ask('/api/v1/source')).json as { files: Listed[] };
  const broken = files.find(({ displayPath }) => displayPath === 'drillyard/broken.drill.json')!;
  assert.match((await inspector.ask(`/api/v1/source/${broken.fileId}`)).json.source.content, /"broken"/);
  assert.ok(files.some(({ role }) => role === 'module'));
});

function targetOf(id: string, module: string): object {
  return { schemaVersion: 1, target: { id, kind: 'module', module, bindings: ['direct'], timeoutMs: 20_000 } };
}
