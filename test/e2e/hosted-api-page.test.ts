// docs/hosted-api.md holds what it says: its walk-through is run as it stands, and its state machines are those of the code.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { format } from 'node:util';
import { runInNewContext } from 'node:vm';
import { operationMoves } from '../../src/control/core/operation-records.js';
import { coordinationMoves, runMoves } from '../../src/control/runs/states.js';
import { sessionMoves } from '../../src/control/sessions/states.js';
import { startInside } from './service.js';

const page = readFileSync(new URL('../../../docs/hosted-api.md', import.meta.url), 'utf8');
const walk = page.slice(page.indexOf('## Walk-through'));

/** The commands of the page, each block with what it is said to print. */
const blocks = [...walk.matchAll(/```sh\n([\s\S]*?)```(?:\n\n```text\n([\s\S]*?)```)?/g)].map(([, commands = '', printed = '']) => ({
  commands,
  printed,
}));

/** `node -p` without a start of its own: the page asks for some fifty values, and each start takes a tenth of a second of a processor. */
const standIn = 'node() { curl -sS "$EVALUATOR" -H "Expression: $2" --data-binary @-; }\n';
async function startEvaluator() {
  const server = createServer(async (request, response) => {
    const input = await text(request);
    const require = () => ({ readFileSync: () => input });
    response.end(`${format(runInNewContext(String(request.headers.expression), { require }))}\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

test('every command of the walk-through works, and prints what the page says', async (t) => {
  const evaluator = await startEvaluator();
  t.after(() => evaluator.close());
  const service = await startInside();
  const { baseUrl, credential = '' } = service.ready;
  const [setup, ...rest] = blocks;
  assert.match(setup?.commands ?? '', /^export URL=\S+\nexport CREDENTIAL=\S+\n$/);
  const mark = '=== the next block ===';
  // The first values are asked of a real one.
  const commands = rest.map((block, index) => (index === 2 ? standIn + block.commands : block.commands));
  const script = ['set -euo pipefail', ...commands].join(`\necho '${mark}'\n`);
  const env = { ...process.env, URL: baseUrl, CREDENTIAL: credential, EVALUATOR: evaluator.url };
  const bash = spawn('bash', ['-s'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  bash.stdin.end(script);
  const [stdout, stderr, [code]] = await Promise.all([text(bash.stdout), text(bash.stderr), once(bash, 'close')]);
  assert.equal(code, 0, stdout + stderr);
  const [, ...printed] = stdout.split(`${mark}\n`);
  assert.deepEqual(
    printed,
    rest.map((block) => block.printed),
  );
  await service.stop();
});

test('the state machines it draws are those the code enforces', () => {
  const drawn = [...page.matchAll(/```mermaid\nstateDiagram-v2\n([\s\S]*?)```/g)].map(([, text = '']) => edgesOf(text));
  const [session, , operation, run, coordination] = drawn;
  assert.deepEqual([session, operation, run, coordination], [sessionMoves, operationMoves, runMoves, coordinationMoves].map(edgesIn));
});

function edgesOf(diagram: string): string[] {
  return [...diagram.matchAll(/^\s*(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} ${to}`).sort();
}
function edgesIn(moves: { readonly [from: string]: readonly string[] }): string[] {
  return Object.entries(moves)
    .flatMap(([from, tos]) => tos.map((to) => `${from} ${to}`))
    .sort();
}
