// The web app as files: a shell that knows nothing, public, and the same for everybody. Its names are a list; no path of a client is one.
import { readFileSync } from 'node:fs';
import { type OpenRoute, RawText } from '../http/router.js';

const files: { [path: string]: { file: string; type: string } } = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/app.js': { file: 'app.js', type: 'text/javascript; charset=utf-8' },
  '/app.css': { file: 'app.css', type: 'text/css; charset=utf-8' },
  '/icon.svg': { file: 'icon.svg', type: 'image/svg+xml' },
};

/** Nothing from elsewhere, nothing inline; it talks to its own server only. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const headers = {
  'content-disposition': 'inline',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** `folder`: where the bundle lies. What is not there is not served. */
export function shellRoutes(folder: URL): OpenRoute[] {
  return Object.entries(files).flatMap(([path, { file, type }]) => {
    const content = read(new URL(file, folder));
    if (content === undefined) return [];
    const run: OpenRoute['run'] = () => ({ status: 200, body: new RawText(content), headers: { ...headers, 'content-type': type } });
    return [{ method: 'GET', path, id: path, auth: 'none', run }];
  });
}

function read(file: URL): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
