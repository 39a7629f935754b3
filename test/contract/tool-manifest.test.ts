// Tool packages, at the edges.
import { validateToolManifest } from '../../src/contract/validate/validators.js';
import { type Edge, edges, required, stranger } from './edges.js';

const fault = { id: 'slow', appliesTo: ['a.b'], timing: 'before', error: { code: 'SLOW', message: 'm', retryable: true } };
const operation = { id: 'a.b', inputSchema: true, outputSchema: true, idempotency: 'none', fidelity: 'exact', mcp: {} };
const manifest = { schemaVersion: 1, id: 'desk', version: '1.0.0', engine: '*', operations: [operation], faults: [fault] };
const resource = (more: object) => [{ type: 'resource', resource: { uri: { from: ['uri'] }, ...more } }];
edges('tool manifest', validateToolManifest, manifest, [
  { at: '/faults/0', fits: [{ id: 'slow', appliesTo: [], timing: 'latency', latencyUs: 5 }] },
  {
    at: '/faults/0',
    inside: '/error',
    breaks: [
      [{ id: 'slow', appliesTo: [], timing: 'before' }, 'required'],
      [{ ...fault, timing: 'latency', latencyUs: 1 }, 'conflict'],
    ],
  },
  {
    at: '/faults/0',
    inside: '/latencyUs',
    breaks: [
      [{ id: 'slow', appliesTo: [], timing: 'latency' }, 'required'],
      [{ ...fault, latencyUs: 1 }, 'conflict'],
    ],
  },
  {
    at: '/faults/0',
    fits: [
      { id: 'twice', appliesTo: ['hook'], timing: 'delivery', delivery: { kind: 'duplicate' } },
      { id: 'late', appliesTo: ['hook'], timing: 'delivery', delivery: { kind: 'delay', delayUs: 5 } },
    ],
  },
  {
    at: '/faults/0',
    inside: '/delivery',
    breaks: [
      [{ id: 'none', appliesTo: ['hook'], timing: 'delivery' }, 'required'],
      [{ ...fault, delivery: { kind: 'drop' } }, 'conflict'],
    ],
  },
  {
    at: '/faults/0',
    inside: '/delivery/delayUs',
    breaks: [
      [{ id: 'late', appliesTo: ['hook'], timing: 'delivery', delivery: { kind: 'reorder' } }, 'required'],
      [{ id: 'lost', appliesTo: ['hook'], timing: 'delivery', delivery: { kind: 'drop', delayUs: 1 } }, 'conflict'],
    ],
  },
  { at: '/faults/0', inside: '/untilUs', breaks: [[{ ...fault, fromUs: 5, untilUs: 5 }, 'conflict']] },
  {
    at: '/faults/0/rate',
    fits: [0, 0.5, 1],
    breaks: [
      [1.01, 'too_large'],
      [-0.01, 'too_small'],
    ],
  },
  {
    at: '/operations/0/mcp',
    inside: '/progress/1/progress',
    breaks: [[{ progress: [{ progress: 1 }, { progress: 1 }] }, 'too_small']],
  },
  {
    at: '/operations/0/mcp/content',
    fits: [
      [{ type: 'text', text: { from: [] } }],
      [{ type: 'image', data: 'AAAA', mimeType: 'image/png', each: ['a', 0] }],
      resource({ text: 'x' }),
    ],
    breaks: [[[], 'too_few']],
  },
  { at: '/operations/0/mcp/content', inside: '/0/type', breaks: [[[{ type: 'video' }], 'not_one_of']] },
  { at: '/operations/0/mcp/content', inside: '/0/mimeType', breaks: [[[{ type: 'audio', data: 'AAAA' }], 'required']] },
  { at: '/operations/0/mcp/content', inside: '/0/resource/text', breaks: [[resource({}), 'required']] },
  { at: '/operations/0/mcp/content', inside: '/0/resource/blob', breaks: [[resource({ text: 'x', blob: 'AAAA' }), 'conflict']] },
  { at: '/capabilities', fits: [['state.read', 'event.emit']] },
  { at: '/capabilities', inside: '/0', breaks: [[['net.fetch'], 'not_one_of']] },
  ...['schemaVersion', 'id', 'version', 'engine'].map((name): Edge => ({ at: `/${name}`, breaks: required })),
  stranger(''),
]);
