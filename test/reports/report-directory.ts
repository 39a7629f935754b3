// A directory for reports that goes when its test ends.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { writeRunReport } from '../../src/reports/write-run-report.js';
import type { RunFixture } from './fixtures.js';

export async function reportDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'drillyard-reports-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Gives the folder. */
export async function writeFixture(directory: string, { report, lines, attachments }: RunFixture): Promise<string> {
  return (await writeRunReport({ reportDirectory: directory, report, evidenceLines: lines, attachments })).folder;
}
