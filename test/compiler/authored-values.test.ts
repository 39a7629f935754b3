// The second form of what authors write: texts for microseconds, numbers for seeds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Schema, shapeName } from '../../src/contract/shape.js';
import { authoredShapes } from '../../src/contract/validate/authored-values.js';
import { shapes } from '../../src/contract/validate/validators.js';
import { parseDurationUs, parseVirtualUs } from '../../src/contract/virtual-time-text.js';
import fc from '../fast-check.js';
import { buildWith, compileWith, edited, type Files, lines, sound } from './repository.js';

const tool = 'drillyard/notes.tool.yaml';

/** One repository with every field that counts microseconds. */
function timed(us: (integer: number, text: string) => string, seed: string): Files {
  const start = us(1_767_603_600_000_000, '2026-01-05T09:00:00Z');
  const faults = `    - { id: slow, appliesTo: [notes.add], timing: latency, latencyUs: ${us(1_500_000, '1.5s')}, fromUs: ${us(1_767_603_600_000_000, '2026-01-05T10:00:00+01:00')}, untilUs: ${us(1_767_657_600_000_001, '2026-01-06T00:00:00.000001Z')} }
    - { id: late, appliesTo: [hook], timing: delivery, delivery: { kind: delay, delayUs: ${us(90_000_000, 'PT1M30S')} } }
  callbacks:
    - { id: hook, eventId: due, receiverId: shop, method: POST, path: /hook, idempotencyHeader: X-Id, signature: { kind: hmac-sha256, header: X-Sig, prefix: "" }, retry: { delaysUs: [${us(250_000, '250ms')}, ${us(5_400_000_000, '1h30m')}] }, timeoutMs: 1000 }
`;
  return {
    'drillyard/world.yaml': sound['drillyard/world.yaml']
      .replace('atUs: 5', `atUs: ${start}`)
      .replace('id: shop', `id: shop\nseed: ${seed}\nvirtualTimeUs: ${start}`),
    [tool]: sound[tool] + faults,
    'drillyard/notes.ts': sound['drillyard/notes.ts'].replace(
      'subscriptions:',
      'callbacks: { hook: { encode: () => ({ body: {} }) } },\n  subscriptions:',
    ),
    'drillyard/busy.scenario.yaml': sound['drillyard/busy.scenario.yaml'].replace('virtualTimeUs: 3', `virtualTimeUs: ${start}`),
    'drillyard/long.drill.yaml': `schemaVersion: 1
id: long
targetId: agent
inlineScenario: { virtualTimeUs: ${us(172_800_000_000, '2d')}, actors: [{ id: ann }], initialEvents: [{ event: { packageId: notes, eventId: due }, payload: { id: dueUs }, atUs: ${us(259_200_000_000, 'P3D')}, actorId: ann }] }
timeline:
  horizonUs: ${us(604_800_000_000, '1w')}
  interactions: [{ id: one, actorId: ann, task: { instruction: Now., input: { atUs: 30s } }, afterStartUs: ${us(7, '7us')} }]
  workloads: [{ id: each, actorIds: [ann], task: { instruction: Again. }, startAfterUs: ${us(0, '0s')}, everyUs: ${us(3_600_000_000, 'PT1H')}, occurrences: 3 }]
assertions:
  - { id: after, kind: time.reached, afterStartUs: ${us(300_000_000, 'PT5M')} }
  - { id: at, kind: time.reached, virtualTimeUs: ${us(777_600_000_000, '1970-01-10')} }
`,
  };
}

test('times and lengths of time as text, and a seed as a number, make the same build', async (t) => {
  const integers = await buildWith(
    t,
    timed((integer) => String(integer), '"1"'),
  );
  const texts = await buildWith(
    t,
    timed((_, text) => text, '1'),
  );
  assert.equal(texts.buildHash, integers.buildHash);
  assert.deepEqual(texts, integers);
  // What is no time stays what was written.
  assert.deepEqual(texts.drills.find(({ drill }) => drill.id === 'long')?.drill.timeline.interactions[0]?.task.input, { atUs: '30s' });
});

test('a text that is no time is reported at its place, once, with an example', async (t) => {
  const { build, diagnostics } = await compileWith(t, {
    ...edited('drillyard/world.yaml', 'atUs: 5', 'atUs: 2026-01-05T09:00:00'),
    'drillyard/other.drill.yaml': sound['drillyard/add.drill.yaml']
      .replace('id: add', 'id: other')
      .replace('actorId: ann\ntask: { instruction: Add a note. }', 'timeline: { horizonUs: 30 sec, interactions: 3, workloads: [1] }'),
  });
  assert.equal(build, undefined);
  assert.deepEqual(lines(diagnostics), [
    'DY2003 drillyard/other.drill.yaml:6:24 /timeline/horizonUs expected a length of time, found "30 sec"',
    'DY2003 drillyard/other.drill.yaml:6:46 /timeline/interactions expected a list, found 3',
    'DY2003 drillyard/other.drill.yaml:6:61 /timeline/workloads/0 expected an object, found 1',
    'DY2003 drillyard/world.yaml:11:77 /initialEvents/0/atUs expected a time, found "2026-01-05T09:00:00"',
  ]);
  assert.match(diagnostics[0]?.suggestion ?? '', /"30s".*"PT5M"/);
  assert.match(diagnostics.at(-1)?.suggestion ?? '', /"2026-01-05T09:00:00Z"/);
});

// VIRTUAL-TIME-TEXT-1, VIRTUAL-TIME-TEXT-2
test('a length is exact or none', () => {
  const cases: [text: string, us: number | undefined][] = [
    ['30s', 30_000_000],
    ['1d12h', 129_600_000_000],
    ['0.5ms', 500],
    ['P1W', 604_800_000_000],
    ['P1DT0.000001S', 86_400_000_001],
    ['0.5us', undefined],
    ['PT0.0000001S', undefined],
    ['', undefined],
    ['P', undefined],
    ['PT', undefined],
    ['P1M', undefined],
    ['P1Y', undefined],
    ['12h1d', undefined],
    ['-5s', undefined],
    ['5', undefined],
    ['1 h', undefined],
    ['300000y', undefined],
    ['200000000w', undefined],
  ];
  for (const [text, us] of cases) assert.equal(parseDurationUs(text), us, text);
});

// VIRTUAL-TIME-TEXT-1, VIRTUAL-TIME-TEXT-3
test('a time is what Date says of it, and of a date that is none there is no time', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_800_000, max: 8_000_000_000_000 }), (ms) => {
      const text = new Date(ms).toISOString();
      assert.equal(parseVirtualUs(text), Number.isSafeInteger(ms * 1000) ? ms * 1000 : undefined);
    }),
  );
  for (const text of [
    '2026-02-29',
    '2026-13-01',
    '2026-01-01T24:00:00Z',
    '2026-01-01T10:00',
    '2026-01-01T10:00:60Z',
    '9999-01-01',
    '2026-01-01T10:00+25:00',
  ])
    assert.equal(parseVirtualUs(text), undefined, text);
  assert.equal(parseVirtualUs('2026-01-05T10:00-01:30'), Date.UTC(2026, 0, 5, 11, 30) * 1000);
});

test('every field of an authored file that counts microseconds takes both forms', () => {
  const authored = [
    'RootFile',
    'WorldInput',
    'ScenarioInput',
    'TargetDocumentInput',
    'DrillInput',
    'SuiteInput',
    'ToolPackageFile',
    'ToolStarter',
  ];
  const seen = new Set(authored);
  const found: string[] = [];
  const visit = (schema: Schema, at: string): void => {
    const name = shapeName(schema);
    const counts = /Us$/.test(at.replace('[]', '')) && !(name !== undefined && authoredShapes.includes(name)) && schema.items === undefined;
    if (counts) found.push(at);
    if (name !== undefined) seen.add(name);
    for (const part of schema.oneOf ?? []) visit(part, at);
    for (const [member, part] of Object.entries(schema.properties ?? {})) visit(part, `${at.replace(/[.].*/, '')}.${member}`);
    if (schema.items !== undefined) visit(schema.items, `${at}[]`);
    if (schema.additionalProperties !== undefined) visit(schema.additionalProperties, at);
  };
  for (const name of seen) visit(shapes[name] as Schema, name.replace(/Us$/, 'US'));
  assert.deepEqual(found, []);
  assert.ok(seen.has('DurationUs') && seen.has('PositiveDurationUs') && seen.has('VirtualUs') && seen.has('Seed'));
});
