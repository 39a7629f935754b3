// Agents that do what no agent should: each has its own end, its own code, and takes nothing with it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { ExternalResult } from '../../src/contract/run/target-completion.js';
import type { TargetModule } from '../../src/contract/run/target-invocation.js';
import type { DirectClient } from '../../src/drills/ports/bindings-port.js';
import { Attachments } from '../../src/drills/targets/attachments.js';
import { moduleHostPipe } from '../../src/drills/targets/module-protocol.js';
import { Targets } from '../../src/drills/targets/targets.js';
import { command, file, invocation, module, pools, recordedAccess, root, run } from './targets-kit.js';

const codeOf = async (target: Parameters<typeof run>[0], going?: Parameters<typeof run>[1]) => (await run(target, going)).error?.code;

test('command: what it prints must be one whole JSON value, in UTF-8', async () => {
  assert.equal(await codeOf(command('process.stdout.write("{\\"half\\": [1, 2")')), 'target.OUTPUT_INVALID');
  assert.equal(await codeOf(command('process.stdout.write("done, thank you")')), 'target.OUTPUT_INVALID');
  assert.equal(await codeOf(command('process.stdout.write("1\\n2\\n")')), 'target.OUTPUT_INVALID');
  const notUtf8 = await run(command('process.stdout.write(Buffer.from([0x22, 0xff, 0xfe, 0x22]))'));
  assert.equal(notUtf8.error?.code, 'target.OUTPUT_INVALID');
  assert.match(notUtf8.error?.message ?? '', /^The output is not UTF-8\. .*one JSON value/);
  const words = (await run(command('process.stdout.write("Working on it\\ndone")'))).error;
  assert.match(words?.message ?? '', /not one JSON value: .*one JSON value; .*stderr/s);
  assert.equal(words?.details.beginning, 'Working on it\ndone');
  const said = await run(command(`process.stdout.write('{"status":"failed","error":"no such ticket"}')`));
  assert.deepEqual([said.status, said.error?.code, said.error?.message], ['failed', 'target.AGENT_FAILED', 'no such ticket']);
  assert.equal((await run(command('process.stdout.write("  7 \\n")'))).output, 7);
});

test('command: a flood of stderr is bounded, and the output beside it still counts', async () => {
  const flood = command(
    `const line = 'x'.repeat(1 << 20); for (let i = 0; i < 12; i++) if (!process.stderr.write(line)) await new Promise((r) => process.stderr.once('drain', r));
     console.log('"done"');`,
  );
  const { status, output, log } = await run(flood, { timeoutMs: 20_000 });
  assert.deepEqual([status, output], ['completed', 'done']);
  assert.ok(log.length < limits.targetLogBytesMax + 200);
  assert.match(log, /at least 8388608 characters, was not kept\]\n$/);
});

test('command: one that closes its stdin before it has read is fine', async () => {
  const { status, output } = await run(command('process.stdin.destroy(); setTimeout(() => console.log(1), 50)'));
  assert.deepEqual([status, output], ['completed', 1]);
});

test('command: one that hangs after its output is reported as such', async () => {
  const { status, error, output } = await run(command('console.log(1); setInterval(() => {}, 1000)'), { timeoutMs: 2500 });
  assert.deepEqual([status, error?.code, output], ['timed_out', 'target.TIMED_OUT', undefined]);
  assert.match(error?.message ?? '', /It had written 2 bytes of output, and was still running/);
});

// RUN-COMMAND-1
test('command: what it started and left behind is ended with it', async () => {
  const target = command(`
    import { spawn } from 'node:child_process';
    const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    child.unref(); console.log(child.pid);`);
  const { status, output } = await run(target);
  assert.equal(status, 'completed');
  const stat = `/proc/${output}/stat`;
  const isGone = () => !existsSync(stat) || / Z /.test(readFileSync(stat, 'utf8'));
  for (let tries = 0; tries < 200 && !isGone(); tries++) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(isGone());
});

// RUN-COMMAND-2
test('command: a pipe held by what left its process group holds up nobody, and is no lateness of the target', async () => {
  const target = command(`
    import { spawn } from 'node:child_process';
    spawn(process.execPath, ['-e', 'setTimeout(() => {}, 20000)'], { stdio: 'inherit', detached: true }).unref(); console.log('"left"'); process.exit(0);`);
  // It ends before this, and its pipe is let go after it.
  const { status, output } = await run(target, { timeoutMs: 2000 });
  assert.deepEqual([status, output], ['completed', 'left']);
});

test('module: what has no JSON is no output, whatever kind of thing it is', async () => {
  for (const [value, message] of [
    ['(() => { const a = {}; a.a = a; return a; })()', /circular/],
    ['() => 1', /is a function/],
    ['Symbol("x")', /is a symbol/],
    ['({ toJSON() { throw new Error("not me"); } })', /not me/],
    ['10n', /BigInt/],
  ] as const) {
    const { error } = await run(module(`export default () => ${value.startsWith('() =>') ? `(${value})` : value};`));
    assert.equal(error?.code, 'target.OUTPUT_INVALID', value);
    assert.match(error?.message ?? '', message);
  }
});

for (const isolation of ['thread', 'process'] as const) {
  test(`module in a ${isolation}: what JSON would write as null, or as nothing of what it holds, is no output`, async () => {
    for (const [value, words] of [
      ['Infinity', 'The output is Infinity; JSON numbers are finite.'],
      ['({ n: [1, -Infinity] })', 'The output at /n/1 is -Infinity; JSON numbers are finite.'],
      ['({ "a/b": { toJSON: () => NaN } })', 'The output at /a~1b is NaN; JSON numbers are finite.'],
      ['[1, undefined]', 'The output at /1 is undefined, which has no JSON.'],
      ['({ list: [() => 1] })', 'The output at /list/0 is a function, which has no JSON.'],
      ['new Map([["a", 1]])', 'The output is a Map, of which JSON has nothing.'],
      ['({ seen: [new Set([1])] })', 'The output at /seen/0 is a Set, of which JSON has nothing.'],
      ['({ text: Promise.resolve("x") })', 'The output at /text is a Promise, which JSON does not wait for.'],
      ['new TypeError("lost")', 'The output is an Error, of which JSON has no message.'],
    ] as const) {
      const { status, error, output } = await run(module(`export default () => ${value};`), { isolation });
      assert.deepEqual([status, error?.code, error?.message, output], ['failed', 'target.OUTPUT_INVALID', words, undefined], value);
    }
    // What JSON leaves out, or writes in its own way, stays so.
    const said = "Object.defineProperty(new Error('m'), 'message', { enumerable: true })";
    const kept = `export default () => ({ gone: undefined, at: new Date(0), shared: [null, -0], error: ${said} });`;
    const { output } = await run(module(kept), { isolation });
    assert.deepEqual(output, { at: '1970-01-01T00:00:00.000Z', shared: [null, 0], error: { message: 'm' } });
  });
}

test('half of a surrogate pair, which no report can hold, is no output of any kind of target, and no word of an error', async () => {
  const words = 'is text with half of a surrogate pair, which UTF-8 cannot carry.';
  const external = async (agent: TargetModule) => {
    const targets = new Targets({ root, isolation: 'thread', prefixes: [], allowRemote: false, agent });
    const asked = { invocation: invocation('one'), access: recordedAccess().access, timeoutMs: 5000, signal: new AbortController().signal };
    const ended = await targets.runnerFor({ kind: 'external', id: 'ext', bindings: ['direct'], timeoutMs: 5000 }).run(asked);
    await targets.close();
    return ended;
  };
  const cut = () => ({ a: ['cut \ud83d'] });
  for (const [kind, ended] of [
    ['module', await run(module(`export default ${cut};`))],
    ['command', await run(command(`console.log('{"a":["cut \\\\ud83d"]}')`))],
    ['external', await external(async () => cut())],
    ['whole result', await external(async () => new ExternalResult({ status: 'completed', output: cut() }))],
  ] as const) {
    assert.deepEqual(
      [ended.status, ended.error?.code, ended.error?.message],
      ['failed', 'target.OUTPUT_INVALID', `The output at /a/0 ${words}`],
      kind,
    );
    assert.equal(ended.output, undefined, kind);
  }
  const named = await run(module(`export default () => ({ 'cut \\ud83d': 1 });`));
  assert.match(named.error?.message ?? '', /^The output at \/cut \ufffd has a name with half of a surrogate pair/);
  const details = await external(async () => new ExternalResult({ status: 'failed', error: { message: 'no', details: cut() } }));
  assert.deepEqual([details.error?.code, details.error?.message], ['target.OUTPUT_INVALID', `The value of the error's details ${words}`]);
  const thrown = await run(module(`export default () => { throw new Error('cut \\ud83d TOKEN-OF-HTTP \\ud83d'); };`));
  assert.deepEqual([thrown.error?.code, thrown.error?.message], ['target.THREW', 'cut \ufffd [redacted] \ufffd']);
});

test('module: one that never resolves, and one whose import never ends, are timed out', async () => {
  assert.equal(await codeOf(module('export default () => new Promise(() => {})'), { timeoutMs: 400 }), 'target.TIMED_OUT');
  assert.equal(
    await codeOf(module('await new Promise(() => { setInterval(() => {}, 1000); }); export default () => 1'), { timeoutMs: 400 }),
    'target.TIMED_OUT',
  );
});

test('module: an error as long as a book is reported in short', async () => {
  const { error, log } = await run(module('export default () => { throw new Error("x".repeat(50_000_000)); }'));
  assert.equal(error?.code, 'target.THREW');
  assert.equal(error?.message.length, limits.targetErrorCharsMax);
  assert.ok(log.length < limits.targetLogBytesMax + 200);
});

test('module: what it changes around itself is gone in the next attempt', async () => {
  const changes = [
    'globalThis.remembered = (globalThis.remembered ?? 0) + 1; return globalThis.remembered;',
    'process.env.REMEMBERED = (process.env.REMEMBERED ?? "") + "x"; return process.env.REMEMBERED.length;',
    'process.on("warning", () => {}); return process.listenerCount("warning");',
  ];
  for (const change of changes) {
    const target = module(`export default () => { ${change} }`);
    const first = (await run(target)).output;
    assert.equal((await run(target)).output, first, change);
  }
});

test('module: the world of an interaction ends with it: what it left running reaches nothing in the next', async () => {
  const target = module(`
    let late;
    export default async (invocation, { world, attach }) => {
      if (invocation.interactionId === 'first') {
        late = async () => { try { attach('late.txt', 'late'); return (await world.call('desk', 'x')).kind; } catch (error) { return error.code; } };
        return (await world.call('desk', 'x')).kind;
      }
      return [await late(), (await world.call('desk', 'x')).kind];
    };`);
  const runner = pools.thread.runnerFor(target);
  const work = async (interactionId: string) => {
    const recorded = recordedAccess();
    const ran = await runner.run({
      invocation: invocation(interactionId),
      access: recorded.access,
      timeoutMs: 5000,
      signal: new AbortController().signal,
    });
    return { ran, calls: recorded.calls.length };
  };
  assert.equal((await work('first')).ran.output, 'ok');
  const { ran, calls } = await work('second');
  await runner.release();
  assert.deepEqual([ran.output, calls, ran.files], [['control.UNAUTHENTICATED', 'ok'], 1, []]);
});

test('module: re-entered at the same time, and again after a timeout, each attempt has an incarnation of its own', async () => {
  const target = module(`
    let inside = 0;
    export default async ({ interactionId }, { world, signal }) => {
      inside += 1;
      if (interactionId === 'stuck') await new Promise(() => { setInterval(() => {}, 1000); });
      await world.call('desk', 'x');
      return inside;
    };`);
  const attempt = (interactionId: string, timeoutMs = 5000) => ({ interactionId, timeoutMs });
  const runners = [1, 2, 3, 4].map(() => pools.thread.runnerFor(target));
  const work = (index: number, { interactionId, timeoutMs }: { interactionId: string; timeoutMs: number }) =>
    runners[index]!.run({
      invocation: invocation(interactionId),
      access: recordedAccess().access,
      timeoutMs,
      signal: new AbortController().signal,
    });
  const outputs = await Promise.all(runners.map((_, index) => work(index, attempt('at once'))));
  assert.deepEqual(
    outputs.map(({ output }) => output),
    [1, 1, 1, 1],
  );
  assert.equal((await work(0, attempt('stuck', 300))).status, 'timed_out');
  assert.equal((await work(0, attempt('again'))).output, 1);
  await Promise.all(runners.map((runner) => runner.release()));
});

test('module: a folder is no module, and one whose export is no function says so', async () => {
  file('agents/folder/index.mjs', 'export default () => 1;');
  assert.equal(await codeOf({ ...module(''), module: 'agents/folder' }), 'target.LOAD_FAILED');
  const named = await run({ ...module('export const agent = { run() {} };'), export: 'agent' });
  assert.deepEqual([named.error?.code, named.error?.message], ['target.LOAD_FAILED', 'the module has no function exported as "agent"']);
});

test('attachments by path: below the root, over no link, each refusal asked to the agent and noted', async () => {
  file('shots/one.png', 'PNG');
  const { symlinkSync } = await import('node:fs');
  symlinkSync(join(root, 'shots/one.png'), join(root, 'shots/link.png'));
  const target = module(`
    export default (_, { attach }) => ['shots/one.png', '../../../etc/hostname', 'shots/link.png', 'shots', 'shots/none.png', '/etc/hostname'].map((path) => {
      try { attach('../up/' + path, { path }); return 'kept'; } catch (error) { return error.code; }
    });`);
  const { output, files, refusals } = await run(target);
  const refused = 'target.ATTACHMENT_REFUSED';
  assert.deepEqual(output, ['kept', refused, refused, refused, refused, refused]);
  assert.deepEqual(
    files.map(({ name, mediaType, bytes }) => [name, mediaType, Buffer.from(bytes).toString()]),
    [['up_shots_one.png', 'image/png', 'PNG']],
  );
  assert.equal(refusals.length, 5);
});

test('attachments of a command: its folder is read when it has ended, links and special files refused, and removed', async () => {
  const target = command(`
    import { mkdirSync, writeFileSync, symlinkSync } from 'node:fs'; import { execFileSync } from 'node:child_process'; import { join } from 'node:path';
    const folder = process.env.SERVICE_ATTACHMENTS_DIR;
    mkdirSync(join(folder, 'deep')); writeFileSync(join(folder, 'deep', 'shot.png'), 'PNG'); writeFileSync(join(folder, 'a.html'), '<b>'); writeFileSync(join(folder, 'no-ending'), 'x');
    symlinkSync('/etc/hostname', join(folder, 'link.txt')); symlinkSync('/etc', join(folder, 'folder')); execFileSync('/usr/bin/mkfifo', [join(folder, 'pipe')]);
    let d = folder; for (let i = 0; i < 10; i++) { d = join(d, 'd'); mkdirSync(d); }
    console.log(JSON.stringify(folder));`);
  const { output, files, refusals, error } = await run(target);
  assert.equal(error, undefined, error?.message);
  assert.deepEqual(
    files.map(({ name, mediaType }) => [name, mediaType]),
    [
      ['a.html', 'text/html'],
      ['deep_shot.png', 'image/png'],
      ['no-ending', 'application/octet-stream'],
    ],
  );
  assert.deepEqual(refusals.map(({ message }) => message).sort(), [
    '"d/d/d/d/d/d/d/d" lies too deep.',
    '"folder" is a link.',
    '"link.txt" is a link.',
    '"pipe" is no regular file.',
  ]);
  assert.equal(existsSync(output as string), false);
});

test('attachments of a command: a link in the place of its folder leads nowhere', async () => {
  const target = command(`
    import { rmdirSync, symlinkSync } from 'node:fs';
    const folder = process.env.SERVICE_ATTACHMENTS_DIR; rmdirSync(folder); symlinkSync(${JSON.stringify(root)}, folder);`);
  const { status, files, refusals } = await run(target);
  assert.deepEqual([status, files, refusals.map(({ code }) => code)], ['completed', [], ['target.ATTACHMENT_REFUSED']]);
});

test('attachments are bounded: how many, how large, whichever way they come', async () => {
  const many = module(
    'export default (_, { attach }) => { let kept = 0; for (let i = 0; i < 120; i++) try { attach(i + ".txt", "x"); kept++; } catch {} return kept; }',
  );
  const { output, refusals } = await run(many);
  assert.deepEqual([output, refusals.length, refusals[0]?.code], [limits.attachmentsMax, 20, 'target.ATTACHMENTS_TOO_MANY']);
  const large = module(`export default (_, { attach }) => { attach('large', new Uint8Array(${limits.attachmentBytesMax} + 1)); }`);
  const threw = await run(large);
  assert.deepEqual([threw.error?.code, threw.refusals[0]?.code], ['target.THREW', 'target.ATTACHMENT_TOO_LARGE']);
  const sparse = command(
    `import { truncateSync, writeFileSync } from 'node:fs'; const f = process.env.SERVICE_ATTACHMENTS_DIR + '/huge'; writeFileSync(f, ''); truncateSync(f, 2 ** 40);`,
  );
  assert.equal((await run(sparse)).refusals[0]?.code, 'target.ATTACHMENT_TOO_LARGE');
});

test('attachments are bounded together too', () => {
  const content = new Uint8Array(limits.attachmentBytesMax);
  const kept = new Attachments(undefined);
  for (let place = 0; place < 20; place++) kept.keep({ name: 'big', content });
  kept.keep({ name: 'small', content: '' });
  assert.equal(kept.files.length, limits.interactionAttachmentBytesMax / limits.attachmentBytesMax + 1);
  assert.deepEqual(new Set(kept.refusals.map(({ code }) => code)), new Set(['target.ATTACHMENT_TOO_LARGE']));
});

test('module: what its host would never say ends it, and nobody else', async () => {
  const sayings = [
    'null',
    '{}',
    '{ kind: "attach", turn: 1 }',
    '{ kind: "done" }',
    '{ kind: "log", text: 5 }',
    '{ kind: "call", turn: 1, id: 1, request: { method: "call" } }',
    '{ kind: "call", turn: 1, id: 1, request: { method: "reset" } }',
    '{ kind: "failed", code: "x", message: "", stack: "" }',
    '{ kind: "refused", turn: 1, refusal: {} }',
  ];
  const says = (saying: string): string => `
    import { parentPort } from 'node:worker_threads';
    export default async () => { parentPort.postMessage(${saying}); await new Promise(() => setInterval(() => {}, 1e3)); };`;
  for (const saying of sayings) assert.equal(await codeOf(module(says(saying))), 'target.CRASHED', saying);
  // A process has a pipe, into which its agent can write as well.
  const writes = (bytes: string): string => `
    import { writeSync } from 'node:fs';
    export default async () => { writeSync(${moduleHostPipe}, Buffer.from(${bytes})); await new Promise(() => setInterval(() => {}, 1e3)); };`;
  const written = ['"not a message at all"', '[1, 0, 0, 0, 7]', '[0, 0, 0, 0]', '[3, 0, 0, 0, 255, 15, 48]'];
  const codes = await Promise.all(written.map((bytes) => codeOf(module(writes(bytes)), { isolation: 'process' })));
  assert.deepEqual(codes, Array(written.length).fill('target.CRASHED'));
});

test('module: an error is reported whatever its members are', async () => {
  for (const [thrown, message] of [
    ['Object.assign(new Error("x"), { message: { a: 1 } })', '[object Object]'],
    ['Object.assign(new Error("x"), { stack: 5 })', 'x'],
    ['Object.defineProperty(new Error("x"), "message", { get() { throw 1; } })', 'What it threw cannot be read.'],
    ['undefined', 'undefined'],
  ] as const) {
    const { error } = await run(module(`export default () => { throw ${thrown}; }`));
    assert.deepEqual([error?.code, error?.message], ['target.THREW', message]);
  }
});

test('module: calls that nobody waits for are refused beyond those that a world lets wait', async () => {
  const recorded = recordedAccess();
  const target = module(`export default async (_, { world }) => {
    const refused = {};
    const calls = Array.from({ length: ${limits.mailboxMessagesMax} + 10 }, () => world.call('a', 'b').catch(({ code }) => { refused[code] = (refused[code] ?? 0) + 1; }));
    await Promise.all(calls);
    return refused;
  }`);
  const { output } = await run(target, { recorded });
  assert.deepEqual([output, recorded.calls.length], [{ 'control.WORLD_BUSY': 10 }, limits.mailboxMessagesMax]);
});

test('module: arguments that JSON would write as null are refused, with their place', async () => {
  const target = module(`export default async (_, { world }) => {
    const said = [];
    for (const value of [NaN, { rows: [1, Infinity] }, { rows: [undefined] }, { "a/b": () => 1, at: new Date(0) }])
      said.push(await world.call('a', 'b', value).then(() => 'called', ({ code, message }) => code + ' ' + message));
    return said;
  }`);
  const recorded = recordedAccess();
  assert.deepEqual((await run(target, { recorded })).output, [
    'control.INVALID_REQUEST The value of the arguments is NaN; JSON numbers are finite.',
    'control.INVALID_REQUEST The value of the arguments at /rows/1 is Infinity; JSON numbers are finite.',
    'control.INVALID_REQUEST The value of the arguments at /rows/0 is undefined, which has no JSON.',
    'called',
  ]);
  assert.equal(recorded.calls.length, 1);
});

test('module: arguments that have no JSON, or too much of it, are refused where they are given', async () => {
  const target = module(`export default async (_, { world }) => {
    const codeOf = (args) => world.call('a', 'b', args).catch((error) => error.code ?? error.name);
    return [await codeOf(() => 1), await codeOf('x'.repeat(${limits.bodyBytesMax})), await codeOf(10n)];
  }`);
  assert.deepEqual((await run(target)).output, ['control.INVALID_REQUEST', 'control.PAYLOAD_TOO_LARGE', 'TypeError']);
});

test('direct: an option that is null is absent, and nothing becomes a text or a number that it is not', async () => {
  const body = `async (_, { world }) => {
    await world.call('a', 'b', {}, { idempotencyKey: null, instanceId: null });
    await world.call('a', 'b', {}, null);
    await world.wait(null);
    const codes = [];
    for (const asked of [
      () => world.call('a', 'b', {}, { idempotencyKey: 5 }),
      () => world.call('a', 'b', {}, { instanceId: {} }),
      () => world.call('a'),
      () => world.call(7, 'b'),
      () => world.wait(''),
      () => world.wait(true),
      () => world.wait('1200'),
      () => world.receive('listener', { url: new URL('http://127.0.0.1:1'), secret: 'x' }),
      () => world.receive(null, { url: 'http://127.0.0.1:1', secret: 'x' }),
    ]) codes.push(await asked().then(() => 'asked', ({ code }) => code));
    return codes;
  }`;
  const waits: (number | undefined)[] = [];
  const access = () => {
    const recorded = recordedAccess();
    const { direct } = recorded.access;
    const wait: DirectClient['wait'] = (untilUs) => {
      waits.push(untilUs);
      return direct!.wait(untilUs);
    };
    return Object.assign(recorded, { access: { ...recorded.access, direct: { ...direct!, wait } } });
  };
  const outsider = async (recorded: ReturnType<typeof access>) => {
    const agent = new Function(`return ${body}`)() as TargetModule;
    const targets = new Targets({ root, isolation: 'thread', prefixes: [], allowRemote: false, agent });
    const asked = { invocation: invocation('one'), access: recorded.access, timeoutMs: 5000, signal: new AbortController().signal };
    const ended = await targets.runnerFor({ kind: 'external', id: 'ext', bindings: ['direct'], timeoutMs: 5000 }).run(asked);
    await targets.close();
    return ended;
  };
  const inModule = (isolation: 'thread' | 'process') => (recorded: ReturnType<typeof access>) =>
    run(module(`export default ${body}`), { recorded, isolation });
  for (const play of [outsider, inModule('thread'), inModule('process')]) {
    const recorded = access();
    const { output, error } = await play(recorded);
    assert.deepEqual(output, Array(9).fill('control.INVALID_REQUEST'), JSON.stringify(error));
    const plain = { packageId: 'a', operationId: 'b', arguments: {} };
    assert.deepEqual([recorded.calls, waits.splice(0)], [[plain, plain], [undefined]]);
  }
});

test('external: an agent in the process of its run may throw and yield anything', async () => {
  const trap = () => {
    throw new Proxy(new Error('x'), { getPrototypeOf: () => assert.fail('a trap') });
  };
  for (const [agent, code] of [
    [trap, 'target.THREW'],
    [() => Promise.reject(Object.create(null)), 'target.THREW'],
    [() => Promise.reject(Object.assign(new Error('x'), { message: { a: 1 } })), 'target.THREW'],
    [() => ({ toJSON: trap }), 'target.OUTPUT_INVALID'],
    [() => new ExternalResult({ status: 'completed', output: [Number.POSITIVE_INFINITY] }), 'target.OUTPUT_INVALID'],
  ] as const) {
    const targets = new Targets({ root, isolation: 'thread', prefixes: [], allowRemote: false, agent: agent as unknown as TargetModule });
    const asked = { invocation: invocation('one'), access: recordedAccess().access, timeoutMs: 5000, signal: new AbortController().signal };
    const { error } = await targets.runnerFor({ kind: 'external', id: 'ext', bindings: ['direct'], timeoutMs: 5000 }).run(asked);
    assert.equal(error?.code, code);
    await targets.close();
  }
});
