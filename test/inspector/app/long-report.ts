// A report with a journal as long as wanted: the entries of a short one over and over, each with its own sequence and a later time, or
// all of them at a few moments that are a day apart.
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../../../src/contract/canonical-json.js';
import { sha256Digest } from '../../../src/contract/digest.js';
import type { RunReport } from '../../../src/contract/run/run-events.js';
import type { EvidenceEntry } from '../../../src/contract/world/evidence.js';

const stepUs = 40_000;
const dayUs = 86_400_000_000;
const entriesAtOnce = 5000;

export interface LongReport {
  from: string;
  runId: string;
  entries: number;
  moments?: number | undefined;
}

export function writeLongReport(reports: string, { from, runId, entries, moments }: LongReport): void {
  const [source, folder] = [join(reports, from), join(reports, runId)];
  mkdirSync(folder);
  const pattern = readFileSync(join(source, 'evidence.jsonl'), 'utf8').trimEnd().split('\n');
  const startUs = (JSON.parse(pattern[0]!) as EvidenceEntry).virtualTimeUs;
  const texts = pattern.map(textAround);
  const laterUs = (index: number): number => (moments === undefined ? index * stepUs : Math.floor((index * moments) / entries) * dayUs);
  const file = openSync(join(folder, 'evidence.jsonl'), 'w');
  const digest = createHash('sha256');
  let evidenceBytes = 0;
  for (let at = 0; at < entries; at += entriesAtOnce) {
    const lines: string[] = [];
    for (let index = at; index < Math.min(at + entriesAtOnce, entries); index++) {
      const [before, between, behind] = texts[index % texts.length]!;
      lines.push(`${before}${index + 1}${between}${startUs + laterUs(index)}${behind}\n`);
    }
    const bytes = Buffer.from(lines.join(''));
    writeSync(file, bytes);
    digest.update(bytes);
    evidenceBytes += bytes.length;
  }
  closeSync(file);
  const report = JSON.parse(readFileSync(join(source, 'report.json'), 'utf8')) as RunReport;
  report.runId = runId;
  report.result.identity.runId = runId;
  report.drill = { id: 'endurance', title: 'A day at the desk without a pause', tags: [] };
  report.result.evidenceRange.toSequence = entries;
  report.result.finishedAtVirtualUs = startUs + laterUs(entries);
  const text = JSON.stringify(report);
  writeFileSync(join(folder, 'report.json'), text);
  const files = [
    { path: 'evidence.jsonl', bytes: evidenceBytes, sha256: `sha256:${digest.digest('hex')}` },
    { path: 'report.json', bytes: Buffer.byteLength(text), sha256: sha256Digest(text) },
  ];
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ schemaVersion: 1, runId, projectionRevision: 1, files }));
}

const [sequenceMark, timeMark] = [8_000_000_000_000_001, 8_000_000_000_000_002];
/** The canonical text of an entry but for its sequence and its time, which are put between. */
function textAround(line: string): string[] {
  const { causeSequence: _, ...entry } = JSON.parse(line) as EvidenceEntry;
  return canonicalJson({ ...entry, sequence: sequenceMark, virtualTimeUs: timeMark } as never).split(/8000000000000001|8000000000000002/);
}
