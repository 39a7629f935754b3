// Drills, short and long, and suites, at the edges.
import { validateDrill, validateSuite } from '../../src/contract/validate/validators.js';
import { type Edge, edges, integer, items, required, safe, slug, slugs, stranger, text, title } from './edges.js';
import { assertion, drill, override } from './samples.js';

const further = (kind: string, members: object): object => ({ id: 'a', kind, ...members });
const row = { packageId: 'desk', namespace: 'tickets' };
const furtherEdges: Edge[] = [
  {
    at: '/assertions/0',
    fits: [
      further('fault.count', { fault: { packageId: 'desk', faultId: 'down', operationId: 'ticket.get' }, count: { equals: 1 } }),
      further('time.reached', { afterStartUs: 0 }),
      further('time.reached', { virtualTimeUs: -5 }),
      further('output.value', { expected: null }),
      further('effect.at_most_once', { operation: { packageId: 'desk', operationId: 'ticket.get' } }),
      further('effect.at_most_once', { operation: { packageId: 'desk', operationId: 'ticket.get' }, identity: { arguments: [['id']] } }),
      further('state.unchanged', {}),
      further('state.unchanged', { except: [{ packageId: 'desk' }], scope: [{ ...row, rowId: 'T-1' }] }),
      further('state.diff', { changes: [{ change: 'update', ...row, before: {}, after: {}, only: ['a'] }], exact: false }),
      further('state.diff', { changes: [] }),
      further('expr', { expression: 'true', state: { tickets: row } }),
    ],
  },
  { at: '/assertions/0', inside: '/afterStartUs', breaks: [[further('time.reached', {}), 'required']] },
  { at: '/assertions/0', inside: '/virtualTimeUs', breaks: [[further('time.reached', { afterStartUs: 1, virtualTimeUs: 1 }), 'conflict']] },
  { at: '/assertions/0', inside: '/expected', breaks: [[further('output.value', { comparison: 'one_of', expected: 1 }), 'wrong_type']] },
  {
    at: '/assertions/0',
    inside: '/except/0/namespace',
    breaks: [[further('state.unchanged', { except: [{ packageId: 'desk', rowId: 'T-1' }] }), 'required']],
  },
  {
    at: '/assertions/0',
    inside: '/changes/0/before',
    breaks: [[further('state.diff', { changes: [{ change: 'insert', ...row, before: {} }] }), 'conflict']],
  },
  {
    at: '/assertions/0',
    inside: '/changes/0/after',
    breaks: [[further('state.diff', { changes: [{ change: 'delete', ...row, after: {} }] }), 'conflict']],
  },
  {
    at: '/assertions/0',
    inside: '/changes/0/only',
    breaks: [[further('state.diff', { changes: [{ change: 'delete', ...row, only: [] }] }), 'conflict']],
  },
  { at: '/assertions/0', inside: '/changes', breaks: [[further('state.diff', { changes: [], exact: false }), 'conflict']] },
  {
    at: '/assertions/0',
    inside: '/scope',
    breaks: [
      [further('state.diff', { changes: [], scope: [] }), 'too_few'],
      [further('state.unchanged', { scope: [] }), 'too_few'],
    ],
  },
  { at: '/assertions/0', inside: '/state/1st', breaks: [[further('expr', { expression: 'true', state: { '1st': row } }), 'pattern']] },
  { at: '/assertions/0', inside: '/expression', breaks: [[further('expr', { expression: '' }), 'too_short']] },
];
const counted = (count: unknown) => ({ id: 'a', kind: 'state.count', packageId: 'desk', namespace: 'tickets', count });
edges('drill', validateDrill, drill, [
  { at: '/schemaVersion', breaks: [[2, 'not_one_of']] },
  slug('/id'),
  title('/title'),
  { ...slugs, at: '/tags/0' },
  { at: '/tags', fits: [undefined, []] },
  ...['id', 'targetId', 'assertions', 'schemaVersion', 'task', 'actorId'].map((name): Edge => ({ at: `/${name}`, breaks: required })),
  slug('/targetId'),
  { at: '/scenarioId', fits: [undefined] },
  { at: '/inlineScenario', breaks: [[{}, 'conflict']] },
  { at: '/task/instruction', fits: [text(65_536)], breaks: [['', 'too_short'], [text(65_537), 'too_long'], ...required] },
  { at: '/assertions', breaks: [[[], 'too_few']] },
  { at: '/trials', fits: [undefined, {}, { count: 10_000, classification: 'safety', require: { passRate: 0.5, passHatK: 10_000 } }] },
  {
    at: '/trials',
    inside: '/count',
    breaks: [
      [{ count: 0 }, 'too_small'],
      [{ count: 10_001 }, 'too_large'],
    ],
  },
  {
    at: '/trials',
    inside: '/require/passRate',
    breaks: [
      [{ require: { passRate: -0.1 } }, 'too_small'],
      [{ require: { passRate: 1.1 } }, 'too_large'],
    ],
  },
  {
    at: '/trials',
    inside: '/require/passHatK',
    breaks: [
      [{ count: 2, require: { passHatK: 3 } }, 'conflict'],
      [{ require: { passHatK: 2 } }, 'conflict'],
    ],
  },
  { at: '/capture', fits: [{}, { logs: 'always', files: 'on_failure' }] },
  { at: '/toolOverrides', fits: [[override]] },
  { at: '/assertions/0', fits: [counted({ equals: 0 }), counted({ atLeast: 1 }), counted({ atLeast: 1, atMost: 1 })] },
  {
    at: '/assertions/0',
    inside: '/count',
    breaks: [
      [counted({}), 'required'],
      [counted(undefined), 'required'],
    ],
  },
  {
    at: '/assertions/0',
    inside: '/count/atMost',
    breaks: [
      [counted({ atLeast: 2, atMost: 1 }), 'conflict'],
      [counted({ atMost: -1 }), 'too_small'],
    ],
  },
  { at: '/assertions/0', inside: '/count/equals', breaks: [[counted({ equals: 1, atMost: 1 }), 'conflict']] },
  { at: '/assertions/0/comparison', fits: ['equals', undefined], breaks: [['like', 'not_one_of']] },
  { at: '/assertions/0', fits: [{ ...assertion, comparison: 'one_of', expected: [1] }] },
  { at: '/assertions/0', inside: '/expected', breaks: [[{ ...assertion, comparison: 'one_of' }, 'wrong_type']] },
  stranger(''),
  stranger('/task'),
  ...furtherEdges,
  stranger('/assertions/0'),
]);
const interaction = { id: 'main', actorId: 'ada', task: { instruction: 'Go.' } };
const workload = { id: 'w', actorIds: ['ada'], task: { instruction: 'Go.' }, everyUs: 1, occurrences: 1 };
edges(
  'long drill',
  validateDrill,
  {
    schemaVersion: 1,
    id: 'long',
    targetId: 'agent',
    timeline: { horizonUs: 0, interactions: [interaction], workloads: [workload], invariants: [assertion] },
    assertions: [assertion],
  },
  [
    integer('/timeline/horizonUs', 0, safe),
    integer('/timeline/maxToolCalls', 0, 1_000_000),
    integer('/timeline/maxEvents', 0, 1_000_000),
    items('/timeline/interactions', () => interaction, 0, 10_000),
    items('/timeline/workloads', () => workload, 0, 1000),
    integer('/timeline/interactions/0/afterStartUs', 0, safe),
    integer('/timeline/workloads/0/everyUs', 1, safe),
    integer('/timeline/workloads/0/occurrences', 1, 10_000),
    { at: '/timeline/workloads/0/actorIds', breaks: [[[], 'too_few']] },
    { at: '/timeline/stopOnTargetFailure', fits: [true, false], breaks: [[1, 'wrong_type']] },
    stranger('/timeline'),
    stranger('/timeline/interactions/0'),
  ],
);
edges('suite', validateSuite, { schemaVersion: 1, id: 'all' }, [
  integer('/concurrency', 1, 64),
  integer('/retries', 0, 10),
  integer('/trials', 1, 10_000),
  title('/title'),
  stranger(''),
]);
