// What the page's script is given: the shown entries and the few facts of the run that place them.
import type { RunResult } from '../contract/run/run.js';
import type { RunReport } from '../contract/run/run-events.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { actorName } from './entry-text.js';
import type { EvidenceView, ShownEntry } from './evidence-view.js';
import { findingsOf } from './findings.js';
import { callsByInteraction } from './interaction-calls.js';

export interface PageData {
  startedAtUs: number;
  finishedAtUs: number;
  total: number;
  kinds: { [kind: string]: number };
  density: number[];
  entries: { entry: EvidenceEntry; text: string; problem?: true }[];
  /** Those with tool calls in this page, in order; `calls` are sequences. */
  interactions: { id: string; actor: string; calls: number[] }[];
  /** By sequence: the assertions that did not pass and refer to the entry. */
  failing: { [sequence: string]: string[] };
}

export function pageData({ result }: RunReport, { total, kinds, density, shown }: EvidenceView): PageData {
  const failing: PageData['failing'] = {};
  const known = new Set(shown.map(({ entry }) => entry.sequence));
  for (const { assertion } of findingsOf(result)) {
    for (const sequence of assertion.evidenceSequences) {
      if (known.has(sequence)) failing[sequence] = [...(failing[sequence] ?? []), assertion.assertionId];
    }
  }
  return {
    startedAtUs: result.startedAtVirtualUs,
    finishedAtUs: result.finishedAtVirtualUs,
    total,
    kinds: kinds as PageData['kinds'],
    density,
    entries: shown.map(({ entry, text, problem }) => ({ entry, text, ...(problem ? { problem } : {}) })),
    interactions: interactionsWithCalls(result, shown),
    failing,
  };
}

function interactionsWithCalls(result: RunResult, shown: readonly ShownEntry[]): PageData['interactions'] {
  const calls = callsByInteraction(result, shown);
  return result.interactions
    .map((interaction) => ({
      id: interaction.interactionId,
      actor: actorName(interaction),
      calls: calls.get(interaction.interactionId) ?? [],
    }))
    .filter((interaction) => interaction.calls.length > 0);
}
