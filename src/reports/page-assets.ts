// The style and the script of a report's page and of a run's, read once a process: the viewer's page, as the build bundles it. Both are
// inlined, so the page's policy names them by digest.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface PageAssets {
  style: string;
  script: string;
  /** Of both, in UTF-8. */
  bytes: { style: Uint8Array; script: Uint8Array };
  /** The page may load nothing but images that it holds itself, run only this script and use only this style. */
  policy: string;
}

let loaded: PageAssets | undefined;

export function pageAssets(): PageAssets {
  loaded ??= loadAssets();
  return loaded;
}

function loadAssets(): PageAssets {
  const [style, script] = [readAsset('report-page.css'), readAsset('report-page.js')];
  const sources = [`script-src '${sourceDigest(script)}'`, 'img-src data:', `style-src '${sourceDigest(style)}'`];
  const bytes = { style: Buffer.from(style), script: Buffer.from(script) };
  return { style, script, bytes, policy: ["default-src 'none'", ...sources, "base-uri 'none'", "form-action 'none'"].join('; ') };
}

/** An element of HTML ends at its closing tag, wherever that stands. */
function readAsset(name: string): string {
  const text = readFileSync(new URL(`../viewer/report/${name}`, import.meta.url), 'utf8');
  return text.replace(/<\/(script|style)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
}

function sourceDigest(source: string): string {
  return `sha256-${createHash('sha256').update(source).digest('base64')}`;
}
