// A tool that does not work is told as what it is, never as the agent's trouble.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLocalWorld, runDrills } from '../../src/index.js';
import { createRepository, drill, moduleAgent, notesBehavior, written } from './repository.js';

const shrugs = moduleAgent('agent', "await context.world.call('notes', 'note.write', { id: 'a', text: 'b' });");
/** Ids that the compiler cannot read. */
const madeUp = (behavior: string): string => behavior.replace("'note.write':", "['note' + '.write']:").replace(/'note\.get'/, "'note.gett'");

test('a tool that cannot be loaded refuses the run before its first attempt, with its name and what it lacks', async (t) => {
  const broken = {
    "Tool 'notes' cannot be loaded: its behavior lacks operations 'note.get'.": madeUp(notesBehavior),
    "Tool 'notes' cannot be loaded: Error: no table.": `${notesBehavior}\nthrow new Error('no table');`,
  };
  for (const [message, behavior] of Object.entries(broken)) {
    const repository = createRepository({ 'notes/behavior.ts': behavior, ...shrugs, ...drill('hello', 'agent', [written({ atMost: 1 })]) });
    t.after(() => repository.remove());
    const { root } = repository;
    const events: string[] = [];
    const refused = { code: 'world.HANDLER_FAILED', message };
    await assert.rejects(runDrills({ root, onEvent: ({ event }) => events.push(event) }), refused);
    assert.deepEqual(events, ['plan']);
    assert.deepEqual(readdirSync(join(root, '.service/runs')), []);
    assert.equal(existsSync(join(root, '.service/reports')), false);
    await assert.rejects(createLocalWorld({ root }), refused);
  }
});
