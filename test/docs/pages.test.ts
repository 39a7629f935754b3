// The pages of the documentation lead to one another: all are in the index, each names the next, and no link leads nowhere.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { listPages, projectRoot, readPage } from './fences.js';

const pages = listPages();
const guide = pages.filter((page) => page.startsWith('docs/'));

interface Link {
  page: string;
  /** Relative to the project; the page itself where only a heading is named. */
  to: string;
  heading: string | undefined;
}
function linksOf(page: string): Link[] {
  const text = readPage(page)
    .replace(/^( *)```[\s\S]*?^\1```$/gm, '')
    .replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, url = '']) => {
    if (/^[a-z]+:/.test(url)) return [];
    const [path = '', heading] = url.split('#');
    return [{ page, to: path === '' ? page : normalize(join(dirname(page), path)), heading }];
  });
}
/** As Markdown viewers make them: letters, digits, hyphens and underscores in lower case; a second one gets -1. */
function headingsOf(page: string): Set<string> {
  const text = readPage(page).replace(/^( *)```[\s\S]*?^\1```$/gm, '');
  const found = new Set<string>();
  for (const [, title = ''] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const slug = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    let name = slug;
    for (let again = 1; found.has(name); again++) name = `${slug}-${again}`;
    found.add(name);
  }
  return found;
}

test('every link leads to a file, and to a heading of it', () => {
  const broken = pages.flatMap(linksOf).filter(({ to, heading }) => {
    const path = join(projectRoot, to);
    if (!existsSync(path)) return true;
    return heading !== undefined && statSync(path).isFile() && to.endsWith('.md') && !headingsOf(to).has(heading);
  });
  assert.deepEqual(
    broken.map(({ page, to, heading }) => `${page}: ${to}${heading === undefined ? '' : `#${heading}`}`),
    [],
  );
});

test('the index has four parts and every page once, and README leads to it', () => {
  const index = readPage('docs/index.md');
  const titles = [...index.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  assert.deepEqual(titles, ['Guide', 'Reference', 'Operate', 'Explain']);
  const listed = linksOf('docs/index.md').map(({ to }) => to);
  const body = listed.slice(0, -1);
  assert.deepEqual([...new Set(body)].sort(), [...body].sort(), 'a page is listed twice');
  const wanted = guide.filter((page) => page !== 'docs/index.md');
  const missing = [...wanted, 'SECURITY.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'CHANGELOG.md'].filter((page) => !body.includes(page));
  assert.deepEqual(missing, []);
  assert.ok(linksOf('README.md').some(({ to }) => to === 'docs/index.md'));
});

test('the index and the page of the library name each package that ships', () => {
  const line = readPage('docs/index.md').match(/^.*\(library\.md\).*$/m)?.[0] ?? '';
  const packages = readdirSync(join(projectRoot, 'library')).filter((name) =>
    existsSync(join(projectRoot, 'library', name, 'package.json')),
  );
  assert.ok(packages.length > 5);
  for (const page of [line, readPage('docs/library.md')])
    assert.deepEqual(
      packages.filter((name) => !new RegExp(`\\b${name}\\b`).test(page)),
      [],
    );
});

test('each page ends with its next step, and by these steps every page of the guide is reached from the first', () => {
  const nextOf = (page: string): string => {
    const last = readPage(page).trimEnd().split('\n').at(-1) ?? '';
    const [, url] = /^Next: \[[^\]]+\]\(([^)]+)\).*\.$/.exec(last) ?? assert.fail(`${page} ends with no next step: ${last.slice(0, 80)}`);
    return normalize(join(dirname(page), url ?? ''));
  };
  for (const page of guide) assert.ok(existsSync(join(projectRoot, nextOf(page))), page);
  const index = readPage('docs/index.md');
  const listed = index.slice(index.indexOf('## Guide'), index.indexOf('## Reference')).matchAll(/^\d+\. \[[^\]]+\]\(([^)]+)\)/gm);
  const inOrder = [...listed].map(([, url]) => `docs/${url}`);
  assert.deepEqual([nextOf('docs/index.md'), ...inOrder.slice(0, -1).map(nextOf)], inOrder);
});

test('each term of the glossary is there once, in order', () => {
  const terms = [...readPage('docs/glossary.md').matchAll(/^\| \*\*([^*]+)\*\*/gm)].map(([, term]) => term ?? '');
  assert.ok(terms.length > 50);
  assert.deepEqual(terms, [...new Set(terms)].sort());
});

test('each type that the glossary names is exported by the source', () => {
  const named = [...readPage('docs/glossary.md').matchAll(/`([A-Z][a-z]\w+)`/g)].map(([, name]) => name ?? '');
  assert.ok(named.length > 10);
  const source = (readdirSync(join(projectRoot, 'src'), { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(projectRoot, 'src', name), 'utf8'))
    .join('\n');
  const unknown = named.filter((name) => !new RegExp(`^export (?:abstract )?(?:class|interface|type) ${name}\\b`, 'm').test(source));
  assert.deepEqual(unknown, []);
});
