// Hosted resources, at the edges.
import {
  validateAuthoringSession,
  validateCreateToolSetupRequest,
  validateDatasetRevisionView,
  validateSourceBaseline,
  validateSourceDataChoices,
} from '../../src/contract/validate/validators.js';
import { digest, edges, hash, idPattern, integer, items, required, safe, slug, stranger, text } from './edges.js';
import { drill, externalTarget, scenario } from './samples.js';

const target = { schemaVersion: 1, target: externalTarget };
const tool = { libraryEntryId: 'payments', expectedPackageArchiveDigest: digest, initialState: 'starter', instanceId: 'eu' };
const setup = {
  name: 'Setup',
  use: 'reusable',
  tools: [tool],
  previousSetupId: `setup_${'0'.repeat(26)}`,
  expectedPreviousBuildHash: digest,
  testDefinitions: { targets: [target], scenarios: [scenario], drills: [drill] },
};
edges('tool setup request', validateCreateToolSetupRequest, setup, [
  {
    at: '/name',
    fits: ['x', text(100), undefined],
    breaks: [
      ['', 'too_short'],
      [text(101), 'too_long'],
    ],
  },
  { at: '/use', fits: ['automated'], breaks: [['once', 'not_one_of'], ...required] },
  items('/tools', () => tool, 1, 8),
  { at: '/tools', breaks: required },
  {
    at: '/tools/0/libraryEntryId',
    fits: ['0', 'a', text(80), 'a-'],
    breaks: [['', 'pattern'], [text(81), 'pattern'], ['-a', 'pattern'], ['A', 'pattern'], ...required],
  },
  hash('/tools/0/expectedPackageArchiveDigest'),
  { at: '/tools/0/expectedPackageArchiveDigest', breaks: required },
  { at: '/tools/0/initialState', fits: ['empty'], breaks: [['full', 'not_one_of'], ...required] },
  { ...slug('/tools/0/instanceId'), fits: ['a', text(96), undefined] },
  idPattern('/previousSetupId', 'setup'),
  hash('/expectedPreviousBuildHash'),
  { at: '/testDefinitions', fits: [undefined] },
  items('/testDefinitions/targets', () => target, 1, 100),
  items('/testDefinitions/scenarios', () => scenario, 0, 100),
  { at: '/testDefinitions/scenarios', fits: [undefined] },
  items('/testDefinitions/drills', () => drill, 1, 100),
  { at: '/testDefinitions/drills', breaks: required },
  { at: '/testDefinitions/targets', breaks: required },
  ...['', '/tools/0', '/testDefinitions', '/testDefinitions/targets/0', '/testDefinitions/drills/0'].map(stranger),
]);

const selection = { packageId: 'desk', datasetId: `dataset_${'0'.repeat(32)}`, revision: 1, digest, instanceId: 'desk' };
edges(
  'source data choices',
  validateSourceDataChoices,
  {
    schemaVersion: 1,
    sourceDraftId: `draft_${'0'.repeat(26)}`,
    sourceRevision: 1,
    sourceDigest: digest,
    target: { kind: 'baseline' },
    selections: [selection],
  },
  [
    idPattern('/sourceDraftId', 'draft'),
    integer('/sourceRevision', 1, 2_147_483_647),
    items('/selections', () => selection, 1, 256),
    idPattern('/selections/0/datasetId', 'dataset', 'f'),
    { at: '/selections/0/datasetId', breaks: [[`dataset_${'g'.repeat(12)}`, 'pattern']] },
    { at: '/target', fits: [{ kind: 'scenario', scenarioId: 'rush-hour' }] },
  ],
);
const collection = { packageId: 'desk', instanceId: 'desk', namespace: 'tickets', schema: {}, editable: true, recordCount: 0, records: [] };
const source = { organizationId: 'org_x', projectId: 'prj_x', sourceDraftId: 'draft_x', revision: 1, version: 1, sourceDigest: digest };
edges('source baseline', validateSourceBaseline, { schemaVersion: 1, source, eligibility: 'available', collections: [collection] }, [
  { at: '/reason', fits: ['', text(500)], breaks: [[text(501), 'too_long']] },
  items('/collections', () => collection, 0, 2048),
  { at: '/eligibility', fits: ['unavailable', 'unsupported'], breaks: [['maybe', 'not_one_of']] },
]);
const session = {
  schemaVersion: 1,
  authoringSessionId: `authsess_${'0'.repeat(26)}`,
  organizationId: 'o',
  projectId: 'p',
  createdBy: 'u',
  state: 'active',
  version: 1,
  createdAtMs: 0,
  updatedAtMs: safe,
  workspace: 'repository',
  pendingActionCount: 0,
};
edges('authoring session', validateAuthoringSession, session, [
  idPattern('/authoringSessionId', 'authsess'),
  { at: '/state', fits: ['published', 'discarded'], breaks: [['all', 'not_one_of']] },
  integer('/createdAtMs', 0, safe),
]);
const datasetView = {
  dataset: {
    schemaVersion: 1,
    organizationId: 'o',
    projectId: 'p',
    datasetId: selection.datasetId,
    name: 'n',
    packageId: 'desk',
    version: 1,
    currentRevision: 1,
    currentDigest: digest,
    state: 'available',
    createdBy: 'u',
    createdAtMs: 0,
    updatedAtMs: 0,
  },
  revision: {
    schemaVersion: 1,
    datasetId: selection.datasetId,
    revision: 1,
    tool: { packageId: 'desk', version: '1.0.0', manifestHash: digest, artifactHash: digest, stateSchemaDigest: digest },
    collections: [{ namespace: 'tickets', records: [{ rowId: 'T-1', value: {} }] }],
    digest,
  },
  revisionCreatedBy: 'u',
  revisionCreatedAtMs: 0,
};
edges('dataset revision', validateDatasetRevisionView, datasetView, [
  integer('/revision/revision', 1, 2_147_483_647),
  integer('/dataset/currentRevision', 1, 2_147_483_647),
  hash('/revision/digest'),
]);
