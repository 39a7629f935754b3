// Where each route of the local inspector lies. All need the bearer; only its OpenAPI document and the web app's shell, at `/`, do not.
import type { RouteRule, RouteTable } from '../route-table.js';
import type { InspectorRouteId } from './inspector.js';

export const inspectorPrefix = '/api/v1';

/** `token`: the one bearer of the inspector. */
export type InspectorRule = RouteRule<'token'>;

const row = (method: InspectorRule['method'], area: string, path: string, summary: string): InspectorRule => {
  return { method, path: inspectorPrefix + path, area, summary, authority: 'token', success: 200 };
};
const read = (area: string, path: string, summary: string): InspectorRule => row('GET', area, path, summary);
const change = (area: string, path: string, summary: string, success: 200 | 201 | 202 = 200): InspectorRule => {
  return { ...row('POST', area, path, summary), success, isBodyOptional: true };
};

export const inspectorRoutes: RouteTable<InspectorRouteId, InspectorRule> = {
  getProject: read('project', '/project', 'The compiled World, Tools, targets, drills, suites, diagnostics and where each was declared'),
  refresh: change('project', '/refresh', 'Reload the source; refused while a drill runs'),
  openEditor: change('project', '/editor', 'Open a place of the source in the editor of this machine'),
  getImplementation: read('project', '/tools/{toolId}/implementation/{fileId}', 'One implementation file, as it was compiled'),
  listSource: read('project', '/source', 'The files of the repository that its runs follow from'),
  getSource: read('project', '/source/{fileId}', 'One file of the repository'),
  findSource: read('project', '/source-matches', 'Lines of the source that hold a text'),

  listRuns: read('runs', '/runs', 'A page of saved runs, with every attempt that runs now'),
  findRun: read('runs', '/run-names/{name}', 'The run that `latest`, `latest~2` or the id of an invocation stands for'),
  getRun: read('runs', '/runs/{runId}', 'The report document, without its journal'),
  listEvidence: read('runs', '/runs/{runId}/evidence', 'A page of the journal'),
  searchEvidence: read('runs', '/runs/{runId}/evidence/search', 'Entries by text, kind, package and actor'),
  getChain: read('runs', '/runs/{runId}/evidence/{sequence}/chain', 'What led to an entry, and what it led to, however far apart'),
  getTranscript: read('runs', '/runs/{runId}/transcript', 'What the agent said, with the place in the journal of each line'),
  getStory: read('runs', '/runs/{runId}/story', 'What led to the failure, in up to five lines'),
  getTimeline: read('runs', '/runs/{runId}/timeline', 'What the timeline draws, on virtual time or entry by entry'),
  listNamespaces: read('runs', '/runs/{runId}/state-namespaces', 'Namespaces with their row counts, now or right after an entry'),
  listState: read('runs', '/runs/{runId}/state', 'Rows of a namespace, now or right after an entry'),
  listRowChanges: read('runs', '/runs/{runId}/row-changes', 'Every entry that changed one row'),
  listFaults: read('runs', '/runs/{runId}/faults', 'Faults, active or not, with how often each fired'),
  listScheduledEvents: read('runs', '/runs/{runId}/scheduled-events', 'What the world would do next'),
  listCallbacks: read('runs', '/runs/{runId}/callbacks', 'Callback deliveries'),
  listAssertions: read('runs', '/runs/{runId}/assertions', 'Assertions and checkpoints'),
  getReportAvailability: read('runs', '/runs/{runId}/report/availability', 'Whether the report can be served, and why not'),
  getReport: { ...read('runs', '/runs/{runId}/report', 'The HTML report, verified'), media: 'text/html' },
  getReportZip: {
    ...read('runs', '/runs/{runId}/report/zip', 'The whole report folder, verified, as one zip archive'),
    media: 'application/zip',
  },
  listAttachments: read('runs', '/runs/{runId}/report/attachments', 'Attachments of the report, verified'),
  getAttachment: {
    ...read('runs', '/runs/{runId}/report/attachments/{attachmentId}', 'The bytes of one attachment, to be saved'),
    media: 'application/octet-stream',
  },

  startRun: change('run requests', '/run-requests', 'Run a drill or a suite', 202),
  listRunRequests: read('run requests', '/run-requests', 'Run requests since the server started'),
  getRunRequest: read('run requests', '/run-requests/{requestId}', 'One run request, with the runs it made'),
  cancelRunRequest: change('run requests', '/run-requests/{requestId}/cancel', 'Cancel what runs, and what was to run'),

  compareRuns: change('runs', '/comparisons', 'Two sealed runs side by side'),
  recordRun: change('runs', '/runs/{runId}/recordings', 'The run as a drill or a scenario of the repository; written on request'),
  recordWorld: change('worlds', '/worlds/{worldId}/recordings', 'The world as a drill or a scenario of the repository; written on request'),
  listEvents: {
    ...read('events', '/events', 'Server-sent events: run progress and new evidence as they happen'),
    media: 'text/event-stream',
  },

  createWorld: change('worlds', '/worlds', 'Start a world to play with, also from an entry of a run', 201),
  listWorlds: read('worlds', '/worlds', 'Worlds to play with'),
  getWorld: read('worlds', '/worlds/{worldId}', 'One world, and where it stands'),
  deleteWorld: row('DELETE', 'worlds', '/worlds/{worldId}', 'End a world, and delete what it owns'),
  callWorld: change('worlds', '/worlds/{worldId}/calls', 'Call an operation as an actor'),
  advanceWorld: change('worlds', '/worlds/{worldId}/advance', 'Advance the virtual time'),
  setWorldFault: change('worlds', '/worlds/{worldId}/faults', 'Switch a fault on or off'),
  resetWorld: change('worlds', '/worlds/{worldId}/reset', 'Back to the start, or some packages of it'),
  forkWorld: change('worlds', '/worlds/{worldId}/forks', 'A second world, from now or from right after an entry', 201),
  compareWorld: read('worlds', '/worlds/{worldId}/comparison', 'What was done in it otherwise than in the run that it was forked from'),
  listWorldEvidence: read('worlds', '/worlds/{worldId}/evidence', 'A page of its journal'),
  searchWorldEvidence: read('worlds', '/worlds/{worldId}/evidence/search', 'Entries of its journal by text, kind, package and actor'),
  getWorldChain: read('worlds', '/worlds/{worldId}/evidence/{sequence}/chain', 'What led to an entry, and what it led to'),
  getWorldTimeline: read('worlds', '/worlds/{worldId}/timeline', 'What its timeline draws'),
  listWorldNamespaces: read('worlds', '/worlds/{worldId}/state-namespaces', 'Namespaces with their row counts'),
  listWorldState: read('worlds', '/worlds/{worldId}/state', 'Rows of a namespace'),
  listWorldRowChanges: read('worlds', '/worlds/{worldId}/row-changes', 'Every entry that changed one row'),
  listWorldFaults: read('worlds', '/worlds/{worldId}/faults', 'Faults, active or not'),
  listWorldScheduledEvents: read('worlds', '/worlds/{worldId}/scheduled-events', 'What it would do next'),
  listWorldActors: read('worlds', '/worlds/{worldId}/actors', 'Actors with what they are granted'),
  listWorldTools: read('worlds', '/worlds/{worldId}/tools', 'What an actor may call, with schemas'),
};
