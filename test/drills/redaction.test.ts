// Secrets in what an agent says, in every form that is looked for, whatever pieces they come in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import type { TargetModule } from '../../src/contract/run/target-invocation.js';
import { Attachments } from '../../src/drills/targets/attachments.js';
import { hostSecrets, Redactor } from '../../src/drills/targets/redaction.js';
import { TargetLog } from '../../src/drills/targets/target-log.js';
import { Targets } from '../../src/drills/targets/targets.js';
import fc from '../fast-check.js';
import { command, invocation, module, recordedAccess, root, run } from './targets-kit.js';

const token = 'TOKEN-OF-HTTP';

test('a secret is found as it is, in JSON, URLs, forms, base64 and hex, wherever it lies in them', () => {
  const letters = fc.string({ minLength: limits.redactedCharsMin, maxLength: 60, unit: 'grapheme-ascii' });
  const around = fc.string({ maxLength: 20 });
  fc.assert(
    fc.property(letters, around, around, (secret, before, after) => {
      const redactor = new Redactor([secret]);
      const holds = (text: string) => assert.ok(redactor.text(text).includes('[redacted]'), text);
      const whole = before + secret + after;
      holds(whole);
      holds(JSON.stringify({ whole }));
      holds(encodeURIComponent(before) + encodeURIComponent(secret) + encodeURIComponent(after));
      holds(new URLSearchParams({ whole }).toString());
      holds(Buffer.from(whole).toString('hex'));
      // What base64 leaves of a short secret is too little to be looked for.
      if (secret.length > limits.redactedCharsMin + 3)
        for (const form of ['base64', 'base64url'] as const) holds(Buffer.from(whole).toString(form));
    }),
  );
});

// REDACTION-3
test('of secrets that overlap, touch or lie in one another no part is left, and nothing else is taken', () => {
  const secret = fc.string({ minLength: limits.redactedCharsMin, maxLength: 12, unit: fc.constantFrom('a', 'b') });
  const text = fc.string({ maxLength: 60, unit: fc.constantFrom('a', 'b', 'c') });
  fc.assert(
    fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), text, (secrets, said) => {
      const isSecret = [...said].map(() => false);
      for (const one of secrets)
        for (let at = said.indexOf(one); at >= 0; at = said.indexOf(one, at + 1)) isSecret.fill(true, at, at + one.length);
      const left = [...said].filter((_, at) => !isSecret[at]).join('');
      const redactor = new Redactor(secrets);
      assert.equal(redactor.text(said).replaceAll('[redacted]', ''), left);
      const { text: beginning, places } = redactor.beginning(said, said.length);
      assert.deepEqual([beginning, places], [redactor.text(said), redactor.text(said).split('[redacted]').length - 1]);
    }),
  );
});

test('a secret is found as other languages than JavaScript write it', () => {
  for (const [secret, text] of [
    ['a/b+secret', String.raw`{"key":"a\/b+secret"}`],
    ['pässw-secret', String.raw`{"key":"p\u00e4ssw-secret"}`],
    ['pässw-secret', String.raw`{"key":"p\u00E4ssw-secret"}`],
    ['pä/ssw-secret', String.raw`{"key":"p\u00e4\/ssw-secret"}`],
    ['😀-secret', String.raw`{"key":"\ud83d\ude00-secret"}`],
    ['a/b+secret', '?key=a%2fb%2bsecret'],
    ['a b/c(secret)', '/a%20b/c%28secret%29/'],
    ['a b(secret)~', 'key=a+b%28secret%29~'],
    ['a b(secret)~', 'key=a+b%28secret%29%7E'],
    ['päss secret', '?key=p%c3%a4ss+secret'],
    ['A/s-secret', '?key=%41%2F%73%2D%73%65%63%72%65%74'],
    ['ä/s-secret', '?key=%c3%a4%2f%73%2d%73%65%63%72%65%74'],
    ['A/secret', String.raw`{"key":"\u0041\u002f\u0073\u0065\u0063\u0072\u0065\u0074"}`],
    ['😀secret', String.raw`{"key":"\uD83D\uDE00\u0073\u0065\u0063\u0072\u0065\u0074"}`],
    ['a<b&c>\'secret"', '"key": a&lt;b&amp;c&gt;\'secret"'],
    ['a<b&c>\'secret"', '"key": a&lt;b&amp;c&gt;&#x27;secret&quot;'],
    ['a<b&c>\'secret"', '"key": a&lt;b&amp;c&gt;&apos;secret&quot;'],
    ['a<b&c>\'secret"', '"key": a&lt;b&amp;c&gt;&#39;secret&#34;'],
    ['-----\nsecret\n-----', 'key: -----\r\nsecret\r\n-----'],
    ['-----\r\nsecret\r\n-----', 'key: -----\nsecret\n-----'],
    ['-----\nsecret\n-----', String.raw`{"key":"-----\r\nsecret\r\n-----"}`],
  ] as const) {
    const redactor = new Redactor([secret]);
    assert.match(redactor.text(text), /^[^a-z]*(key)?[^a-z]*\[redacted\]\W*$/, text);
    assert.doesNotMatch(redactor.text(Buffer.from(text).toString('latin1')), /secret/, text);
    // Across the cut of a log, too.
    const log = new TargetLog(redactor);
    log.append('x'.repeat(limits.targetLogBytesMax - 6) + text);
    assert.doesNotMatch(log.kept().log, /secret|ssw|a\\?\/b/, text);
  }
});

test('the name of an attachment holds no part of a secret, wherever it is cut and whatever may not stand in a name', async () => {
  const beyond = `${'x'.repeat(limits.attachmentNameCharsMax - 6)}${token}`;
  const { files, refusals } = await run(
    module(`export default (_, { attach }) => { attach('${beyond}', ''); try { attach('${beyond}', 5); } catch {} }`),
  );
  assert.deepEqual([files.length, refusals.length], [1, 1]);
  assert.equal(files[0]?.name.length, limits.attachmentNameCharsMax);
  assert.doesNotMatch(JSON.stringify([files[0]?.name, refusals]), /TOKEN/);
  const key = 'abc/defghi-jklmno';
  const admitted = new Attachments(undefined).admit({ name: `of ${key}.txt`, content: '' });
  assert.equal(new Redactor([key]).file(admitted).name, 'of [redacted].txt');
  // A long name keeps its ending, and no half of a pair.
  const long = new Attachments(undefined).admit({ name: `${'😀'.repeat(limits.attachmentNameCharsMax)}.csv`, content: '' });
  const { name } = new Redactor([key]).file(long);
  assert.ok(name.endsWith('😀.csv') && name.length <= limits.attachmentNameCharsMax && name.isWellFormed(), name);
  assert.equal(long.mediaType, 'text/csv');
});

// REDACTION-2
test('what holds no secret stays as it is, and so does what is too short for one', () => {
  const words = fc.array(fc.constantFrom('ok', 'true', '1', 'ticket', ' '), { maxLength: 30 });
  fc.assert(
    fc.property(words, (parts) => {
      const text = parts.join('');
      assert.equal(new Redactor(['a-secret-of-some-length', 'true', '1', '']).text(text), text);
    }),
  );
});

// REDACTION-1
test('a log tells no secret, whatever pieces it comes in and wherever it is cut', () => {
  const redactor = new Redactor([token]);
  const log = new TargetLog(redactor);
  log.append('x'.repeat(limits.targetLogBytesMax - 5));
  for (const letter of `${token} and more`) log.append(letter);
  assert.doesNotMatch(log.kept().log, /TOKEN/);
  assert.equal(log.kept().logRedaction.status, 'applied');
  const many = new TargetLog(redactor);
  for (let index = 0; index < 400_000; index++) many.append(token);
  assert.doesNotMatch(many.kept().log, /TOKEN|OF-HTTP/);
});

// TARGET-LOG-1
test('the end of a log that was cut has its last line and no part of a secret, wherever the cuts fall', async () => {
  const long = `sk-live-${'0123456789abcdef'.repeat(8)}`;
  const redactor = new Redactor([long]);
  const shows = (text: string) =>
    Array.from({ length: long.length - 7 }, (_, at) => long.slice(at, at + 8)).some((part) => text.includes(part));
  for (let shift = 0; shift < long.length + 12; shift += 21) {
    const log = new TargetLog(redactor);
    log.append('x'.repeat(limits.targetLogBytesMax - long.length + shift));
    log.append(`${long}\n`.repeat(200) + '.'.repeat(shift));
    log.append('\nthe reason\n');
    assert.ok(log.tail().endsWith('\nthe reason'));
    assert.ok(!shows(log.tail()), log.tail());
    assert.match(log.tail(), /\[redacted\]\n\[redacted\]/);
  }
  const environmentFromHost = { KEY: 'DRILLYARD_TEST_KEY' };
  process.env.DRILLYARD_TEST_KEY = long;
  const source = `for (let n = 0; n < 70000; n++) console.error('using ' + process.env.KEY.trim()); console.error('the reason'); process.exitCode = 1;`;
  const flooding = await run(command(source, { environmentFromHost }));
  const stderr = String(flooding.error?.details.stderr);
  assert.match(stderr, /using \[redacted\]\nthe reason$/);
  assert.ok(!shows(JSON.stringify(flooding.error)));
  // Of a module the host lets only so much through, and cuts there.
  for (const shift of [3, 7]) {
    const line = `(_, { binding, log }) => { const { token } = binding.http; log('x'.repeat(${limits.targetLogBytesMax * 2 - token.length + shift - 2})); log(token)`;
    const { error } = await run(module(`export default ${line}; throw new Error('enough'); }`));
    assert.equal(error?.message, 'enough');
    assert.doesNotMatch(JSON.stringify(error), /TOKEN-|OF-HTTP/);
  }
});

test('of the host all values are secrets but those that stand everywhere; of `Bearer abc` the second word too', () => {
  const host = { PATH: '/usr/local/bin', KEY: 'Bearer abcdefgh', LC_ALL: 'C.UTF-8-long', ABSENT: undefined };
  assert.deepEqual(hostSecrets({ A: 'PATH', B: 'KEY', C: 'LC_ALL', D: 'ABSENT' }, host), ['Bearer abcdefgh', 'abcdefgh']);
});

for (const [kind, target] of [
  [
    'module',
    module(
      `export default (_, { binding, attach, log }) => { const { token } = binding.http; log(token); attach(token + '.txt', 'a ' + token); attach('trace', Buffer.from(token)); attach('b.bin', Buffer.from([0xff, ...Buffer.from(token)])); console.log(btoa('u:' + token)); return { [token]: [token, 1] }; }`,
    ),
  ],
  [
    'command',
    command(
      `import { writeFileSync } from 'node:fs'; const token = process.env.SERVICE_HTTP_TOKEN; process.stderr.write(token.slice(0, 4));
       await new Promise((r) => setTimeout(r, 20)); process.stderr.write(token.slice(4) + '\\n' + btoa('u:' + token) + '\\n');
       writeFileSync(process.env.SERVICE_ATTACHMENTS_DIR + '/' + token + '.txt', 'a ' + token); writeFileSync(process.env.SERVICE_ATTACHMENTS_DIR + '/trace', token);
       writeFileSync(process.env.SERVICE_ATTACHMENTS_DIR + '/b.bin', Buffer.from([0xff, ...Buffer.from(token)]));
       console.log(JSON.stringify({ [token]: [token, 1] }));`,
    ),
  ],
] as const) {
  test(`${kind}: tokens leave in no output, log or text that is attached`, async () => {
    const { output, log, files, status } = await run(target);
    assert.equal(status, 'completed');
    assert.deepEqual(output, { '[redacted]': ['[redacted]', 1] });
    assert.doesNotMatch(log, /TOKEN/);
    assert.equal(log.match(/\[redacted\]/g)?.length, 2);
    const reported = Object.fromEntries(files.map(({ name, bytes, redaction }) => [name, [Buffer.from(bytes).toString(), redaction]]));
    assert.deepEqual(reported, {
      '[redacted].txt': ['a [redacted]', { status: 'applied', note: 'A secret was replaced in 1 place.' }],
      trace: ['[redacted]', { status: 'applied', note: 'A secret was replaced in 1 place.' }],
      'b.bin': [`\ufffd${token}`, { status: 'not_applied', note: 'Not text, so it was not searched for secrets.' }],
    });
  });
}

test('errors tell no secret, nor half of one', async () => {
  const { error } = await run(module('export default (_, { binding }) => { throw new Error("no " + binding.http.token); }'));
  assert.equal(error?.message, 'no [redacted]');
  assert.doesNotMatch(JSON.stringify(error), /TOKEN/);
  const cut = await run(command(`process.stdout.write('x'.repeat(190) + process.env.SERVICE_HTTP_TOKEN)`));
  assert.equal(cut.error?.code, 'target.OUTPUT_INVALID');
  assert.doesNotMatch(JSON.stringify(cut.error), /TOKEN/);
  process.env.DRILLYARD_TEST_KEY = 'sk-live-1234567890';
  const host = await run(
    command('console.error(process.env.KEY); process.exit(1)', { environmentFromHost: { KEY: 'DRILLYARD_TEST_KEY' } }),
  );
  assert.equal(host.error?.details.stderr, '[redacted]');
  const agent: TargetModule = (_, { binding }) => {
    throw new Error('x'.repeat(limits.targetErrorCharsMax - 12) + binding.http?.token);
  };
  const outside = new Targets({ root, isolation: 'thread', prefixes: [], allowRemote: false, agent });
  const runner = outside.runnerFor({ kind: 'external', id: 'out', bindings: ['http'], timeoutMs: 30_000 });
  const { signal } = new AbortController();
  const thrown = await runner.run({ invocation: invocation('one'), access: recordedAccess().access, timeoutMs: 30_000, signal });
  assert.doesNotMatch(JSON.stringify(thrown.error), /TOKEN/);
  await outside.close();
});
