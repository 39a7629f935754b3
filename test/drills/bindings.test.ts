// Every way to the same world: an agent that does the same over each of them hears the same and leaves the same evidence.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import { type ReportedAttempt, type RunDrillsResult, runDrills } from '../../src/index.js';
import { nodeArguments } from '../cli/cli.js';
import { createRepository, drill, type Repository, written } from './repository.js';

const project = fileURLToPath(new URL('../../..', import.meta.url));
const fixture = join(project, 'test', 'fixtures', 'all-bindings');
const ways = ['direct', 'http', 'mcp', 'mcpModern', 'mcpStdio', 'mcpStdioModern', 'cli'] as const;
const cli = [process.execPath, ...nodeArguments];

const repositories: Repository[] = [];
after(() => {
  for (const repository of repositories) repository.remove();
});
/** With the agent of the fixture, which finds the project's packages. */
function repositoryWith(...parts: { [path: string]: string | object }[]): Repository {
  const repository = createRepository(Object.assign({}, ...parts));
  repositories.push(repository);
  cpSync(fixture, join(repository.root, 'agents'), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(repository.root, 'node_modules'));
  return repository;
}
const bindings = ['direct', 'http', 'mcp', 'cli'];
const target = { schemaVersion: 1, target: { id: 'agent', kind: 'module', module: 'agents/agent.mjs', bindings, timeoutMs: 60_000 } };
const task = (input: object) => ({ task: { instruction: 'Work over the given bindings.', input: { cli, ...input } } });

const attemptsOf = (result: RunDrillsResult) =>
  result.drills.map(({ trials }) => trials[0]?.attempts[0] ?? assert.fail(JSON.stringify(result, undefined, 1)));
const outputOf = (attempt: ReportedAttempt | undefined): { [way: string]: { kind?: string }[] } =>
  (attempt?.result.interactions[0]?.targetResult.output ?? {}) as { [way: string]: { kind?: string }[] };
const evidenceIn = (report: string): EvidenceEntry[] =>
  readFileSync(join(report, 'evidence.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as EvidenceEntry);

test('one drill, run over each binding: the evidence is the same, byte for byte', { timeout: 120_000 }, async () => {
  const { root, write } = repositoryWith(
    { 'drillyard/agent.target.json': target },
    drill('any', 'agent', [written({ equals: 2 })], task({})),
  );
  const attempts: ReportedAttempt[] = [];
  for (const way of ways) {
    write('ways.txt', way);
    attempts.push(...attemptsOf(await runDrills({ root, reportDirectory: false })));
  }
  const [first] = attempts;
  const heard = attempts.map((attempt) => Object.values(outputOf(attempt))[0]);
  for (const [index, { result }] of attempts.entries()) {
    assert.equal(result.verdict, 'passed', JSON.stringify(result));
    assert.equal(result.bindingEvidence, 'observed');
    assert.equal(result.evidenceHash, first?.result.evidenceHash, ways[index]);
    assert.equal(result.stateHash, first?.result.stateHash, ways[index]);
    assert.deepEqual(heard[index], heard[0], ways[index]);
  }
  assert.deepEqual(
    heard[0]?.map(({ kind }) => kind ?? 'tools'),
    ['tools', 'ok', 'ok', 'invalid', 'tool_error', 'invalid', 'denied', 'unsupported', 'ok', 'ok', 'ok', 'invalid'],
  );
});

test('one drill, one agent, every binding in turn: the same entries but for what is minted', { timeout: 120_000 }, async () => {
  const { root } = repositoryWith(
    { 'drillyard/agent.target.json': target },
    drill('all', 'agent', [written({ equals: ways.length * 2 })], task({ ways })),
  );
  const [attempt] = attemptsOf(await runDrills({ root }));
  assert.equal(attempt?.result.verdict, 'passed', JSON.stringify(attempt?.result));
  const entries = evidenceIn(join(root, attempt?.report ?? assert.fail())).filter(
    ({ kind }) => kind !== 'lifecycle' && kind !== 'verification',
  );
  const share = entries.length / ways.length;
  const [first, ...others] = ways.map((way, index) => unminted(entries.slice(index * share, (index + 1) * share), way));
  assert.ok((first?.length ?? 0) >= 8);
  for (const other of others) assert.deepEqual(other, first);
  const heard = Object.entries(outputOf(attempt)).map(([way, reported]) => JSON.parse(named(JSON.stringify(reported), way)) as unknown);
  for (const reported of heard) assert.deepEqual(reported, heard[0]);
});

for (const [kind, on] of Object.entries({
  module: { bindings, module: 'agents/late.mjs' },
  command: { bindings: ['http', 'mcp', 'cli'], executable: process.execPath, arguments: ['agents/late.mjs'] },
})) {
  test(`${kind}: when it hears that its time is up, no binding lets it in any more`, { timeout: 60_000 }, async () => {
    const { root } = repositoryWith(
      { 'drillyard/agent.target.json': { schemaVersion: 1, target: { id: 'agent', kind, timeoutMs: 1500, ...on } } },
      drill('late', 'agent', [written({ equals: 1 })], task({})),
    );
    const [attempt] = attemptsOf(await runDrills({ root }));
    assert.equal(attempt?.result.interactions[0]?.targetResult.status, 'timed_out');
    const heard = JSON.parse(readFileSync(join(root, 'heard.json'), 'utf8')) as { [way: string]: unknown };
    const refused = Object.fromEntries(on.bindings.map((binding) => [binding, 'control.UNAUTHENTICATED']));
    assert.deepEqual(heard, refused);
    const writes = evidenceIn(join(root, attempt?.report ?? assert.fail())).filter(({ kind }) => kind === 'operation');
    assert.equal(writes.length, 1, 'the call before its time was up, and none after');
  });
}

/** In order, without ids that count through the whole run; what refers to an entry says how far it is from the first. */
function unminted(entries: readonly EvidenceEntry[], way: string): unknown[] {
  const from = entries[0]?.sequence ?? 0;
  const counted = (key: string, value: unknown): unknown => {
    if (/^(transaction|correlation|call|delivery)Id$/.test(key)) return undefined;
    return /^(sequence|causeSequence|replayedFromSequence)$/.test(key) ? (value as number) - from : value;
  };
  return entries.map((entry) => JSON.parse(named(JSON.stringify(entry, counted), way)) as unknown);
}
function named(text: string, way: string): string {
  return text.replaceAll(`by-${way}"`, 'by-it"');
}
