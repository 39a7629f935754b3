// What the page's script is given: the entries that the page holds, and the few facts of the run that place them.
import { defined } from '../contract/defined.js';
import { limits } from '../contract/limits.js';
import type { InteractionResult } from '../contract/run/run.js';
import type { FaultMeaning, RunReport } from '../contract/run/run-events.js';
import type { Transcript } from '../contract/run/transcript.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import type { StatePatch } from '../contract/world/scenario.js';
import type { EvidenceView } from './evidence-view.js';
import { findingsOf } from './findings.js';

export interface PageData {
  runId: string;
  /** Entries of the whole journal, by kind, and how they spread over virtual time. */
  total: number;
  kinds: { [kind: string]: number };
  density: number[];
  /** Those of them that the page holds, in order; without the version, which is the same in each. */
  entries: EvidenceEntry[];
  interactions: Pick<InteractionResult, 'interactionId' | 'startedAtVirtualUs' | 'finishedAtVirtualUs'>[];
  /** By sequence: the assertions that did not pass and refer to the entry. */
  failing: { [sequence: string]: string[] };
  /** The rows of the start, where the page holds the whole journal and they are few: state at any entry follows from both. */
  start?: StatePatch[];
  /** What the agent said, where it was kept. */
  transcript?: Transcript;
  /** The faults of its world in the words of their tools, where they have any. */
  faultMeanings?: FaultMeaning[];
  oneTool: boolean;
  oneActor: boolean;
}

export function pageData(
  { result, runId, transcript, faultMeanings }: RunReport,
  { total, kinds, density, shown }: EvidenceView,
): PageData {
  const failing: PageData['failing'] = {};
  const known = new Set(shown.map(({ entry }) => entry.sequence));
  for (const { assertion } of findingsOf(result)) {
    for (const sequence of assertion.evidenceSequences) {
      if (known.has(sequence)) failing[sequence] = [...(failing[sequence] ?? []), assertion.assertionId];
    }
  }
  const { scenario, tools } = result.setup.setup;
  const isWhole = shown.length === total && JSON.stringify(scenario.state).length <= limits.reportStartCharsMax;
  return {
    runId,
    total,
    kinds: kinds as PageData['kinds'],
    density,
    entries: shown.map(({ entry: { schemaVersion: _, ...entry } }) => entry as EvidenceEntry),
    interactions: result.interactions.map(({ interactionId, startedAtVirtualUs, finishedAtVirtualUs }) => {
      return { interactionId, startedAtVirtualUs, finishedAtVirtualUs };
    }),
    failing,
    ...(isWhole ? { start: scenario.state } : {}),
    ...defined({ transcript, faultMeanings }),
    oneTool: tools.packages.length === 1,
    oneActor: scenario.actors.length === 1,
  };
}

/** As the entries stand in the journal. */
export function withVersions(data: PageData): PageData {
  return { ...data, entries: data.entries.map((entry) => ({ ...entry, schemaVersion: 1 })) };
}
