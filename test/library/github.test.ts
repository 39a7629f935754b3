// What stays true of GitHub's repositories under whatever is written to them: files are as their last writer left them, ids are git's, and
// a merge is what both sides have changed.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { JsonValue } from '../../src/contract/json.js';
import fc from '../fast-check.js';
import { PackageWorld } from './package-world.js';

interface Signed {
  name: string;
  email: string;
  date: string;
}
interface Commit {
  sha: string;
  parents: { sha: string }[];
  commit: { message: string; tree: { sha: string }; author: Signed; committer: Signed };
}
interface Value {
  sha: string;
  number: number;
  content: string & { sha: string };
  commit: { sha: string };
  object: { sha: string };
  items: Commit[];
  total_count: number;
  mergeable: boolean | null;
}

let world: PackageWorld;
before(async () => {
  world = await PackageWorld.open('github');
});
after(() => world.close());

const at = { owner: 'acme', repo: 'web' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const objectId = (kind: string, content: string): string => {
  const bytes = Buffer.from(content);
  return createHash('sha1').update(`${kind} ${bytes.length}\0`).update(bytes).digest('hex');
};

/** The value, or the code of the error. */
async function ask(call: string, args: object): Promise<Value | string> {
  const outcome = await world.call(call, JSON.parse(JSON.stringify({ ...at, ...args })) as JsonValue);
  return outcome.kind === 'ok' ? (outcome.value as unknown as Value) : outcome.error.code;
}
async function done(call: string, args: object): Promise<Value> {
  const answer = await ask(call, args);
  return typeof answer === 'string' ? assert.fail(`${call} ${JSON.stringify(args)}: ${answer}`) : answer;
}

const stale = objectId('blob', 'what nobody wrote');
const path = fc.constantFrom('a.md', 'b/c.md', 'b/d/e.md', 'README.md');
const text = fc.constantFrom('one\n', 'two\n', 'Grüße 🚲\n', '');
const step = fc.oneof(
  fc.record({ call: fc.constant('write' as const), path, text, given: fc.constantFrom('current', 'none', 'stale') }),
  fc.record({ call: fc.constant('delete' as const), path, text, given: fc.constantFrom('current', 'stale') }),
);
type Step = { call: 'write' | 'delete'; path: string; text: string; given: string };

/** What a write comes to: the files as they are then, or why it is refused. */
function expected(files: ReadonlyMap<string, string>, { call, path: place, text: content, given }: Step): Map<string, string> | string {
  const isThere = files.has(place);
  if (call === 'delete' && !isThere) return 'NOT_FOUND';
  if (call === 'write' && isThere && given === 'none') return 'VALIDATION_FAILED';
  if (given === 'stale') return 'CONFLICT';
  const written = new Map(files);
  if (call === 'delete') written.delete(place);
  else written.set(place, content);
  return written;
}

async function take(files: ReadonlyMap<string, string>, { call, path: place, text: content, given }: Step): Promise<Value | string> {
  const current = files.get(place);
  const sha = given === 'stale' ? stale : given === 'none' || current === undefined ? undefined : objectId('blob', current);
  const args = { path: place, message: `${call} ${place}`, ...(sha === undefined ? {} : { sha }) };
  if (call === 'write') return ask('repos.create-or-update-file-contents', { ...args, content: base64(content) });
  return ask('repos.delete-file', { ...args, sha: sha ?? stale });
}

async function commits(): Promise<Value> {
  return done('repos.list-commits', { per_page: 100 });
}

function checkId({ sha, parents, commit }: Commit): void {
  const line = ({ name, email, date }: Signed): string => `${name} <${email}> ${Date.parse(date) / 1000} +0000`;
  const lines = [`tree ${commit.tree.sha}`, ...parents.map((parent) => `parent ${parent.sha}`), `author ${line(commit.author)}`];
  assert.equal(sha, objectId('commit', [...lines, `committer ${line(commit.committer)}`, '', commit.message].join('\n')));
}

test('a file is as its last writer left it, a stale write changes nothing, and each write is a commit with the id of git', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      await world.reset();
      const first = await commits();
      let files = new Map([['README.md', '# Web\n\nThe shop.\n']]);
      let written = 0;
      for (const one of steps) {
        const [wanted, answer] = [expected(files, one), await take(files, one)];
        assert.equal(typeof answer === 'string' ? answer : 'ok', typeof wanted === 'string' ? wanted : 'ok', JSON.stringify(one));
        if (typeof wanted === 'string') continue;
        files = wanted;
        written += 1;
      }
      const all = await commits();
      assert.equal(all.total_count, first.total_count + written);
      for (const commit of all.items) checkId(commit);
      assert.equal((await done('git.get-ref', { ref: 'heads/main' })).object.sha, all.items[0]?.sha);
      for (const place of ['a.md', 'b/c.md', 'b/d/e.md', 'README.md']) {
        const [seen, content] = [await ask('repos.get-content', { path: place }), files.get(place)];
        if (content === undefined) assert.equal(seen, 'NOT_FOUND');
        else
          assert.deepEqual(
            [(seen as Value).sha, Buffer.from((seen as Value).content, 'base64').toString()],
            [objectId('blob', content), content],
          );
      }
    }),
    { numRuns: 25, includeErrorInReport: true },
  );
});

interface Edit {
  from: number;
  count: number;
  added: number;
}
const edit = fc.record({ from: fc.nat(9), count: fc.nat(2), added: fc.nat(2) });
const base = Array.from({ length: 12 }, (_, index) => `line ${index}\n`);
const endOf = ({ from, count }: Edit): number => from + count;
const linesOf = (side: string, { added }: Edit): string[] => Array.from({ length: added }, (_, index) => `${side} ${index}\n`);
const isNothing = ({ count, added }: Edit): boolean => count === 0 && added === 0;

function edited(...edits: [side: string, edit: Edit][]): string {
  const lines = [...base];
  // From the end, so that what stands before keeps its place.
  for (const [side, one] of edits.sort(([, a], [, b]) => b.from - a.from)) lines.splice(one.from, one.count, ...linesOf(side, one));
  return lines.join('');
}

/** Both sides together; undefined where their changes overlap or touch, unless both take the same lines out. */
function merged(ours: Edit, theirs: Edit): string | undefined {
  if (isNothing(ours)) return edited(['theirs', theirs]);
  if (isNothing(theirs)) return edited(['ours', ours]);
  if (endOf(ours) < theirs.from || endOf(theirs) < ours.from) return edited(['ours', ours], ['theirs', theirs]);
  const isSame = ours.from === theirs.from && ours.count === theirs.count && ours.added + theirs.added === 0;
  return isSame ? edited(['ours', ours]) : undefined;
}

/** Writes both sides, and gives the number of a pull request from one to the other. */
async function diverge(ours: Edit, theirs: Edit): Promise<number> {
  const place = { path: 'list.txt', message: 'Write' };
  const begun = await done('repos.create-or-update-file-contents', { ...place, content: base64(base.join('')) });
  await done('git.create-ref', { ref: 'refs/heads/side', sha: begun.commit.sha });
  const { sha } = begun.content;
  // Its own message, as the same commit on both sides would be one and no pull request.
  const side = { ...place, message: 'Write beside', sha, branch: 'side', content: base64(edited(['theirs', theirs])) };
  await done('repos.create-or-update-file-contents', side);
  await done('repos.create-or-update-file-contents', { ...place, sha, content: base64(edited(['ours', ours])) });
  return (await done('pulls.create', { title: 'Side', head: 'side', base: 'main' })).number;
}

test('a pull request is mergeable where its lines do not touch those of the base, and its merge has the changes of both', async () => {
  await fc.assert(
    fc.asyncProperty(edit, edit, fc.constantFrom('merge', 'squash', 'rebase'), async (ours, theirs, merge_method) => {
      await world.reset();
      const pull_number = await diverge(ours, theirs);
      assert.equal((await done('pulls.get', { pull_number })).mergeable, null);
      await world.advance(5_000_000);
      const wanted = merged(ours, theirs);
      assert.equal((await done('pulls.get', { pull_number })).mergeable, wanted !== undefined);
      const before = (await commits()).total_count;
      const answer = await ask('pulls.merge', { pull_number, merge_method });
      const seen = await done('repos.get-content', { path: 'list.txt' });
      const content = Buffer.from(seen.content, 'base64').toString();
      assert.equal(content, wanted ?? edited(['ours', ours]));
      assert.equal(typeof answer === 'string' ? answer : 'ok', wanted === undefined ? 'NOT_MERGEABLE' : 'ok');
      const { total_count, items } = await commits();
      const added = wanted === undefined ? 0 : merge_method === 'merge' ? 2 : 1;
      assert.equal(total_count, before + added);
      for (const commit of items) checkId(commit);
      assert.equal(await ask('pulls.merge', { pull_number }), 'NOT_MERGEABLE', 'nothing is merged twice');
    }),
    { numRuns: 25, includeErrorInReport: true },
  );
});

test('any text is a query', async () => {
  await world.reset();
  const word = fc.constantFrom(
    'is:open',
    'label:"',
    '-',
    'author:@me',
    'created:>',
    'comments:1..',
    'no:',
    'repo:acme/web',
    '..',
    ':',
    ' ',
    'x',
  );
  const query = fc.oneof(
    fc.string({ maxLength: 40, unit: 'binary' }),
    fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')),
  );
  const call = fc.constantFrom('search.issues-and-pull-requests', 'search.code', 'search.repos');
  await fc.assert(
    fc.asyncProperty(call, query, async (operation, q) => {
      const outcome = await world.call(operation, { q });
      if (outcome.kind !== 'ok') assert.equal(outcome.error.code, 'VALIDATION_FAILED');
    }),
    { numRuns: 150 },
  );
});
