// The time zones of tools: held against what Intl says where it is of the same data, and in the realm as outside of it.
import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { test } from 'node:test';
import { bundleBehavior } from '../../src/compiler/behavior-bundle.js';
import { loadTool } from '../../src/tools/load.js';
import { addCalendarTime, instantOf, isoTime, isTimeZone, timeZoneNames, zonedTime } from '../../src/tools/sdk.js';
import { timeZoneVersion } from '../../src/tools/time-zone-table.js';
import { folder } from '../compiler/repository.js';
import fc from '../fast-check.js';
import { compiledOf, FakeWorld, manifestOf, plain } from './tool-fixture.js';

const { tz } = process.versions as { tz?: string };
const otherData = tz === timeZoneVersion ? false : `Intl of this Node has the data of ${tz}, the table those of ${timeZoneVersion}`;

const us = (text: string): number => Date.parse(text) * 1000;
const zone = fc.constantFrom(...timeZoneNames());
const instant = fc.integer({ min: us('1970-01-02T00:00:00Z'), max: us('2050-12-30T00:00:00Z') });

const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const numeric = 'numeric' as const;
  const parts = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
  const made = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, calendar: 'gregory', hourCycle: 'h23', ...parts });
  formats.set(timeZone, made);
  return made;
}

// TIME-ZONES-1
test('what clocks show is what Intl says', { skip: otherData }, () => {
  fc.assert(
    fc.property(zone, instant, (timeZone, at) => {
      const { year, month, day, hour, minute, second, weekday, microsecond, offsetSeconds } = zonedTime(at, timeZone);
      const shown = formatOf(timeZone)
        .format(Math.floor(at / 1000))
        .split(/\D+/)
        .map(Number);
      assert.deepEqual([month, day, year, hour, minute, second], shown);
      const local = Date.UTC(year, month - 1, day, hour, minute, second);
      assert.equal(local * 1000 - offsetSeconds * 1_000_000 + microsecond, at);
      assert.equal(weekday, ((new Date(local).getUTCDay() + 6) % 7) + 1);
    }),
    { numRuns: 3000 },
  );
});

test('each hour around every change of some zones is what Intl says', { skip: otherData }, () => {
  const hour = 3_600_000_000;
  for (const timeZone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Pacific/Apia', 'Asia/Gaza'])
    for (let at = us('2009-01-01T00:00:00Z'); at < us('2013-01-01T00:00:00Z'); at += hour) {
      const { month, day, year, hour: hours, minute, second } = zonedTime(at, timeZone);
      assert.equal(
        `${month}/${day}/${year}, ${hours < 10 ? '0' : ''}${hours}:${minute < 10 ? '0' : ''}${minute}:0${second}`,
        formatOf(timeZone).format(at / 1000),
      );
    }
});

test('the instant of what a clock shows is that instant, or the other at which it shows the same', () => {
  fc.assert(
    fc.property(zone, instant, (timeZone, at) => {
      const shown = zonedTime(at, timeZone);
      const whole = at - shown.microsecond;
      const [earlier, later] = [instantOf(shown, timeZone, 'earlier'), instantOf(shown, timeZone, 'later')];
      assert.ok(earlier === whole || later === whole, `${earlier} ${later} ${whole}`);
      assert.equal(instantOf(shown, timeZone), earlier);
      for (const found of [earlier, later]) {
        const { offsetSeconds: _, ...same } = zonedTime(found, timeZone);
        const { offsetSeconds: __, ...wanted } = { ...shown, microsecond: 0 };
        assert.deepEqual(same, wanted);
      }
    }),
    { numRuns: 2000 },
  );
});

test('hours that are there twice, or not at all', () => {
  const berlin = 'Europe/Berlin';
  const twice = { year: 2024, month: 10, day: 27, hour: 2, minute: 30 };
  assert.deepEqual(
    (['usual', 'earlier', 'later'] as const).map((which) => isoTime(instantOf(twice, berlin, which))),
    ['2024-10-27T00:30:00Z', '2024-10-27T00:30:00Z', '2024-10-27T01:30:00Z'],
  );
  const never = { year: 2024, month: 3, day: 31, hour: 2, minute: 30 };
  assert.deepEqual(
    (['usual', 'earlier', 'later'] as const).map((which) => isoTime(instantOf(never, berlin, which), berlin)),
    ['2024-03-31T03:30:00+02:00', '2024-03-31T01:30:00+01:00', '2024-03-31T03:30:00+02:00'],
  );
  assert.equal(isoTime(instantOf({ year: 2011, month: 12, day: 30 }, 'Pacific/Apia'), 'Pacific/Apia'), '2011-12-31T00:00:00+14:00');
  for (const wrong of [{ month: 13 }, { day: 31 }, { hour: 24 }, { minute: 0.5 }, { second: -1 }])
    assert.throws(() => instantOf({ year: 2024, month: 4, day: 30, ...wrong }, berlin), /^RangeError: there is no time/);
  assert.throws(() => zonedTime(0, 'Europe/Atlantis'), /^RangeError: there is no time zone 'Europe\/Atlantis'/);
  assert.throws(() => zonedTime(0.5, berlin), /^RangeError: an instant is an integer/);
});

test('parts of a calendar keep the time of day, and the month', () => {
  const from = (text: string, parts: object, timeZone: string) => isoTime(addCalendarTime(us(text), parts, timeZone), timeZone);
  assert.equal(from('2024-03-30T08:00:00Z', { days: 1 }, 'Europe/Berlin'), '2024-03-31T09:00:00+02:00');
  assert.equal(from('2024-01-31T12:00:00Z', { months: 1 }, 'UTC'), '2024-02-29T12:00:00Z');
  assert.equal(from('2024-02-29T12:00:00Z', { years: 1 }, 'UTC'), '2025-02-28T12:00:00Z');
  assert.equal(from('2024-01-31T12:00:00Z', { months: -2, weeks: 1, days: 1 }, 'UTC'), '2023-12-08T12:00:00Z');
  assert.equal(from('2024-11-02T16:00:00Z', { weeks: 1 }, 'America/New_York'), '2024-11-09T12:00:00-05:00');
  assert.throws(() => addCalendarTime(0, { days: 0.5 }, 'UTC'), /^RangeError/);
});

test('texts, names, and years outside of the table', () => {
  assert.equal(isoTime(us('2026-03-02T09:00:00.999Z')), '2026-03-02T09:00:00Z');
  assert.equal(isoTime(us('1970-06-01T00:00:00Z'), 'Africa/Monrovia'), '1970-05-31T23:15:30-00:44:30');
  assert.equal(isoTime(us('2100-07-01T00:00:00Z'), 'Asia/Kolkata'), '2100-07-01T05:30:00+05:30');
  assert.equal(isoTime(us('1900-01-01T00:00:00Z'), 'UTC'), '1900-01-01T00:00:00Z');
  for (const name of ['UTC', 'Etc/GMT+5', 'US/Pacific', 'Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv']) assert.ok(isTimeZone(name), name);
  assert.ok(!isTimeZone('europe/berlin') && !isTimeZone('constructor'));
  assert.deepEqual(isoTime(0, 'Asia/Kolkata'), isoTime(0, 'Asia/Calcutta'));
});

test('a behavior has them in its realm; one that uses none has the code that it had', async (t) => {
  const module = (names: string, expression: string) =>
    `import { defineToolBehavior${names} } from 'drillyard/tool-sdk';\nexport default defineToolBehavior({ operations: { x: () => (${expression}) } });\n`;
  const bundled = async (text: string) => {
    const root = realpathSync(folder(t, { 'b.ts': text }));
    const { behavior, findings } = await bundleBehavior({ root, toolFile: 'x.tool.yaml', module: './b.ts', isSdk: () => false });
    assert.deepEqual(findings, []);
    return behavior ?? assert.fail();
  };
  const names = ', addCalendarTime, instantOf, isoTime, isTimeZone, timeZoneNames, zonedTime';
  const made = await bundled(
    module(
      names,
      `[isoTime(addCalendarTime(instantOf({ year: 2024, month: 3, day: 30, hour: 9 }, 'Europe/Berlin'), { days: 1 }, 'Europe/Berlin'), 'Europe/Berlin'),
        zonedTime(0, 'Asia/Tokyo').hour, isTimeZone('UTC'), timeZoneNames().length]`,
    ),
  );
  const compiled = { ...compiledOf(null, manifestOf(['x'])), behavior: made, artifactHash: made.codeHash };
  const result = loadTool(compiled).instantiate(new FakeWorld()).call('x', null);
  assert.ok(result.kind === 'value', JSON.stringify(result));
  assert.deepEqual(plain(result.value), ['2024-03-31T09:00:00+02:00', 9, true, timeZoneNames().length]);
  const without = await bundled(module('', '1'));
  assert.doesNotMatch(without.code, /isoTime|zonedTime/);
});
