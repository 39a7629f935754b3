// Writes docs/openapi.json from the compiled server. `npm run openapi` builds first; a test holds the file against what is served.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const flag = process.argv.indexOf('--out');
const out = flag > 0 ? process.argv[flag + 1] : 'dist';
const { openApiDocument } = await import(pathToFileURL(join(root, out, 'src', 'http', 'openapi', 'document.js')).href);
writeFileSync(join(root, 'docs', 'openapi.json'), `${JSON.stringify(openApiDocument(), null, 2)}\n`);
