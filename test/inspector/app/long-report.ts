// A report with a journal as long as wanted: the entries of a short one over and over, each with its own sequence and a later time, or
// all of them at a few moments that are a day apart.
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
  const parsed = pattern.map((line) => JSON.parse(line) as EvidenceEntry);
  const startUs = parsed[0]!.virtualTimeUs;
  const laterUs = (index: number): number => (moments === undefined ? index * stepUs : Math.floor((index * moments) / entries) * dayUs);
  const file = openSync(join(folder, 'evidence.jsonl'), 'w');
  for (let at = 0; at < entries; at += entriesAtOnce) {
    const lines: string[] = [];
    for (let index = at; index < Math.min(at + entriesAtOnce, entries); index++) {
      const { causeSequence: _, ...entry } = parsed[index % parsed.length]!;
      lines.push(`${canonicalJson({ ...entry, sequence: index + 1, virtualTimeUs: startUs + laterUs(index) } as never)}\n`);
    }
    writeSync(file, lines.join(''));
  }
  closeSync(file);
  const report = JSON.parse(readFileSync(join(source, 'report.json'), 'utf8')) as RunReport;
  report.runId = runId;
  report.result.identity.runId = runId;
  report.drill = { id: 'endurance', title: 'A day at the desk without a pause', tags: [] };
  report.result.evidenceRange.toSequence = entries;
  report.result.finishedAtVirtualUs = startUs + laterUs(entries);
  writeFileSync(join(folder, 'report.json'), JSON.stringify(report));
  const files = ['evidence.jsonl', 'report.json'].map((path) => {
    const bytes = readFileSync(join(folder, path));
    return { path, bytes: bytes.length, sha256: sha256Digest(bytes) };
  });
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ schemaVersion: 1, runId, projectionRevision: 1, files }));
}
