// The style and the script of index.html, read once a process. Both are inlined, so the page's policy names them by digest.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface PageAssets {
  style: string;
  script: string;
  /** The page may load nothing, run only this script and use only this style. */
  policy: string;
  /** For a page that has the style alone. */
  policyWithoutScript: string;
}

const styles = ['theme', 'layout', 'cards', 'evidence', 'timeline', 'drawer'];
/** The page's modules, each after those it imports. */
const modules = [
  'visible-text',
  'virtual-time',
  'json-diff',
  'dom',
  'kind-names',
  'page-data',
  'json-view',
  'entry-drawer',
  'entry-row',
  'evidence-around',
  'timeline-scale',
  'timeline-marks',
  'timeline-drawing',
  'timeline',
  'state-changes',
  'journal-filter',
  'journal',
  'page-chrome',
  'app',
];

let loaded: PageAssets | undefined;

export function pageAssets(): PageAssets {
  loaded ??= loadAssets();
  return loaded;
}

function loadAssets(): PageAssets {
  const style = styles.map((name) => readAsset(`${name}.css`)).join('');
  const script = modules.map((name) => joined(readAsset(`${name}.mjs`))).join('\n');
  const policy = (...scripts: string[]): string =>
    ["default-src 'none'", ...scripts, `style-src '${sourceDigest(style)}'`, "base-uri 'none'", "form-action 'none'"].join('; ');
  return { style, script, policy: policy(`script-src '${sourceDigest(script)}'`), policyWithoutScript: policy() };
}

function readAsset(name: string): string {
  return readFileSync(new URL(`./html/${name}`, import.meta.url), 'utf8');
}

/**
 * A module's part of the one script. A page opened from a file cannot import, so the modules share one scope: import lines go,
 * `export` goes. Two modules that declare the same name make the script a syntax error, which a test would see.
 */
function joined(module: string): string {
  return module.replace(/^import [^;]*;\n/gm, '').replace(/^export /gm, '');
}

function sourceDigest(source: string): string {
  return `sha256-${createHash('sha256').update(source).digest('base64')}`;
}
