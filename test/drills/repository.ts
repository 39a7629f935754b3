// A repository of its own for a test: a small notes tool with behavior, one actor, and whatever the test adds.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';

export interface Repository {
  root: string;
  write(path: string, content: string | object): void;
  remove(): void;
}

/** Adds the files to the base below; objects become JSON. */
export function createRepository(files: { [path: string]: string | object } = {}): Repository {
  const root = mkdtempSync(join(tmpdir(), 'drillyard-repository-'));
  const write = (path: string, content: string | object): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
  };
  for (const [path, content] of Object.entries({ ...base, ...files })) write(path, content);
  return { root, write, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Makes repositories for one test file, each of several parts; all are removed at its end. */
export function temporaryRepositories(): (...parts: { [path: string]: string | object }[]) => Repository {
  const created: Repository[] = [];
  after(() => {
    for (const repository of created) repository.remove();
  });
  return (...parts) => {
    const repository = createRepository(Object.assign({}, ...parts));
    created.push(repository);
    return repository;
  };
}

const note = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'text'],
  properties: { id: { type: 'string' }, text: { type: 'string' }, tag: { type: 'string' } },
};
const id = { type: 'object', additionalProperties: false, required: ['id'], properties: { id: { type: 'string' } } };
const later = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'afterUs'],
  properties: { id: { type: 'string' }, afterUs: { type: 'integer' } },
};
const operation = (operationId: string, inputSchema: object) => ({
  id: operationId,
  inputSchema,
  outputSchema: true,
  idempotency: 'optional',
  fidelity: 'test',
});

export const notesTool = {
  schemaVersion: 1,
  module: 'behavior.ts',
  manifest: {
    schemaVersion: 1,
    id: 'notes',
    version: '1.0.0',
    engine: '>=0.1.0',
    capabilities: ['state.read', 'state.write', 'clock.read', 'clock.schedule', 'event.emit'],
    state: [{ namespace: 'notes', schema: note }],
    operations: [
      operation('note.write', note),
      { ...operation('note.get', id), declaredErrors: [{ code: 'NOT_FOUND' }] },
      operation('note.remove', id),
      operation('note.remind', later),
      operation('note.break-later', later),
    ],
    events: [
      { id: 'note.written', payloadSchema: id },
      { id: 'note.due', payloadSchema: id },
      { id: 'note.breaks', payloadSchema: id },
    ],
    subscriptions: [
      { id: 'due', event: { packageId: 'notes', eventId: 'note.due' } },
      { id: 'breaks', event: { packageId: 'notes', eventId: 'note.breaks' } },
    ],
    faults: [{ id: 'down', appliesTo: ['note.get'], timing: 'before', error: { code: 'DOWN', message: 'down', retryable: true } }],
    callbacks: [
      {
        id: 'reported',
        eventId: 'note.written',
        receiverId: 'listener',
        method: 'POST',
        path: '/reported',
        idempotencyHeader: 'x-delivery',
        signature: { kind: 'hmac-sha256', header: 'x-signature', prefix: '' },
        retry: { delaysUs: [] },
        timeoutMs: 1000,
      },
    ],
  },
};

export const notesBehavior = `
import { defineToolBehavior } from 'drillyard/tool-sdk';
export default defineToolBehavior({
  operations: {
    'note.write': (input: any, context: any) => {
      context.state.put('notes', input.id, input);
      context.events.emit('note.written', { id: input.id });
      return input;
    },
    'note.get': ({ id }: any, context: any) => context.state.get('notes', id) ?? context.fail({ code: 'NOT_FOUND', message: 'no such note' }),
    'note.remove': ({ id }: any, context: any) => { context.state.delete('notes', id); return null; },
    'note.remind': ({ id, afterUs }: any, context: any) => { context.events.scheduleAt('note.due', { id }, context.clock.nowUs() + afterUs); return null; },
    'note.break-later': ({ id, afterUs }: any, context: any) => { context.events.scheduleAt('note.breaks', { id }, context.clock.nowUs() + afterUs); return null; },
  },
  subscriptions: {
    due: ({ id }: any, context: any) => context.state.put('notes', 'due-' + id, { id: 'due-' + id, text: 'at ' + context.clock.nowUs() }),
    breaks: () => { throw new Error('broken on purpose'); },
  },
  callbacks: { reported: { encode: ({ payload }: any) => ({ body: { kind: 'json', value: payload } }) } },
});
`;

const grants = ['note.write', 'note.get', 'note.remind', 'note.break-later'].map((operationId) => ({ packageId: 'notes', operationId }));

const base: { [path: string]: string | object } = {
  'drillyard.json': { schemaVersion: 1, world: 'world.json', toolPackages: ['./notes'] },
  'notes/notes.tool.json': notesTool,
  'notes/behavior.ts': notesBehavior,
  'drillyard/world.json': {
    schemaVersion: 1,
    id: 'test',
    seed: '7',
    virtualTimeUs: 1000,
    actors: [
      { id: 'writer', grants: [...grants, { packageId: 'world', operationId: 'clock.wait' }] },
      { id: 'reader', grants: [] },
    ],
    state: [
      { action: 'upsert', packageId: 'notes', namespace: 'notes', rowId: 'first', value: { id: 'first', text: 'here from the start' } },
    ],
  },
};

/** A module target and its agent. */
export function moduleAgent(targetId: string, body: string, more: object = {}): { [path: string]: string | object } {
  return {
    [`agents/${targetId}.mjs`]: `export default async (invocation, context) => {\n${body}\n};\n`,
    [`drillyard/${targetId}.target.json`]: {
      schemaVersion: 1,
      target: { id: targetId, kind: 'module', module: `agents/${targetId}.mjs`, bindings: ['direct'], timeoutMs: 20_000, ...more },
    },
  };
}

export function commandAgent(targetId: string, body: string, more: object = {}): { [path: string]: string | object } {
  return {
    [`agents/${targetId}.mjs`]: body,
    [`drillyard/${targetId}.target.json`]: {
      schemaVersion: 1,
      target: {
        id: targetId,
        kind: 'command',
        executable: 'node',
        arguments: [`agents/${targetId}.mjs`],
        bindings: ['http'],
        timeoutMs: 20_000,
        ...more,
      },
    },
  };
}

/** A short drill; `more` adds to it or replaces. */
export function drill(drillId: string, targetId: string, assertions: object[], more: object = {}): { [path: string]: object } {
  const task = { instruction: `Do what ${drillId} wants.` };
  const form = 'timeline' in more ? {} : { actorId: 'writer', task };
  return { [`drillyard/${drillId}.drill.json`]: { schemaVersion: 1, id: drillId, targetId, ...form, assertions, ...more } };
}

/** Passes where the note has the text. */
export const noteIs = (rowId: string, text: string, more: object = {}): object => ({
  id: `note-${rowId}`,
  kind: 'state.value',
  packageId: 'notes',
  namespace: 'notes',
  rowId,
  path: ['text'],
  expected: text,
  ...more,
});
export const written = (count: object, more: object = {}): object => ({
  id: 'written',
  kind: 'operation.count',
  operation: { packageId: 'notes', operationId: 'note.write', outcome: 'ok' },
  count,
  ...more,
});
