// Why a run did not pass, as Markdown: to be put into an issue, or given to a model. What a report says is data: it is fenced.
import type { AssertionResult } from '../../../contract/run/run.js';
import type { EvidenceEntry } from '../../../contract/world/evidence.js';
import { entryText } from '../../../reports/entry-text.js';
import { findingsOf, headline } from '../../../reports/findings.js';
import { locationText } from '../../../reports/shown-values.js';
import { tuning } from '../../tuning.js';
import { client } from './session.tsx';

export async function failureMarkdown(runId: string): Promise<string> {
  const { report } = await client.call('getRun', { path: { runId } });
  if (report === undefined) return `Run \`${runId}\` has no report yet.\n`;
  const { result, drill, target } = report;
  const findings = findingsOf(result).map(({ assertion }) => assertion);
  const cited = [...new Set(findings.flatMap(({ evidenceSequences }) => evidenceSequences))].slice(0, tuning.markdownEntries);
  const entries =
    cited.length === 0
      ? []
      : (await client.call('listEvidence', { path: { runId }, query: { sequences: cited.sort((a, b) => a - b).join(',') } })).entries;
  const { identity } = result;
  return [
    `## ${drill.title ?? drill.id}: ${result.verdict}`,
    '',
    fenced(headline(report)),
    '',
    `Drill \`${drill.id}\`, target \`${target.id}\`, run \`${runId}\`, trial ${identity.trial} of ${identity.trialCount}, evidence \`${result.evidenceHash}\`.`,
    '',
    ...result.interactions.flatMap(({ interactionId, task }) => [`Task \`${interactionId}\`:`, '', fenced(task.instruction), '']),
    ...findings.flatMap(findingLines),
    ...(entries.length === 0 ? [] : ['### Evidence', '', fenced(entries.map(entryLine).join('\n')), '']),
  ].join('\n');
}

function findingLines({ assertionId, status, message, expected, actual, location }: AssertionResult): string[] {
  const values = [
    message,
    ...(location === undefined ? [] : [`at ${locationText(location)}`]),
    ...(expected === undefined ? [] : [`expected ${JSON.stringify(expected)}`]),
    ...(actual === undefined ? [] : [`actual   ${JSON.stringify(actual)}`]),
  ];
  return [`### \`${assertionId}\`: ${status}`, '', fenced(values.join('\n')), ''];
}

const entryLine = (entry: EvidenceEntry): string => `#${entry.sequence} ${entryText(entry)}`;

/** In a fence that nothing in the text can end. */
function fenced(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}\n${text}\n${fence}`;
}
