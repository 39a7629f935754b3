// Where each route of the local inspector lies. All need the bearer; only the shell of the web app, at `/`, does not.
import type { InspectorRouteId } from './inspector.js';

export interface InspectorRule {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  summary: string;
  /** On success. */
  status: 200 | 201 | 202;
}

const read = (path: string, summary: string): InspectorRule => ({ method: 'GET', path: `/api/v1${path}`, summary, status: 200 });
const change = (path: string, summary: string, status: 200 | 201 | 202 = 200): InspectorRule => {
  return { method: 'POST', path: `/api/v1${path}`, summary, status };
};

export const inspectorRoutes: { readonly [Id in InspectorRouteId]: InspectorRule } = {
  getProject: read('/project', 'The compiled World, Tools, targets, drills, suites, diagnostics and where each was declared'),
  refresh: change('/refresh', 'Load the source anew; refused while a drill runs'),
  getImplementation: read('/tools/{toolId}/implementation/{fileId}', 'One implementation file, as it was compiled'),

  listRuns: read('/runs', 'A page of saved runs, with every attempt that runs now'),
  getRun: read('/runs/{runId}', 'The report document, without its journal'),
  listEvidence: read('/runs/{runId}/evidence', 'A page of the journal'),
  searchEvidence: read('/runs/{runId}/evidence/search', 'Entries by text, kind, package and actor'),
  getTimeline: read('/runs/{runId}/timeline', 'What the timeline draws, on virtual time or entry by entry'),
  listNamespaces: read('/runs/{runId}/state-namespaces', 'Namespaces with their row counts, now or right after an entry'),
  listState: read('/runs/{runId}/state', 'Rows of a namespace, now or right after an entry'),
  listFaults: read('/runs/{runId}/faults', 'Faults, active or not, with how often each fired'),
  listScheduledEvents: read('/runs/{runId}/scheduled-events', 'What the world would do next'),
  listCallbacks: read('/runs/{runId}/callbacks', 'Callback deliveries'),
  listAssertions: read('/runs/{runId}/assertions', 'Assertions and checkpoints'),
  getReportAvailability: read('/runs/{runId}/report/availability', 'Whether the report can be served, and why not'),
  getReport: read('/runs/{runId}/report', 'The HTML report, verified'),
  listAttachments: read('/runs/{runId}/report/attachments', 'Attachments of the report, verified'),
  getAttachment: read('/runs/{runId}/report/attachments/{attachmentId}', 'The bytes of one attachment, to be saved'),

  startRun: change('/run-requests', 'Run a drill or a suite', 202),
  listRunRequests: read('/run-requests', 'Run requests since the server started'),
  getRunRequest: read('/run-requests/{requestId}', 'One run request, with the runs it made'),
  cancelRunRequest: change('/run-requests/{requestId}/cancel', 'Cancel what runs, and what was to run'),

  compareRuns: change('/comparisons', 'Two sealed runs side by side'),
  listEvents: read('/events', 'Server-sent events: run progress and new evidence as they happen'),

  createWorld: change('/worlds', 'Start a world to play with', 201),
  listWorlds: read('/worlds', 'Worlds to play with'),
  getWorld: read('/worlds/{worldId}', 'One world, and where it stands'),
  deleteWorld: { method: 'DELETE', path: '/api/v1/worlds/{worldId}', summary: 'End a world, and delete what it owns', status: 200 },
  callWorld: change('/worlds/{worldId}/calls', 'Call an operation as an actor'),
  advanceWorld: change('/worlds/{worldId}/advance', 'Advance the virtual time'),
  setWorldFault: change('/worlds/{worldId}/faults', 'Switch a fault on or off'),
  resetWorld: change('/worlds/{worldId}/reset', 'Back to the start, or some packages of it'),
  forkWorld: change('/worlds/{worldId}/forks', 'A second world, from now or from right after an entry', 201),
  listWorldEvidence: read('/worlds/{worldId}/evidence', 'A page of its journal'),
  searchWorldEvidence: read('/worlds/{worldId}/evidence/search', 'Entries of its journal by text, kind, package and actor'),
  getWorldTimeline: read('/worlds/{worldId}/timeline', 'What its timeline draws'),
  listWorldNamespaces: read('/worlds/{worldId}/state-namespaces', 'Namespaces with their row counts'),
  listWorldState: read('/worlds/{worldId}/state', 'Rows of a namespace'),
  listWorldFaults: read('/worlds/{worldId}/faults', 'Faults, active or not'),
  listWorldScheduledEvents: read('/worlds/{worldId}/scheduled-events', 'What it would do next'),
  listWorldActors: read('/worlds/{worldId}/actors', 'Actors with what they are granted'),
  listWorldTools: read('/worlds/{worldId}/tools', 'What an actor may call, with schemas'),
};
