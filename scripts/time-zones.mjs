// Makes src/tools/time-zone-table.ts, the time zones that tools know, from what Intl of this Node says:
//   node scripts/time-zones.mjs
// The table names the version of the time-zone data that it is of, and is committed, so that worlds are the same on every Node.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const firstYear = 1970;
const lastYear = 2050;
const startS = Date.UTC(firstYear, 0, 1) / 1000;
const endS = Date.UTC(lastYear + 1, 0, 1) / 1000;
/** No zone has changed twice within it. */
const stepS = 2 * 86_400;

/** Every name that Intl takes: its own list, and that of the system, which has the older names, too. */
function zoneNames() {
  const names = new Set(['UTC', 'GMT', ...Intl.supportedValuesOf('timeZone')]);
  const folder = '/usr/share/zoneinfo';
  for (const name of existsSync(folder) ? readdirSync(folder, { recursive: true }) : []) {
    if (/^(?:posix|right)\//.test(name) || !/^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/.test(name)) continue;
    if (statSync(join(folder, name)).isFile() && isZone(name)) names.add(name);
  }
  return [...names].sort((a, b) => (a < b ? -1 : 1));
}

function isZone(timeZone) {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** How many seconds the zone is ahead of UTC, by seconds since 1970. */
function offsetsOf(timeZone) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  return (seconds) => {
    const [month, day, year, hour, minute, second] = format
      .format(seconds * 1000)
      .split(/[^0-9]+/)
      .map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - seconds;
  };
}

const unitS = 30;
/** From the first change in it on, the changes of many zones are as far apart. */
const tailFromS = Date.UTC(2008, 0, 1) / 1000;
const tails = [];

function units(seconds) {
  if (seconds % unitS !== 0) throw new Error(`${seconds} s is no multiple of ${unitS} s`);
  return (seconds / unitS).toString(36);
}

/** The offset at first, then pairs of how long after the change before and by how much; `@n`: the n-th tail follows. */
function scheduleOf(timeZone) {
  const offsetAt = offsetsOf(timeZone);
  const parts = [units(offsetAt(startS))];
  let tail;
  let from = startS;
  let last = startS;
  let offset = offsetAt(startS);
  for (let next = from + stepS; from < endS; next = Math.min(next + stepS, endS)) {
    if (offsetAt(next) !== offset) {
      const after = changeWithin(offsetAt, from, next);
      (tail ?? parts).push(units(after - last), units(offsetAt(after) - offset));
      if (after >= tailFromS) tail ??= [];
      offset = offsetAt(after);
      last = after;
    }
    from = next;
  }
  return [...parts, ...tailOf(tail ?? [])].join(',');
}

/** The first second of what is after it. */
function changeWithin(offsetAt, from, to) {
  let [before, after] = [from, to];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === offsetAt(from)) before = middle;
    else after = middle;
  }
  return after;
}

function tailOf(parts) {
  const text = parts.join(',');
  if (text.length < 8) return parts;
  if (!tails.includes(text)) tails.push(text);
  return [`@${tails.indexOf(text)}`];
}

const schedules = new Map();
const canonical = new Map();
for (const name of zoneNames()) {
  const own = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  if (!canonical.has(own)) canonical.set(own, scheduleOf(own));
  const schedule = canonical.get(own);
  schedules.set(schedule, [...(schedules.get(schedule) ?? []), name]);
}
const entries = [...schedules].map(([schedule, names]) => `${names.join(' ')}=${schedule}`).sort((a, b) => (a < b ? -1 : 1));

/** Several to a line: there are hundreds. */
function lined(list) {
  const lines = [];
  for (const entry of list) {
    if (lines.length === 0 || lines.at(-1).length + entry.length > 4000) lines.push(entry);
    else lines[lines.length - 1] += `;${entry}`;
  }
  return lines.map((line) => `  '${line}',`).join('\n');
}

const text = `// Made by scripts/time-zones.mjs; not to be edited. Zones of one schedule share an entry, \`<names>=<offset>,<after>,<change>,...\`: how far
// ahead of UTC they are at first, then how long after the last change (the first: after the beginning of the first year) by how much that
// changes, in units and base 36. \`@n\` at its end: the n-th tail follows.
export const timeZoneVersion = '${process.versions.tz}';
export const timeZoneYears = { first: ${firstYear}, last: ${lastYear} } as const;
export const timeZoneUnitS = ${unitS};
export const timeZoneTable = [
${lined(entries)}
].join(';');
export const timeZoneTails = [
${lined(tails)}
].join(';');
`;
const file = fileURLToPath(new URL('../src/tools/time-zone-table.ts', import.meta.url));
writeFileSync(file, text);
console.error(
  `${[...schedules.values()].flat().length} zones, ${schedules.size} schedules, ${text.length} bytes, tz ${process.versions.tz}`,
);
