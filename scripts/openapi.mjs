// Writes the OpenAPI documents into docs/ from the compiled code. `npm run openapi` builds first; tests hold each file against the code.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const flag = process.argv.indexOf('--out');
const out = flag > 0 ? process.argv[flag + 1] : 'dist';
const load = (...path) => import(pathToFileURL(join(root, out, 'src', ...path)).href);
const { openApiDocument } = await load('http', 'openapi', 'document.js');
const { inspectorDocument } = await load('inspector', 'openapi.js');
const { agentDocument } = await load('bindings', 'openapi.js');
const documents = { openapi: openApiDocument(), 'openapi-inspector': inspectorDocument(), 'openapi-agent': agentDocument() };
for (const [name, document] of Object.entries(documents)) {
  writeFileSync(join(root, 'docs', `${name}.json`), `${JSON.stringify(document, null, 2)}\n`);
}
