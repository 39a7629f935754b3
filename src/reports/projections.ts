// The projections of a run: files of its folder that follow from report.json, evidence.jsonl and the attachments alone.
//   PROJECTIONS-1. A projection is a pure function of `ReportSources`: no clock, no path, no environment. `report verify` makes each again.
//   PROJECTIONS-2. `projectionRevision` rises whenever a released version would write other bytes; a folder of an earlier revision is not
//     compared, and one of an unknown revision is refused.
import type { RunReport } from '../contract/run/run-events.js';
import type { AttachmentView } from './attachments.js';
import type { EvidenceView } from './evidence-view.js';
import { htmlReport } from './html-page.js';
import { junitXml } from './junit.js';
import { textReport } from './text-report.js';

export const projectionRevision = 1;

export interface ReportSources {
  report: RunReport;
  evidence: EvidenceView;
  attachments: readonly AttachmentView[];
}

/** By file name. */
export const projections: { readonly [file: string]: (sources: ReportSources) => string | Uint8Array } = {
  'index.html': ({ report, evidence, attachments }) => htmlReport(report, evidence, attachments),
  'junit.xml': ({ report }) => junitXml([report]),
  'report.txt': ({ report, evidence }) => textReport(report, evidence),
  'run.json': ({ report }) => jsonDocument(report.result),
};

/** A JSON file as people open it: two spaces, a newline at the end. Half a surrogate pair, which UTF-8 cannot carry, becomes U+FFFD. */
export function jsonDocument(value: unknown): string {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  // JSON.stringify writes such a half as an escape, and nothing else that way.
  if (!text.includes('\\ud')) return text;
  return text.replace(/\\(?:(ud[89a-f][0-9a-f]{2})|.)/g, (escaped, half) => (half === undefined ? escaped : '\ufffd'));
}
