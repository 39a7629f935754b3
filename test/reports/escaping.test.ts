// What an agent or a tool says stays text: in the page, in XML and on a terminal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunReport } from '../../src/contract/run/run-events.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import { EvidenceSelection } from '../../src/reports/evidence-view.js';
import { htmlReport } from '../../src/reports/html-page.js';
import { junitXml } from '../../src/reports/junit.js';
import { pageData } from '../../src/reports/page-data.js';
import { textReport } from '../../src/reports/text-report.js';
import fc from '../fast-check.js';
import { failingRun } from './fixtures.js';
import { checkJunit } from './junit-schema.js';
import { readXml } from './xml-reader.js';

/** Members whose values come from closed sets or decide what is shown. */
const fixedMembers = new Set(
  'kind status verdict phase change timing reason idempotency checkpointKind action bindingEvidence worldConsistency policy runId logs screenshots video files source'.split(
    ' ',
  ),
);

function mapStrings<T>(value: T, map: (text: string) => string): T {
  if (typeof value === 'string') return map(value) as T;
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    typeof member === 'string' && fixedMembers.has(name) ? member : mapStrings(member, map),
  ]);
  return Object.fromEntries(members) as T;
}

/** Names of rows' members are free, too. */
function mapRowNames(entry: EvidenceEntry, map: (text: string) => string): EvidenceEntry {
  if (entry.kind !== 'state_change') return entry;
  const rename = (row: typeof entry.before) => row && Object.fromEntries(Object.entries(row).map(([name, value]) => [map(name), value]));
  return { ...entry, before: rename(entry.before), after: rename(entry.after) };
}

interface Projected {
  report: RunReport;
  html: string;
  xml: string;
  text: string;
  data: unknown;
}
function project(map: (text: string) => string): Projected {
  const { report: original, lines } = failingRun();
  const report = mapStrings(original, map);
  report.result.capture.attachments = [];
  const selection = new EvidenceSelection(report.result);
  for (const line of lines) selection.append(mapRowNames(mapStrings(JSON.parse(line) as EvidenceEntry, map), map), line.length);
  const evidence = selection.view();
  return {
    report,
    html: htmlReport(report, evidence, []).toString(),
    xml: junitXml([report]),
    text: textReport(report, evidence),
    data: JSON.parse(JSON.stringify(pageData(report, evidence))) as unknown,
  };
}

const nasty = fc.oneof(
  fc.constantFrom(
    '</script><script>alert(1)</script>',
    '<!--<script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '&lt;b&gt; &amp; &#0; &bogus;',
    ']]><![CDATA[',
    '</style><style>*{display:none}',
    '</pre></p></div></section>',
    'javascript:alert(1)',
    '\u001b[2J\u001b]0;owned\u0007',
    'a\u0000b\u0008\u000b\u009bK',
    '\ud800 alone, and \udfff',
    '\u202egnp.exe\u202c \u2066x\u2069',
    '\u2028\u2029\ufeff\ufffe\uffff',
    '\r\n\r\n',
    '__proto__',
    '`$' + '{alert(1)}`',
    '%3Cscript%3E \\u003cscript>',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '!', '-', ';', '\n', '\t', '\u0000', 'x'), maxLength: 30 }),
);

const element = /<(\/?)([a-z][a-z0-9]*)([^>]*)>/g;
const attribute = /\s([a-z-]+)(?:="([^"]*)")?/g;
/** The page's structure: its tags with the names of their attributes, bodies of script and style left out. */
function skeleton(html: string): string[] {
  const body = html.replace(/(<(?:script|style)[^>]*>)[\s\S]*?(<\/(?:script|style)>)/g, '$1$2');
  return [...body.matchAll(element)].map(
    ([, closing, name, attributes = '']) => `${closing}${name} ${[...attributes.matchAll(attribute)].map(([, key]) => key).join(' ')}`,
  );
}

const plainPage = skeleton(project((text) => `x${text}`).html);

test('the structure of the page does not depend on what is in it', () => {
  fc.assert(
    fc.property(nasty, (poison) => {
      const { html, data } = project((text) => `${poison}${text}`);
      assert.deepEqual(skeleton(html), plainPage);
      assert.equal(html.match(/<\/script>/gi)?.length, 2);
      assert.equal(html.match(/<\/style>/gi)?.length, 1);
      const embedded = /<script type="application\/json" id="page-data">([^<>&]*)<\/script>/.exec(html)?.[1];
      assert.ok(embedded !== undefined, 'the data element holds no character that means something in HTML');
      assert.deepEqual(JSON.parse(embedded), data);
    }),
    { numRuns: 60 },
  );
});

test('junit.xml is well formed and keeps its structure whatever is in it', () => {
  fc.assert(
    fc.property(nasty, (poison) => {
      const document = readXml(project((text) => `${poison}${text}`).xml);
      checkJunit(document);
      assert.equal(document.children[0]?.children.length, 9);
    }),
    { numRuns: 60 },
  );
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]|\p{Surrogate}/u;

test('nothing that steers a terminal or turns the reading order is in report.txt or the page', () => {
  fc.assert(
    fc.property(nasty, (poison) => {
      const { text, html } = project((original) => `${poison}${original}`);
      assert.doesNotMatch(text, unsafe);
      assert.doesNotMatch(html, unsafe);
    }),
    { numRuns: 60 },
  );
});
