// How many items the lists of authored files may have: one table, which the compiler checks (DY2006) and the JSON Schemas of the files
// have, so that an editor says the same.
import { limits } from '../limits.js';

const start = {
  actors: limits.startActorsMax,
  state: limits.startRowsMax,
  faults: limits.startFaultsMax,
  initialEvents: limits.startEventsMax,
};
const drill = { assertions: limits.drillAssertionsMax, tags: limits.tagsMax, cases: limits.drillCasesMax };
const each = limits.manifestListItemsMax;

/** By shape and member. */
export const listBounds = {
  WorldInput: start,
  ScenarioInput: start,
  InlineScenarioInput: start,
  ScenarioActorInput: { grants: limits.actorGrantsMax },
  ShortDrillInput: drill,
  LongDrillInput: drill,
  /** Less what the drill has of assertions. */
  TimelineInput: { invariants: limits.drillAssertionsMax },
  SuiteInput: { drills: limits.suiteDrillsMax, tags: limits.tagsMax },
  ToolManifestInput: {
    state: each,
    operations: each,
    events: each,
    subscriptions: each,
    faults: each,
    http: each,
    callbacks: each,
    connections: each,
    compatibility: each,
  },
  ToolOperationInput: { declaredErrors: each },
  ToolFault: { appliesTo: each },
} as const;

/** What a file of cases ends in. */
export const caseFilePattern = '\\.(?:yaml|yml|json|jsonl)$';
