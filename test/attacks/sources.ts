// What attackers publish: projects as text. Nothing of this file runs outside of a world.

export interface SourceText {
  path: string;
  content: string;
}

/** Ends by handing out what it reached. The names are put together, as the compiler refuses them where it can see them. */
const reach = `const reach = (leak) => {
  if ((typeof leak !== 'object' && typeof leak !== 'function') || leak === null) return 'nothing';
  const made = leak['const' + 'ructor']['const' + 'ructor']('return pro' + 'cess')();
  return 'process ' + made.pid;
};`;

/** Ways out of the realm. Each is a body that gives a value or throws; either may be an object of the host. */
export const realmWays: { readonly [way: string]: string } = {
  'a symbol as name': `const e = new Error('x'); Object.defineProperty(e, 'name', { value: Symbol('s') }); return e.stack;`,
  'a symbol as message': `const e = new Error('x'); Object.defineProperty(e, 'message', { value: Symbol('s') }); return e.stack;`,
  'a name without prototype': `const e = new Error('x'); Object.defineProperty(e, 'name', { value: Object.create(null) }); return e.stack;`,
  'a name without primitive': `const e = new Error('x');
    Object.defineProperty(e, 'name', { value: { toString: () => ({}), valueOf: () => ({}) } }); return e.stack;`,
  'captureStackTrace on such an object': `const o = { name: Symbol('s') }; Error.captureStackTrace(o); return o.stack;`,
  'a proxy in the chain of prototypes': `
    const trap = new Proxy(Error.prototype, { get: (target, key) => {
      if (typeof key === 'symbol' && key.description === 'kIsNodeError') throw ['the host has asked'];
      return key === 'name' ? Symbol('s') : target[key];
    } });
    const e = new Error('x'); Object.setPrototypeOf(e, trap); return e.stack;`,
  'the stack nearly full': `let found;
    const dig = () => { try { dig(); } catch (error) { try { found ??= error.stack; } catch (leak) { found = leak; } } };
    dig(); return found;`,
  'the bare name of the prototype': `return (() => __proto__)();`,
};

const realmCases = Object.entries(realmWays)
  .map(([way, body]) => `  ${JSON.stringify(way)}: () => { ${body} },`)
  .join('\n');

/** What tool code does beside leaving its realm. `context` is at hand, and `size` in millions. */
const hungryCases = `
  arrays: () => { const kept = []; for (;;) kept.push(new Array(20_000_000).fill(1.5)); },
  buffers: () => { for (let n = 0; n < 48; n++) hoard.push(new Uint8Array(64 * 1024 * 1024).fill(1)); return hoard.length; },
  objects: () => { const kept = []; for (;;) kept.push({ a: [kept.length], b: 'x' + kept.length }); },
  spin: () => { for (;;); },
  result: (context, size) => 'x'.repeat(1_000_000).repeat(size),
  wide: (context, size) => '\\u4e16'.repeat(1_000_000).repeat(size),
  details: (context, size) => context.fail({ code: 'LARGE', message: 'no', details: { text: 'x'.repeat(1_000_000).repeat(size) } }),
  events: (context, size) => { for (let n = 0; n < size; n++) context.events.emit('reported', { n, text: 'x'.repeat(1_000_000) }); return size; },
  rows: (context, size) => { for (let n = 0; n < size; n++) context.state.put('rows', 'r' + n, { text: 'x'.repeat(900_000) }); return size; },
  later: (context, size, next) => { context.events.scheduleAt('tick', { how: next }, context.clock.nowUs() + 1000); return 'scheduled'; },
  harmless: () => 'done',`;

/** `nonce` makes the build another one: one that is closed for what it did is published again so. */
const behavior = (nonce: string): string => `// ${nonce}
import { defineToolBehavior } from 'drillyard/tool-sdk';
const nonce = ${JSON.stringify(nonce)};
const hoard = [];
${reach}
const ways = {
${realmCases}
};
const hungry = {${hungryCases}
};
const leave = (way) => {
  try { return reach(ways[way]()); } catch (leak) {
    if (String(leak) === 'the host has asked') return String(leak);
    try { return reach(leak); } catch { return 'nothing'; }
  }
};
export default defineToolBehavior({
  operations: {
    leave: ({ way }) => ({ nonce, reached: leave(way) }),
    eat: ({ how, size, next }, context) => { const made = hungry[how](context, size, next); return { nonce, made }; },
  },
  subscriptions: { 'on-tick': ({ how }, context) => { hungry[how](context, 1); } },
});
`;

const object = '{ type: object }';
const operation = (id: string): string =>
  `    - { id: ${id}, inputSchema: ${object}, outputSchema: ${object}, declaredErrors: [{ code: LARGE }], idempotency: optional, fidelity: exact }`;
const manifest = `schemaVersion: 1
module: attacker.js
manifest:
  schemaVersion: 1
  id: attacker
  version: 1.0.0
  engine: '>=0.1.0'
  capabilities: [state.read, state.write, clock.read, clock.schedule, event.emit]
  state:
    - { namespace: rows, schema: ${object} }
  operations:
${['leave', 'eat'].map(operation).join('\n')}
  events:
    - { id: tick, payloadSchema: ${object} }
    - { id: reported, payloadSchema: ${object} }
  subscriptions:
    - { id: on-tick, event: { packageId: attacker, eventId: tick } }
`;
const world = (packageId: string, operations: readonly string[]): string => `schemaVersion: 1
id: ${packageId}-world
actors:
  - id: operator
    grants:
${operations.map((operationId) => `      - { packageId: ${packageId}, operationId: ${operationId} }`).join('\n')}
`;

export function attackerFiles(nonce = 'first'): SourceText[] {
  return [
    { path: 'drillyard.json', content: '{ "schemaVersion": 1 }' },
    { path: 'drillyard/world.yaml', content: world('attacker', ['leave', 'eat']) },
    { path: 'drillyard/attacker.tool.yaml', content: manifest },
    { path: 'drillyard/attacker.js', content: behavior(nonce) },
  ];
}

/** What lies beside the working directory of the service, for the bundler to find. */
export const victimSecret = 'sesame-of-the-neighbor';
export const victimFiles: { readonly [path: string]: string } = {
  'victim/module.ts': `export const value = '${victimSecret}';`,
  'victim/module.mjs': `export const value = '${victimSecret}';`,
  'victim/data.json': `{"value": "${victimSecret}"}`,
  'victim/words.txt': victimSecret,
  'victim/server.key': victimSecret,
  'victim/broken.js': `${victimSecret} is : no [ code`,
};

/**
 * Expressions that a bundler may take for globs over its file system; `name` is a constant of the module. The last one walks the whole
 * disk.
 */
export function globExpressions(dataDirectory: string): string[] {
  const up = '../'.repeat(20);
  // «x» stands for a placeholder of a template.
  return [
    'require(`./victim/«"module"».ts`)',
    'requ\\u0069re(`./victim/«"module"».ts`)',
    'require("./victim/" + name + ".ts")',
    'require(`./victim/«name».mjs`)',
    'require(`./victim/«name»`)',
    'require(`./victim/«name».json`)',
    'require(`./victim/«name».txt`)',
    'require(`./victim/«name».key`)',
    'require(`./victim/«name».js`)',
    'import(`./victim/«name».json`, { with: { type: "json" } })',
    'import(`./victim/«name».json`, undefined)',
    'import(`./victim/«name».ts`, name)',
    `require(\`${up}${dataDirectory.slice(1)}/«name».key\`)`,
    `require(\`${up}${dataDirectory.slice(1)}/work/«name».ts\`)`,
    `require(\`${up}etc/passwd«name»\`)`,
    `require(\`${up}proc/self/environ«name»\`)`,
    'require(`../../../../«name».js`)',
  ].map((expression) => expression.replace(/«(.*?)»/g, '$${$1}'));
}

export function globFiles(expression: string): SourceText[] {
  const text = `import { defineToolBehavior } from 'drillyard/tool-sdk';
const name = 'module';
export default defineToolBehavior({ operations: { leave: () => ({ value: String(${expression}) }), eat: () => ({}) },
  subscriptions: { 'on-tick': () => {} } });
`;
  return attackerFiles().map((file) => (file.path.endsWith('attacker.js') ? { ...file, content: text } : file));
}

/** A state schema whose pattern takes a backtracking engine for ever, with the row for which it does. */
export const hostilePattern = '^(a+)+$';
export const hostileText = `${'a'.repeat(40)}!`;

/** With `row`, the build itself has to check it. */
export function patternFiles({ row, nonce = 'first' }: { row: boolean; nonce?: string }): SourceText[] {
  const schema = `{ type: object, properties: { text: { type: string, pattern: '${hostilePattern}' } } }`;
  const state = `state:\n  - { action: upsert, packageId: attacker, namespace: rows, rowId: bad, value: { text: '${hostileText}' } }\n`;
  return attackerFiles(nonce).map((file) => {
    if (file.path.endsWith('.tool.yaml'))
      return { ...file, content: file.content.replace(`namespace: rows, schema: ${object}`, () => `namespace: rows, schema: ${schema}`) };
    return row && file.path.endsWith('world.yaml') ? { ...file, content: file.content + state } : file;
  });
}

/** Headers with which a route would speak for everything of its origin. */
export const originHeaders: { readonly [name: string]: string } = {
  'Set-Cookie': 'a=1; Path=/',
  'Service-Worker-Allowed': '/',
  'Clear-Site-Data': '"*"',
  'Strict-Transport-Security': 'max-age=0',
  'Alt-Svc': 'h3=":443"',
  'X-Content-Type-Options': 'sniff',
  'Content-Security-Policy': 'default-src *',
};

/** A tool whose open route says `page` with the headers that the query names. */
export function pageFiles(): SourceText[] {
  const route =
    '{ id: page, operationId: page, method: GET, path: /page, auth: { kind: none }, requestBody: none, response: { successStatus: 200, errors: [] } }';
  const code = `import { defineToolBehavior } from 'drillyard/tool-sdk';
const all = ${JSON.stringify(originHeaders)};
export default defineToolBehavior({
  operations: { page: (input) => input },
  http: { page: {
    decode: ({ query }) => ({ arguments: { name: query.name?.[0] ?? '' } }),
    encode: ({ outcome }) => {
      const { name } = outcome.kind === 'ok' ? outcome.value : { name: '' };
      const own = name in all ? { [name]: all[name] } : {};
      const headers = { 'Content-Type': 'text/html', ...own };
      return { headers, body: { kind: 'text', value: '<script>1</script>' } };
    },
  } },
});
`;
  return [
    { path: 'drillyard.json', content: '{ "schemaVersion": 1 }' },
    { path: 'drillyard/world.yaml', content: world('pages', ['page']) },
    {
      path: 'drillyard/pages.tool.yaml',
      content: `schemaVersion: 1
module: pages.js
manifest:
  schemaVersion: 1
  id: pages
  version: 1.0.0
  engine: '>=0.1.0'
  capabilities: []
  operations:
    - { id: page, inputSchema: ${object}, outputSchema: ${object}, idempotency: none, fidelity: exact }
  http:
    - ${route}
`,
    },
    { path: 'drillyard/pages.js', content: code },
  ];
}
