// Drills whose targets speak MCP: what they are given, and that it is the same world.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type RunDrillsResult, runDrills } from '../../src/index.js';
import { commandAgent, createRepository, drill, moduleAgent, noteIs, type Repository, written } from '../drills/repository.js';

const repositories: Repository[] = [];
after(() => {
  for (const repository of repositories) repository.remove();
});
async function run(...parts: { [path: string]: string | object }[]): Promise<RunDrillsResult> {
  const repository = createRepository(Object.assign({}, ...parts));
  repositories.push(repository);
  return await runDrills({ root: repository.root, reportDirectory: false });
}
const post = (url: string, token: string) => `
const reply = await fetch(${url}, {
  method: 'POST',
  headers: { authorization: 'Bearer ' + ${token}, 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'notes.note.write', arguments: { id: 'a', text: 'by mcp' } } }),
});
const { result } = await reply.json();`;

test('a module that asks for mcp alone', async () => {
  const body = `${post('context.binding.mcp.url', 'context.binding.mcp.token')} return result.structuredContent.value;`;
  const result = await run(
    moduleAgent('agent', body, { bindings: ['mcp'] }),
    drill('d', 'agent', [noteIs('a', 'by mcp'), written({ equals: 1 })]),
  );
  const attempt = result.drills[0]?.trials[0]?.attempts[0]?.result;
  assert.equal(result.verdict, 'passed', JSON.stringify(attempt?.failure));
  assert.equal(attempt?.bindingEvidence, 'observed');
  assert.deepEqual(attempt?.interactions[0]?.targetResult.output, { id: 'a', text: 'by mcp' });
});

test('a target that wants names without dots is listed such, over HTTP and over stdio, and a wrong word is refused', async () => {
  const script = `
import { spawnSync } from 'node:child_process';
const body = (method, params) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const headers = { authorization: 'Bearer ' + process.env.SERVICE_MCP_TOKEN, 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' };
const ask = async (url, method, params) => await (await fetch(url, { method: 'POST', headers, body: body(method, params) })).json();
const url = process.env.SERVICE_MCP_URL;
const names = ({ result }) => result.tools.map(({ name }) => name);
const listed = names(await ask(url, 'tools/list'));
await ask(url, 'tools/call', { name: 'notes_note_write', arguments: { id: 'a', text: 'by mcp' } });
const stdio = spawnSync('drillyard', ['world', 'mcp'], { input: body('tools/list') + '\\n', encoding: 'utf8' });
const wrong = await ask(url.replace('underscores', 'none'), 'tools/list');
console.log(JSON.stringify({ listed, stdio: names(JSON.parse(stdio.stdout)), wrong: wrong.error.code }));`;
  const result = await run(
    commandAgent('agent', script, { bindings: ['mcp'], mcpToolNames: 'underscores', environmentFromHost: { PATH: 'PATH' } }),
    drill('d', 'agent', [noteIs('a', 'by mcp')]),
  );
  const attempt = result.drills[0]?.trials[0]?.attempts[0]?.result;
  assert.equal(result.verdict, 'passed', JSON.stringify(attempt?.interactions));
  const listed = ['notes_note_break-later', 'notes_note_get', 'notes_note_remind', 'notes_note_write', 'world_wait'];
  assert.deepEqual(attempt?.interactions[0]?.targetResult.output, { listed, stdio: listed, wrong: -32600 });
});

test('a command finds endpoint and token in its environment', async () => {
  const script = `${post('process.env.SERVICE_MCP_URL', 'process.env.SERVICE_MCP_TOKEN')}
console.log(JSON.stringify({ isError: result.isError ?? false, mcp: process.env.SERVICE_MCP_URL.endsWith('/mcp'), http: 'SERVICE_HTTP_URL' in process.env }));`;
  const result = await run(commandAgent('agent', script, { bindings: ['mcp'] }), drill('d', 'agent', [noteIs('a', 'by mcp')]));
  const attempt = result.drills[0]?.trials[0]?.attempts[0]?.result;
  assert.equal(result.verdict, 'passed', JSON.stringify(attempt?.failure));
  assert.deepEqual(attempt?.interactions[0]?.targetResult.output, { isError: false, mcp: true, http: false });
});
