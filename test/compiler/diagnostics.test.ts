// Every code is provoked at least once: the table below has to name them all to be compiled.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileProject } from '../../src/compiler/compile.js';
import { type DiagnosticCode, diagnosticTable } from '../../src/compiler/diagnostic-table.js';
import { limits } from '../../src/contract/limits.js';
import { validateRepository } from '../../src/index.js';
import { compileWith, edited, type Files, folder, lines, sound } from './repository.js';

interface Case {
  changes: Files;
  config?: string;
  /** Found by `validate` alone. */
  types?: boolean;
  /** File and JSON Pointer of the diagnostic, then the text that stands at its line and column. */
  at: [file: string, path: string, text: string];
  message: RegExp;
  suggestion?: RegExp;
}
const world = 'drillyard/world.yaml';
const tool = 'drillyard/notes.tool.yaml';
const drill = 'drillyard/add.drill.yaml';
const behavior = 'drillyard/notes.ts';
const packageJson = (field: object, name = 'drillyard'): string => JSON.stringify({ name: 'x', version: '1.0.0', [name]: field }, null, 2);
const withPackage = (field: object, files: Files = {}): Files => ({
  'drillyard.json': '{ "schemaVersion": 1, "toolPackages": ["./extra"] }',
  'extra/package.json': packageJson(field),
  'extra/extra.tool.yaml':
    'schemaVersion: 1\nmanifest: { schemaVersion: 1, id: extra, version: 1.0.0, engine: "*", state: [{ namespace: rows, schema: { type: object } }] }\n',
  ...files,
});
const route = (path: string, errors: string) =>
  `  http:\n    - { id: r, operationId: notes.add, method: POST, path: "${path}", auth: { kind: none }, requestBody: json, response: { successStatus: 200, errors: ${errors} } }\n`;

const asked = (url: string): string =>
  `schemaVersion: 1\ntarget: { id: away, kind: http, url: '${url}', method: POST, bindings: [http], timeoutMs: 1000 }\n`;

/** The drill with another assertion in the place of its own. */
const asserting = (assertion: string): Files =>
  edited(drill, 'kind: operation.count, operation: { packageId: notes, operationId: notes.add }, count: { equals: 1 }', assertion);

/** The drill with one case, and a placeholder for its value in the task. */
const ofCases = (task: string, cases: string): Files => ({
  ...edited(drill, 'Add a note.', task),
  [drill]: `${sound[drill].replace('Add a note.', task)}cases:\n${cases}\n`,
});

const assertions = (count: number): string =>
  Array.from({ length: count }, (_, index) => `  - { id: a${index}, kind: time.reached, afterStartUs: 0 }\n`).join('');

const cases: { [code in DiagnosticCode]: Case } = {
  DY1001: {
    changes: { 'drillyard.json': null },
    at: ['drillyard.json', '', ''],
    message: /there is no 'drillyard.json'/,
    suggestion: /drillyard init/,
  },
  DY1002: { changes: { [world]: new Uint8Array([0xff, 0xfe, 0x41]) }, at: [world, '', ''], message: /is not UTF-8 text/ },
  DY1003: { changes: { [world]: 'schemaVersion: 1\nid: [1, 2\n' }, at: [world, '', ''], message: /Flow sequence|must end with/ },
  DY1004: { changes: edited(world, 'id: shop', 'id: shop\nid: other'), at: [world, '', 'id: other'], message: /'id' is given twice/ },
  DY1005: {
    changes: edited(world, '{ text: first }', '{ text: !!binary aGk= }'),
    at: [world, '/state/0/value/text', 'aGk='],
    message: /binary is not JSON/,
  },
  DY1006: {
    changes: { [world]: `${sound[world]}# ${'x'.repeat(limits.projectFileBytesMax)}\n` },
    at: [world, '', 'schemaVersion'],
    message: /larger than/,
  },
  DY1007: {
    changes: { 'drillyard/other.scenario.yaml': { link: 'busy.scenario.yaml' } },
    at: ['drillyard/other.scenario.yaml', '', ''],
    message: /symbolic link/,
  },
  DY1008: {
    changes: { 'drillyard.json': '{ "schemaVersion": 1,\n  "sourceRoot": "../elsewhere" }' },
    at: ['drillyard.json', '/sourceRoot', '"../elsewhere"'],
    message: /leads out of the repository/,
  },
  DY1009: {
    changes: { 'drillyard.json': '{ "schemaVersion": 1, "world": "wrold.yaml" }' },
    at: ['drillyard.json', '/world', '"wrold.yaml"'],
    message: /'drillyard\/wrold.yaml' does not exist/,
  },
  DY1010: {
    changes: { 'drillyard.json': '{ "schemaVersion": 1, "sourceRoot": "drills" }' },
    at: ['drillyard.json', '/sourceRoot', '"drills"'],
    message: /no folder of this repository/,
  },
  DY1011: {
    changes: { 'drillyard/x.scenarios.yaml': '' },
    at: ['drillyard/x.scenarios.yaml', '', ''],
    message: /is not read/,
    suggestion: /'\.scenario'/,
  },
  DY1012: {
    changes: ofCases('Add a note.', '  file: cases/tickets.yaml'),
    at: [drill, '/cases/file', 'cases/tickets.yaml'],
    message: /there is no file 'drillyard\/cases\/tickets.yaml'/,
    suggestion: /relative to the file of the drill/,
  },

  DY2001: {
    changes: edited(world, 'actors:', 'aktors: []\nactors:'),
    at: [world, '/aktors', 'aktors'],
    message: /^"aktors" is not a member of World$/,
    suggestion: /Did you mean 'actors'\?/,
  },
  DY2002: { changes: edited(drill, 'targetId: agent\n', ''), at: [drill, '/targetId', 'schemaVersion'], message: /"targetId" is required/ },
  DY2003: {
    changes: edited(world, 'atUs: 5', 'atUs: soon'),
    at: [world, '/initialEvents/0/atUs', 'soon'],
    message: /expected a time, found "soon"/,
    suggestion: /"2026-01-05T09:00:00Z"/,
  },
  DY2004: {
    changes: edited(world, 'schemaVersion: 1', 'schemaVersion: 2'),
    at: [world, '/schemaVersion', '2'],
    message: /expected 1, found 2/,
  },

  DY2005: {
    changes: asserting('kind: expr, expression: "size(operations) >"'),
    at: [drill, '/assertions/0/expression', '"size'],
    message: /does not parse: line 1, column/,
  },
  DY2006: {
    changes: { [drill]: sound[drill] + assertions(200) },
    at: [drill, '/assertions', '- {'],
    message: /there are 201 of them; at most 200 are taken/,
  },

  DY3001: {
    changes: {
      'drillyard/copy.target.json':
        '{"schemaVersion": 1, "target": {"id": "agent", "kind": "external", "bindings": ["http"], "timeoutMs": 5}}',
    },
    at: ['drillyard/copy.target.json', '/target/id', '"agent"'],
    message: /target 'agent' is defined in drillyard\/agent.target.yaml already/,
  },
  DY3002: {
    changes: edited(drill, 'targetId: agent', 'targetId: agnet'),
    at: [drill, '/targetId', 'agnet'],
    message: /no target 'agnet'/,
    suggestion: /'agent'/,
  },
  DY3003: {
    changes: edited(drill, 'scenarioId: busy', 'scenarioId: bussy'),
    at: [drill, '/scenarioId', 'bussy'],
    message: /no scenario 'bussy'/,
    suggestion: /'busy'/,
  },
  DY3004: {
    changes: { 'drillyard/all.suite.yaml': 'schemaVersion: 1\nid: all\ndrills: [ad]\n' },
    at: ['drillyard/all.suite.yaml', '/drills/0', 'ad]'],
    message: /no drill 'ad'/,
    suggestion: /'add'/,
  },
  DY3005: {
    changes: edited(world, 'packageId: notes, operationId', 'packageId: nots, operationId'),
    at: [world, '/actors/0/grants/0/packageId', 'nots'],
    message: /no tool package 'nots'/,
    suggestion: /'notes'/,
  },
  DY3006: {
    changes: edited(world, 'notes.add', 'notes.ad'),
    at: [world, '/actors/0/grants/0/operationId', 'notes.ad '],
    message: /declares no operation 'notes.ad'/,
    suggestion: /'notes.add'/,
  },
  DY3007: {
    changes: edited(world, 'eventId: due', 'eventId: dew'),
    at: [world, '/initialEvents/0/event/eventId', 'dew'],
    message: /declares no event 'dew'/,
    suggestion: /Known: due/,
  },
  DY3008: {
    changes: edited('drillyard/busy.scenario.yaml', 'faultId: down', 'faultId: up'),
    at: ['drillyard/busy.scenario.yaml', '/faults/0/faultId', 'up'],
    message: /declares no fault 'up'/,
    suggestion: /Known: down\./,
  },
  DY3009: {
    changes: edited(world, 'namespace: notes', 'namespace: note'),
    at: [world, '/state/0/namespace', 'note,'],
    message: /declares no namespace 'note'/,
    suggestion: /'notes'/,
  },
  DY3010: {
    changes: edited(drill, 'actorId: ann', 'actorId: anne'),
    at: [drill, '/actorId', 'anne'],
    message: /no actor 'anne'/,
    suggestion: /'ann'/,
  },
  DY3011: {
    changes: edited(
      drill,
      'kind: operation.count, operation: { packageId: notes, operationId: notes.add }',
      'kind: callback.count, packageId: notes, callbackId: hook',
    ),
    at: [drill, '/assertions/0/callbackId', 'hook'],
    message: /declares no callback 'hook'/,
  },
  DY3012: {
    changes: edited(drill, '{ packageId: notes, operationId: notes.add }', '{ packageId: notes, instanceId: eu, operationId: notes.add }'),
    at: [drill, '/assertions/0/operation/instanceId', 'eu'],
    message: /no instance 'eu' of 'notes'/,
  },
  DY3013: {
    changes: { 'drillyard/all.suite.yaml': 'schemaVersion: 1\nid: all\ntags: [smok]\n' },
    at: ['drillyard/all.suite.yaml', '/tags/0', 'smok]'],
    message: /no drill has the tag 'smok'/,
    suggestion: /'smoke'/,
  },
  DY3014: {
    changes: edited('drillyard/agent.target.yaml', 'module: agent.mjs', 'module: agents/a.mjs'),
    at: ['drillyard/agent.target.yaml', '/target/module', 'agents/a.mjs'],
    message: /no file 'agents\/a.mjs'/,
  },
  DY3017: {
    changes: { 'drillyard/away.target.yaml': asked('http://user:word@127.0.0.1/') },
    at: ['drillyard/away.target.yaml', '/target/url', "'http://user"],
    message: /holds no credentials/,
    suggestion: /headersFromEnvironment/,
  },
  DY3018: {
    changes: { 'drillyard/away.target.yaml': asked('http://192.0.2.1/') },
    at: ['drillyard/away.target.yaml', '/target/url', "'http://192"],
    message: /192\.0\.2\.1 is not this machine/,
    suggestion: /--allow-remote/,
  },
  DY3019: {
    changes: edited(
      'drillyard/agent.target.yaml',
      'bindings: [direct]',
      'bindings: [direct], bindingEnvironment: { MY_URL: SERVICE_MCP_URL }',
    ),
    at: ['drillyard/agent.target.yaml', '/target/bindingEnvironment/MY_URL', 'SERVICE_MCP_URL'],
    message: /MY_URL will not be set/,
    suggestion: /mcp/,
  },
  DY3015: {
    changes: asserting('kind: output.value, interactionId: mian, expected: 1'),
    at: [drill, '/assertions/0/interactionId', 'mian'],
    message: /no interaction 'mian'/,
    suggestion: /'main'/,
  },
  DY3016: {
    changes: asserting('kind: expr, expression: operatoins.size() == 1'),
    at: [drill, '/assertions/0/expression', 'operatoins'],
    message: /no variable 'operatoins'/,
    suggestion: /'operations'/,
  },

  DY3020: {
    changes: asserting('kind: state.count, packageId: notes, namespace: notes, where: { txt: first }, count: { equals: 0 }'),
    at: [drill, '/assertions/0/where/txt', 'txt'],
    message: /a row of notes\/notes has no 'txt' here/,
    suggestion: /Did you mean 'text'/,
  },
  DY3021: {
    changes: asserting(
      'kind: operation.count, operation: { packageId: notes, operationId: notes.add, arguments: { idd: x } }, count: { equals: 0 }',
    ),
    at: [drill, '/assertions/0/operation/arguments/idd', 'idd'],
    message: /does not declare 'idd', and allows it/,
    suggestion: /Did you mean 'id'/,
  },
  DY3022: {
    changes: ofCases(`'Add \${case.tikcet}.'`, '  - { id: a, values: { ticket: T-1 } }'),
    at: [drill, '/task/instruction', "'Add"],
    message: /^there is no value 'tikcet' \(case 'a'\)$/,
    suggestion: /Did you mean 'ticket'\?/,
  },
  DY3023: {
    changes: ofCases(`'Add \${case.ticket}.'`, '  - { id: a, values: { ticket: T-1, tikcet: T-2 } }'),
    at: [drill, '/cases/0/values/tikcet', 'tikcet'],
    message: /^no placeholder is for 'tikcet'$/,
    suggestion: /Did you mean 'ticket'\?/,
  },
  DY3024: {
    changes: edited(drill, 'Add a note.', `'Add \${case.ticket}.'`),
    at: [drill, '/task/instruction', "'Add"],
    message: /has no cases/,
    suggestion: /'cases'/,
  },
  DY3025: {
    changes: {
      'drillyard/judged.drill.yaml': `schemaVersion: 1
id: judged
targetId: agent
timeline:
  interactions: [{ id: main, actorId: clerk, task: { instruction: Look. } }]
  invariants: [{ id: tone, kind: custom, module: agent.mjs }]
assertions: [{ id: none, kind: state.count, packageId: notes, namespace: notes, count: { atLeast: 0 } }]
`,
    },
    at: ['drillyard/judged.drill.yaml', '/timeline/invariants/0', '{ id: tone'],
    message: /'tone' would be asked after every interaction/,
    suggestion: /among the assertions/,
  },
  DY4001: {
    changes: edited(world, '{ text: first }', '{ text: 5 }'),
    at: [world, '/state/0/value/text', '5'],
    message: /row 'n1' of notes\/notes: \/text must be string/,
  },
  DY4002: {
    changes: edited(world, '{ id: n1 }', '{ }'),
    at: [world, '/initialEvents/0/payload', '{ }'],
    message: /payload of notes\/due: must have required property 'id'/,
  },
  DY4003: {
    changes: {
      [drill]: `${sound[drill]}toolOverrides:\n  - { id: o, operation: { packageId: notes, operationId: notes.add }, outcome: { kind: return, value: 5 } }\n`,
    },
    at: [drill, '/toolOverrides/0/outcome/value', '5'],
    message: /must be object/,
  },
  DY4004: {
    changes: {
      [drill]: `${sound[drill]}toolOverrides:\n  - { id: o, operation: { packageId: notes, operationId: notes.add }, outcome: { kind: error, code: TAKN, message: M. } }\n`,
    },
    at: [drill, '/toolOverrides/0/outcome/code', 'TAKN'],
    message: /declares no error TAKN/,
    suggestion: /'TAKEN'/,
  },
  DY4005: {
    changes: edited('drillyard/busy.scenario.yaml', 'rowId: n1', 'rowId: n2'),
    at: ['drillyard/busy.scenario.yaml', '/state/0/rowId', 'n2'],
    message: /no row 'n2'/,
  },
  DY4006: { changes: edited(world, 'atUs: 5', 'atUs: -5'), at: [world, '/initialEvents/0/atUs', '-5'], message: /before the start/ },

  DY4007: {
    changes: asserting(
      'kind: state.value, packageId: notes, namespace: notes, rowId: n1, path: [text], comparison: not_equals, expected: 5',
    ),
    at: [drill, '/assertions/0/expected', '5'],
    message: /it is never this in a row of notes\/notes: 5 must be string/,
  },
  DY4008: {
    changes: ofCases(`'Add \${case.ticket}.'`, '  - { id: a, values: { ticket: [T-1] } }'),
    at: [drill, '/task/instruction', "'Add"],
    message: /the value 'ticket' is a list, which does not go into a text \(case 'a'\)/,
    suggestion: /whole text/,
  },
  DY4009: {
    changes: edited(world, '{ text: first }', `{ text: ${'x'.repeat(limits.rowBytesMax)} }`),
    at: [world, '/state/0/value', '{ text'],
    message: /row 'n1' of notes\/notes has 1,048,587 bytes as JSON; at most 1,048,576 are taken/,
  },

  DY5001: {
    changes: { 'drillyard.json': '{ "schemaVersion": 1, "toolPackages": ["library:no-such-tool"] }' },
    at: ['drillyard.json', '/toolPackages/0', '"library:no-such-tool"'],
    message: /library has no package/,
    suggestion: /./,
  },
  DY5002: {
    changes: { 'drillyard.json': '{ "schemaVersion": 1, "toolPackages": ["./extra"] }', 'extra/readme.md': '' },
    at: ['extra/package.json', '', ''],
    message: /neither a field 'drillyard'/,
  },
  DY5003: {
    changes: withPackage({ layer: 'tool-pack', tool: 'extra.tool.yaml', lifecycle: 'revoked' }),
    at: ['extra/package.json', '/drillyard/lifecycle', '"revoked"'],
    message: /revoked/,
  },
  DY5004: {
    changes: withPackage({ layer: 'tool-pack', tool: 'extra.tool.yaml', lifecycle: 'deprecated' }),
    at: ['extra/package.json', '/drillyard/lifecycle', '"deprecated"'],
    message: /deprecated/,
  },
  DY5005: {
    changes: withPackage({ layer: 'tool-pack', tool: 'none.tool.yaml', lifecycle: 'active' }),
    at: ['extra/package.json', '/drillyard/tool', '"none.tool.yaml"'],
    message: /no tool file 'none.tool.yaml'/,
  },
  DY5006: {
    changes: edited(tool, 'version: 1.0.0', 'version: "1.0"'),
    at: [tool, '/manifest/version', '"1.0"'],
    message: /'1.0' is not a semantic version/,
  },
  DY5007: {
    changes: edited(tool, '">=0.1.0"', '">=99.0.0"'),
    at: [tool, '/manifest/engine', '">=99.0.0"'],
    message: /wants an engine >=99.0.0/,
  },
  DY5008: {
    changes: edited(tool, 'text: { type: string }', 'text: { type: sting }'),
    at: [tool, '/manifest/state/0/schema/properties/text/type', 'sting'],
    message: /schema must be/,
  },
  DY5009: {
    changes: edited(tool, 'appliesTo: [notes.add]', 'appliesTo: []'),
    at: [tool, '/manifest/faults/0/appliesTo', '[]'],
    message: /applies to no operation/,
  },
  DY3026: {
    changes: {
      [tool]:
        sound[tool] + route('/notes', '[{ code: TAKEN, status: 409 }]').replace('requestBody: json', 'requestBody: json, rateLimit: core'),
    },
    at: [tool, '/manifest/http/0/rateLimit', 'core'],
    message: /declares no rate limit 'core'/,
  },
  DY5010: {
    changes: { [tool]: sound[tool] + route('/notes/{id', '[{ code: TAKEN, status: 409 }]') },
    at: [tool, '/manifest/http/0/path', '"/notes/{id"'],
    message: /a parameter is one in braces/,
  },
  DY5011: {
    changes: { [tool]: sound[tool] + route('/notes/{id}', '[]') },
    at: [tool, '/manifest/http/0/response/errors', '[]'],
    message: /no status for the declared error TAKEN/,
  },
  DY5012: {
    changes: edited(tool, 'module: ./notes.ts\n', ''),
    at: [tool, '/manifest/operations/0/id', 'notes.add'],
    message: /needs a module/,
    suggestion: /notes/,
  },
  DY5013: { changes: edited(tool, 'id: notes\n', 'id: world\n'), at: [tool, '/manifest/id', 'world'], message: /names the world itself/ },
  DY5014: {
    changes: edited(tool, 'additionalProperties: false', 'additionalProperty: false'),
    at: [tool, '/manifest/state/0/schema/additionalProperty', 'additionalProperty:'],
    message: /no keyword 'additionalProperty'/,
    suggestion: /'additionalProperties'/,
  },
  DY5015: {
    changes: { [tool]: sound[tool] + route('/v1/operations/{a}/list', '[{ code: TAKEN, status: 409 }]') },
    at: [tool, '/manifest/http/0/path', '"/v1/operations'],
    message: /every world serves '\/v1\/operations\/\{packageId\}\/\{operationId\}' itself/,
  },
  DY5016: {
    changes: { [tool]: sound[tool] + route('/notes', '[{ code: TAKEN, status: 199 }]') },
    at: [tool, '/manifest/http/0/response/errors/0/status', '199'],
    message: /199 is not from 200 to 599/,
  },
  DY5017: {
    changes: {
      [tool]: sound[tool] + route('/notes', '[{ code: TAKEN, status: 409 }]').replace('id: r,', 'id: notes.route,'),
      [behavior]: "export default { operations: { 'notes.add': () => null }, http: Object.fromEntries([]) };\n",
    },
    at: [tool, '/manifest/http/0/id', 'notes.route'],
    message: /never names 'notes.route'/,
  },
  DY5018: {
    changes: edited(tool, 'properties: { id: { type: string } }', 'properties: { id: { type: array, x-mcp-header: Id } }'),
    at: [tool, '/manifest/operations/0/inputSchema/properties/id/x-mcp-header', 'Id'],
    message: /only a string, an integer or a boolean .* MCP clients leave out the tool/,
  },
  DY5019: {
    changes: edited(tool, 'properties: { id: { type: string } }', "properties: { id: { type: string, pattern: '^(?!x)' } }"),
    at: [tool, '/manifest/operations/0/inputSchema/properties/id/pattern', "'^(?!x)'"],
    message: /the pattern has a lookahead/,
  },
  DY5020: {
    changes: {
      [tool]: `${sound[tool]}  callbacks:
    - id: hook
      eventId: due
      receiverId: hook
      method: POST
      path: /hook
      idempotencyHeader: Content-Length
      signature: { kind: hmac-sha256, header: X-Signature, prefix: '' }
      retry: { delaysUs: [] }
      timeoutMs: 1000
`,
    },
    at: [tool, '/manifest/callbacks/0/idempotencyHeader', 'Content-Length'],
    message: /Content-Length is a header of the connection/,
  },
  DY5021: {
    changes: edited(behavior, "'notes.add': (", "'notes.ad': ("),
    at: [tool, '/manifest/operations/0/id', 'notes.add'],
    message: /the behavior has no handler for 'notes.add'/,
    suggestion: /Did you mean 'notes.add' there/,
  },
  DY5022: {
    changes: {
      [tool]: sound[tool] + route('/notes/{id}', '[{ code: TAKEN, status: 409 }]'),
      'drillyard/other.tool.yaml':
        sound[tool].replace('id: notes\n', 'id: other\n') + route('/notes/{name}', '[{ code: TAKEN, status: 409 }]'),
    },
    at: ['drillyard/other.tool.yaml', '/manifest/http/0/path', '"/notes/{name}"'],
    message: /POST \/notes\/\{name\} is a route of 'notes', too: only mounts answer it/,
    suggestion: /SERVICE_HTTP_URL_NOTES, SERVICE_HTTP_URL_OTHER/,
  },
  DY5031: {
    changes: {
      [tool]: `${sound[tool]}  graphql:
    schema: "type Query { note: Missing }"
    path: /graphql
    auth: { kind: bearer }
    depthMax: 5
    costMax: 100
`,
    },
    at: [tool, '/manifest/graphql/schema', '"type Query'],
    message: /the schema is none: Unknown type "Missing"/,
  },
  DY5032: {
    changes: withPackage(
      {},
      { 'extra/package.json': packageJson({ schemaVersion: 2, layer: 'tool-pack', tool: 'extra.tool.yaml' }, 'other') },
    ),
    at: ['extra/package.json', '/other/schemaVersion', '2'],
    message: /version 2 of the field is not adapted/,
    suggestion: /other-runner/,
  },
  DY5033: {
    changes: withPackage(
      {},
      { 'extra/package.json': packageJson({ layer: 'tool-pack', tool: 'extra.tool.yaml', icon: 'x.svg' }, 'other') },
    ),
    at: ['extra/package.json', '/other/icon', '"icon"'],
    message: /'icon' is not read/,
  },
  DY5034: {
    changes: {
      ...withPackage({ layer: 'tool-pack', tool: 'extra.tool.yaml', lifecycle: 'active' }),
      'drillyard.json': JSON.stringify({
        schemaVersion: 1,
        toolPackages: ['./extra'],
        toolPins: { './extra': { digest: `sha256:${'0'.repeat(64)}`, from: 'npm:extra@1.0.0' } },
      }),
    },
    at: ['drillyard.json', '/toolPins/.~1extra/digest', `"sha256:${'0'.repeat(64)}"`],
    message: /'\.\/extra' is not what was added \(npm:extra@1\.0\.0\): its digest is sha256:[0-9a-f]{64}$/,
    suggestion: /drillyard tool add \.\/extra/,
  },
  DY5035: {
    changes: {
      'drillyard.json': JSON.stringify({ schemaVersion: 1, toolPins: { './extra': { digest: `sha256:${'0'.repeat(64)}` } } }),
    },
    at: ['drillyard.json', '/toolPins/.~1extra', '"./extra"'],
    message: /has no entry '\.\/extra'/,
    suggestion: /Take the pin away/,
  },
  DY5036: {
    changes: {
      [tool]:
        sound[tool] +
        route('/notes', '[{ code: TAKEN, status: 409 }]').replace(
          'requestBody: json',
          'requestBody: json, cors: { origins: ["https://x.example:443"] }',
        ),
    },
    at: [tool, '/manifest/http/0/cors/origins/0', '"https://x.example:443"'],
    message: /no browser calls an origin/,
    suggestion: /Write 'https:\/\/x\.example'/,
  },
  DY5037: {
    changes: edited(
      tool,
      'outputSchema: { type: object }',
      'outputSchema: { type: object, properties: { at: { prefixItems: [{ type: number }] } } }',
    ),
    at: [tool, '/manifest/operations/0/outputSchema/properties/at/prefixItems', '[{ type: number }]'],
    message: /widely used MCP clients misread 'prefixItems'/,
    suggestion: /mcp\.structured: false/,
  },
  DY5038: {
    changes: withPackage({
      layer: 'tool-pack',
      tool: 'extra.tool.yaml',
      lifecycle: 'active',
      conformance: { project: 'gone', suite: 'all' },
    }),
    at: ['extra/package.json', '/drillyard/conformance/project', '"gone"'],
    message: /the conformance project 'gone' is no folder of the package/,
  },
  DY5030: {
    changes: edited(
      tool,
      'operations:\n',
      `operations:
    - { id: notes_add, inputSchema: true, outputSchema: true, idempotency: none, fidelity: test }
`,
    ),
    at: [tool, '/manifest/operations/1/id', 'notes.add'],
    message: /models would know 'notes.add' and 'notes_add' by one name, 'notes_notes_add'/,
  },

  DY6001: {
    changes: edited(behavior, './clean.js', './cleen.js'),
    at: [behavior, '', "'./cleen.js'"],
    message: /no module 'drillyard\/cleen.js'/,
  },
  DY6002: { changes: edited(behavior, './clean.js', 'node:fs'), at: [behavior, '', "'node:fs'"], message: /'node:fs' is a module of Node/ },
  DY6003: { changes: edited(behavior, 'operations: {', 'operations: {{'), at: [behavior, '', '{'], message: /Expected identifier/ },
  DY6004: {
    changes: edited('drillyard/clean.ts', 'text.trim()', 'String(import(text))'),
    at: ['drillyard/clean.ts', '', 'import(text)'],
    message: /import\(\) is not available/,
  },
  DY6005: {
    changes: edited(behavior, '(input: { id: string }, context) => {', 'async (input: { id: string }, context) => {'),
    at: [behavior, '', 'async (input'],
    message: /asynchronous|synchronous/,
    suggestion: /scheduleAt/,
  },
  DY6006: {
    changes: edited('drillyard/clean.ts', 'text.trim()', 'text + Math.random() + Date.now()'),
    at: ['drillyard/clean.ts', '', 'Math.random'],
    message: /Math.random is not available/,
    suggestion: /context.random/,
  },
  DY6007: {
    changes: edited(behavior, 'export default defineToolBehavior(', 'export const behavior = defineToolBehavior('),
    at: [behavior, '', 'import'],
    message: /no default export/,
    suggestion: /export default/,
  },
  DY6008: {
    changes: { ...edited(tool, './notes.ts', './linked.ts'), 'drillyard/linked.ts': { link: 'notes.ts' } },
    at: [tool, '/module', './linked.ts'],
    message: /symbolic link/,
  },
  DY6009: {
    changes: edited('drillyard/clean.ts', 'text.trim()', `'${'x'.repeat(limits.behaviorBundleBytesMax - 100)}'`),
    at: [tool, '/module', './notes.ts'],
    message: /more than/,
  },
  DY6010: {
    changes: edited('drillyard/clean.ts', 'text.trim()', 'text === -0 ? text : text'),
    at: ['drillyard/clean.ts', '', '-0'],
    message: /-0/,
  },
  DY6011: {
    changes: edited('drillyard/clean.ts', 'text.trim()', 'text.length'),
    types: true,
    at: ['drillyard/clean.ts', '', 'text.length'],
    message: /TS2322/,
  },
  DY6012: {
    changes: edited('drillyard/notes.ts', "context.state.put('notes', ", "context.state.put('nots', "),
    at: ['drillyard/notes.ts', '', "state.put('nots'"],
    message: /declares no namespace 'nots'/,
    suggestion: /Did you mean 'notes'\?/,
  },
  DY6013: {
    changes: { 'agent.mjs': "import { help } from './helper.mjs';\nexport default () => help();\n" },
    types: true,
    at: ['agent.mjs', '', "'./helper.mjs'"],
    message: /Could not resolve/,
  },
};

for (const [code, { changes, config, types = false, at, message, suggestion }] of Object.entries(cases)) {
  test(`${code}: ${diagnosticTable[code as DiagnosticCode].title}`, async (t) => {
    const root = folder(t, { ...sound, ...changes });
    const asked = { root, ...(config === undefined ? {} : { config }) };
    const { build, diagnostics } = types ? { build: undefined, ...(await validateRepository(asked)) } : await compileProject(asked);
    const reported = lines(diagnostics).join('\n');
    const [file, path, text] = at;
    const match = diagnostics.find((diagnostic) => diagnostic.code === code && diagnostic.file === file && diagnostic.path === path);
    assert.ok(match, `wanted ${code} ${file} ${path}, got\n${reported}`);
    if (text !== '') {
      const line = readFileSync(join(root, file), 'utf8').split('\n')[match.line - 1] ?? '';
      assert.ok(line.slice(match.column - 1).startsWith(text), `'${text}' stands at ${match.line}:${match.column}, in: ${line}`);
    }
    assert.match(match.message, message);
    if (suggestion !== undefined) assert.match(match.suggestion ?? '', suggestion);
    assert.equal(match.severity, diagnosticTable[code as DiagnosticCode].severity);
    assert.equal(
      build === undefined,
      diagnostics.some(({ severity }) => severity === 'error'),
      reported,
    );
  });
}

test('a schema that several places share by an anchor is reported once', async (t) => {
  const shared = sound['drillyard/notes.tool.yaml']
    .replace('schema: { type: object, required', 'schema: &note { type: objekt, required')
    .replace('outputSchema: { type: object }', 'outputSchema: *note');
  const { diagnostics } = await compileProject({ root: folder(t, { ...sound, 'drillyard/notes.tool.yaml': shared }) });
  assert.deepEqual(
    diagnostics.filter(({ code }) => code === 'DY5008').map(({ line, path }) => [line, path]),
    [[11, '/manifest/state/0/schema/type']],
  );
});

test('DY6012: a context that is taken apart is seen, and what a behavior declares itself is not', async (t) => {
  const own = /'notes\.add': [\s\S]*?\n {4}\},/;
  const behavior = (body: string) => ({
    'drillyard/notes.ts': sound['drillyard/notes.ts'].replace(own, `'notes.add': ({ id }: { id: string }, ${body},`),
  });
  const found = async (body: string) => {
    const { diagnostics } = await compileProject({ root: folder(t, { ...sound, ...behavior(body) }) });
    return diagnostics.map(({ code, line, column, message, suggestion }) => `${code} ${line}:${column} ${message} ${suggestion}`);
  };
  assert.deepEqual(await found("{ state }) => {\n state.put('nots', id, { text: 'a' }); return { id }; }"), [
    "DY6012 7:2 the manifest declares no namespace 'nots' Did you mean 'notes'?",
  ]);
  assert.match((await found("{ fail }) => fail({ code: 'TAKN', message: id })")).join(), /^DY6012 .* declares the error 'TAKN'/);
  assert.match((await found('{ events, clock }) => events.emit("du", { id, at: clock.nowUs() })')).join(), /declares no event 'du'/);
  assert.deepEqual(await found("context) => { const state = new Map(); return { id, n: state.get('nots', 1) }; }"), []);
  assert.deepEqual(await found("context) => ({ id, n: ((state: any) => state.get('nots'))(new Map()) })"), []);
  assert.deepEqual(await found("context) => { function fail(it: any) { return it; } return fail({ code: 'TAKN', id }); }"), []);
});

test('the table and its documentation name the same codes, with the same titles and severities', () => {
  const text = readFileSync(new URL('../../../docs/diagnostics.md', import.meta.url), 'utf8');
  const documented = [...text.matchAll(/^### (DY\d{4}) (.+) \((error|warning)\)$/gm)].map(([, code, title, severity]) => [
    code,
    { title, severity },
  ]);
  assert.equal(new Set(documented.map(([code]) => code)).size, documented.length, 'a code is documented twice');
  assert.deepEqual(
    Object.fromEntries(documented),
    Object.fromEntries(Object.entries(diagnosticTable).map(([code, { title, severity }]) => [code, { title, severity }])),
  );
});

test('the sound project has no diagnostic at all', async (t) => {
  const { diagnostics, build } = await compileWith(t);
  assert.deepEqual(diagnostics, []);
  assert.ok(build);
});

test('one compile reports everything, in order of place, and stops at a bound', async (t) => {
  const { diagnostics } = await compileWith(t, {
    ...edited(world, 'notes.add', 'notes.ad'),
    ...edited(drill, 'targetId: agent', 'targetId: agnet'),
    ...edited('drillyard/busy.scenario.yaml', 'faultId: down', 'faultId: up'),
    ...edited(behavior, './clean.js', './cleen.js'),
  });
  assert.deepEqual(
    diagnostics.map(({ code, file }) => `${code} ${file}`),
    [`DY3002 ${drill}`, 'DY3008 drillyard/busy.scenario.yaml', `DY6001 ${behavior}`, `DY3006 ${world}`],
  );
  const many = Array.from({ length: limits.diagnosticsMax + 50 }, () => '  - { packageId: notes, faultId: none }').join('\n');
  const flood = await compileWith(t, { 'drillyard/busy.scenario.yaml': `schemaVersion: 1\nid: busy\nfaults:\n${many}\n` });
  assert.equal(flood.diagnostics.length, limits.diagnosticsMax);
  assert.equal(flood.build, undefined);
});

test('two routes that fit the same paths, with no order between them, are refused', async (t) => {
  const errors = '[{ code: TAKEN, status: 409 }]';
  const second = (path: string) => route(path, errors).replace('  http:\n', '').replace('id: r,', 'id: s,');
  const found = async (one: string, other: string) =>
    (await compileWith(t, { [tool]: sound[tool] + route(one, errors) + second(other) })).diagnostics
      .filter(({ code }) => code === 'DY5010' || code === 'DY5015')
      .map(({ message }) => message);
  assert.deepEqual(await found('/a{x}', '/{x}b'), [
    "POST /{x}b and 'notes/r' (/a{x}) fit the same paths, and neither goes before the other",
  ]);
  assert.deepEqual(await found('/f/{x...}', '/f/{y...}'), ["POST /f/{y...} is a route of 'notes/r' already"]);
  assert.deepEqual(await found('/f/{x...}', '/f/{y}.json'), []);
  // A rest reaches further than the platform's own path does.
  assert.deepEqual(await found('/v1/operations/{x...}', '/v1/tools/{x...}'), []);
  assert.match((await found('/~{x}', '/a'))[0] ?? '', /begins with '~'/);
});

test('a document that does not fit is not reported again by those who refer to it', async (t) => {
  for (const changes of [
    edited(tool, 'idempotency: optional', 'idempotency: maybe'),
    edited('drillyard/busy.scenario.yaml', 'virtualTimeUs: 3', 'virtualTimeUs: x'),
    edited(world, 'id: shop', 'id: Shop'),
  ]) {
    const { diagnostics } = await compileWith(t, changes);
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ['DY2003'],
      lines(diagnostics).join('\n'),
    );
  }
});

test('a wrong constant is reported with the one that was meant', async (t) => {
  const cases: [files: Files, suggestion: string][] = [
    [asserting('kind: state.valeu, packageId: notes, namespace: notes, rowId: n1, expected: 1'), "Did you mean 'state.value'?"],
    [
      asserting('kind: operation.count, operation: { packageId: notes, operationId: notes.add, outcome: success }, count: { equals: 1 }'),
      "Did you mean 'ok'?",
    ],
    [edited('drillyard/agent.target.yaml', 'kind: module', 'kind: modul'), "Did you mean 'module'?"],
    [edited('drillyard/agent.target.yaml', 'bindings: [direct]', 'bindings: [dirct]'), "Did you mean 'direct'?"],
    [edited(tool, 'timing: before', 'timing: befor'), "Did you mean 'before'?"],
  ];
  for (const [files, suggestion] of cases) {
    const { diagnostics } = await compileWith(t, files);
    assert.deepEqual(
      diagnostics.map((found) => [found.code, found.suggestion]),
      [['DY2003', suggestion]],
    );
    assert.doesNotMatch(diagnostics[0]?.message ?? '', /did you mean/i);
  }
});

test('a package that is missing is one error, and what refers to it none', async (t) => {
  const { diagnostics } = await compileWith(t, {
    ...edited(drill, 'packageId: notes', 'packageId: ticket-desk'),
    'drillyard.json': '{ "schemaVersion": 1, "toolPackages": ["library:tickt-desk"] }',
  });
  assert.deepEqual(
    diagnostics.map(({ code, suggestion }) => [code, suggestion]),
    [['DY5001', "Did you mean 'library:ticket-desk'?"]],
  );
});

test('text that lacks its quotes, and a url that lacks its scheme, say what to write', async (t) => {
  const target = 'drillyard/away.target.yaml';
  for (const [changes, message, suggestion] of [
    [edited(tool, 'version: 1.0.0', 'version: 1.0'), /^expected text, found 1\b/, /^Put it in quotes/],
    [edited(tool, 'version: 1.0.0', 'version: true'), /^expected text, found true\b/, /^Put it in quotes/],
    [edited(tool, 'version: 1.0.0', 'version: [1]'), /^expected text, found a list/, undefined],
    [
      { [target]: asked('agent.example.com/x') },
      /^expected a URL that begins with its scheme, such as http:\/\/.*"agent\.example\.com\/x"/,
      undefined,
    ],
    [{ [target]: asked('localhost:8080/agent') }, /must begin with http:\/\/ or https:\/\/\.$/, /http:\/\/127\.0\.0\.1:<port>\//],
  ] as const) {
    const [found] = (await compileWith(t, changes)).diagnostics;
    assert.match(found?.message ?? '', message);
    if (suggestion === undefined) assert.equal(found?.suggestion, undefined);
    else assert.match(found?.suggestion ?? '', suggestion);
  }
});
