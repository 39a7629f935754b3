// Scenarios and worlds, at the edges.
import { validateScenario, validateWorld } from '../../src/contract/validate/validators.js';
import { dotted, type Edge, edges, integer, items, required, safe, slug, stranger, text, title, virtualTime } from './edges.js';
import { override, scenario } from './samples.js';

edges('scenario', validateScenario, scenario, [
  { at: '/schemaVersion', breaks: [[2, 'not_one_of'], ['1', 'wrong_type'], ...required] },
  slug('/id'),
  { at: '/id', breaks: required },
  title('/title'),
  virtualTime('/virtualTimeUs'),
  { at: '/virtualTimeUs', fits: [undefined] },
  ...['/actors', '/state', '/faults', '/initialEvents', '/toolOverrides'].map(
    (at): Edge => ({
      at,
      fits: [undefined, []],
      breaks: [
        [{}, 'wrong_type'],
        [null, 'wrong_type'],
      ],
    }),
  ),
  items('/toolOverrides', () => override, 0, 1000),
  slug('/actors/0/id'),
  slug('/actors/0/instanceId'),
  {
    at: '/actors/0/description',
    fits: [text(500), ' x ', undefined],
    breaks: [
      ['', 'too_short'],
      [text(501), 'too_long'],
      [' \n\t', 'pattern'],
    ],
  },
  { at: '/actors/0/attributes', fits: [undefined, {}, { deep: [{ a: null }] }], breaks: [[[], 'wrong_type']] },
  { at: '/actors/0/grants', fits: [undefined, []] },
  slug('/actors/0/grants/0/packageId'),
  slug('/actors/0/grants/0/instanceId'),
  dotted('/actors/0/grants/0/operationId'),
  { at: '/actors/0/grants/0/operationId', breaks: required },
  { at: '/state/0/action', breaks: [['insert', 'not_one_of'], ...required] },
  slug('/state/0/namespace'),
  { at: '/state/0/rowId', fits: ['x', ' ', text(512)], breaks: [['', 'too_short'], [text(513), 'too_long'], ...required] },
  { at: '/state/0/value', fits: [{}], breaks: [[[], 'wrong_type'], [null, 'wrong_type'], ...required] },
  { at: '/state/1/value', breaks: [[{}, 'unknown_property']] },
  slug('/faults/0/faultId'),
  { at: '/faults/0/packageId', breaks: required },
  dotted('/initialEvents/0/event/eventId'),
  virtualTime('/initialEvents/0/atUs'),
  ...['event', 'payload', 'atUs', 'actorId'].map((name): Edge => ({ at: `/initialEvents/0/${name}`, breaks: required })),
  { at: '/initialEvents/0/actorInstanceId', fits: [undefined] },
  ...['id', 'operation', 'outcome'].map((name): Edge => ({ at: `/toolOverrides/0/${name}`, breaks: required })),
  { at: '/toolOverrides/0/when', fits: [undefined, {}] },
  {
    at: '/toolOverrides/0/outcome/code',
    fits: ['A', 'A__B', 'A_', 'A1'],
    breaks: [
      ['a', 'pattern'],
      ['1A', 'pattern'],
      ['', 'pattern'],
    ],
  },
  {
    at: '/toolOverrides/0/outcome/message',
    fits: [text(1000)],
    breaks: [
      ['', 'too_short'],
      [text(1001), 'too_long'],
    ],
  },
  { at: '/toolOverrides/0/outcome/kind', breaks: [['fail', 'not_one_of'], ...required] },
  { at: '/toolOverrides/1/outcome/value', fits: [0, 'x', [], {}], breaks: required },
  { at: '/toolOverrides/2/outcome/value', breaks: [[1, 'unknown_property']] },
  { ...integer('/toolOverrides/0/times', 1, safe), fits: [1, safe, undefined] },
  ...[
    '',
    '/actors/0',
    '/actors/0/grants/0',
    '/state/0',
    '/state/1',
    '/faults/0',
    '/initialEvents/0',
    '/initialEvents/0/event',
    '/toolOverrides/0',
    '/toolOverrides/0/operation',
    '/toolOverrides/0/when',
    '/toolOverrides/0/outcome',
  ].map(stranger),
]);

edges('world', validateWorld, { schemaVersion: 1, id: 'desk' }, [
  {
    at: '/seed',
    fits: ['0', '1', '18446744073709551615'],
    breaks: [
      ['18446744073709551616', 'too_large'],
      ['99999999999999999999', 'too_large'],
      ['01', 'pattern'],
      ['-1', 'pattern'],
      ['', 'pattern'],
      [1, 'wrong_type'],
    ],
  },
  virtualTime('/virtualTimeUs'),
  stranger(''),
]);
