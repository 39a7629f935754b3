// Each library package that imitates a vendor is proved against the vendor's own client, offline; and the proof is one: the same package
// whose codec leaves out a member is not proved, though the vendor calls that member optional. On the way its
// conformance drills pass, with a fresh module each turn too.
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { membersFile } from '../../src/compat-kit/carried-members.js';
import type { SpoiledMember } from '../../src/compat-kit/mutations.js';
import { verifyToolPackage } from '../../src/compat-kit/verify.js';
import { library, libraryPackages } from './package-world.js';
import { assertAllShown } from './shown-facts.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-library-verify-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
symlinkSync(join(library, '..', 'node_modules'), join(scratch, 'node_modules'));

for (const packageId of libraryPackages.filter((id) => existsSync(join(library, id, 'compat')))) {
  test(`${packageId}: its vendor's client proves it, and would not if a codec left out an optional member`, async () => {
    const reportDirectory = join(scratch, 'reports', packageId);
    const { findings, noticed, unnoticed, clients } = await verifyToolPackage({ folder: join(library, packageId), reportDirectory });
    assert.deepEqual(findings, []);
    await assertAllShown(packageId, reportDirectory);
    assert.ok(clients.length > 0);
    const readme = readFileSync(join(library, packageId, 'README.md'), 'utf8');
    assert.match(readme, /\]\(COMPAT\.md\)/, 'its page says what it has not');
    assert.match(readme, /x-drillyard-unsupported: 1/);
    assert.ok(noticed.some(({ how, from }) => how === 'lost' && from === 'flow'));
    const optional = unnoticed.filter(({ from }) => from === 'flow');
    assert.ok(optional.length > 0, 'the vendor calls no member optional');
    await assertFound(packageId, optional);
  });
}

/** The flow itself uses some members, and fails without them; the others the record alone has. */
async function assertFound(packageId: string, [lost, ...others]: readonly SpoiledMember[]): Promise<void> {
  if (lost === undefined) assert.fail('the flow uses each member that the vendor calls optional');
  const { findings } = await verifyToolPackage({ folder: mutant(packageId, lost) });
  if (findings.some(({ kind }) => kind === 'flow_failed')) return assertFound(packageId, others);
  assert.deepEqual(
    findings.filter(({ kind }) => kind !== 'page_stale').map(({ kind, message }) => [kind, message]),
    [['member_lost', `${lost.routeId}: no response carries /${lost.path.join('/')}; ${membersFile} has it.`]],
  );
}

/**
 * A copy of the package, beside the same installed packages, whose codec of the route leaves the member out. Of its drills one is left: the
 * flow asks for every route, and what the drills find is shown by the package itself, as is how it refuses operations that it does not
 * have. Of the record the lost member is left: the rest of it is of all drills.
 */
function mutant(packageId: string, { routeId, path }: SpoiledMember): string {
  const folder = join(scratch, 'library', packageId);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(scratch, 'library'), { recursive: true });
  cpSync(join(library, packageId), folder, { recursive: true });
  assert.ok(
    /^module: (?:\.\/)?behavior\.ts$/m.test(readFileSync(join(folder, `${packageId}.tool.yaml`), 'utf8')),
    'its module is behavior.ts',
  );
  const drills = join(folder, 'conformance', 'drillyard', 'drills');
  for (const file of readdirSync(drills).sort().slice(1)) rmSync(join(drills, file));
  const place = `/${path.slice(0, -1).join('/')}`;
  const recorded = JSON.parse(readFileSync(join(folder, membersFile), 'utf8'))[routeId][place] as string[];
  const name = recorded.find((one) => one.replace(/\?$/, '') === path.at(-1)) ?? assert.fail(`${membersFile} has no ${path.join('/')}`);
  writeFileSync(join(folder, membersFile), JSON.stringify({ [routeId]: { [place]: [`${name.replace(/\?$/, '')}?`] } }));
  renameSync(join(folder, 'compat', 'compat.ts'), join(folder, 'compat', 'whole.ts'));
  writeFileSync(
    join(folder, 'compat', 'compat.ts'),
    `import whole from './whole.ts';

const { operations, unsupported } = whole;
const isHere = ({ id }) => !Object.hasOwn(unsupported, id);
export default { ...whole, unsupported: {}, operations: 'list' in operations ? { list: operations.list.filter(isHere) } : operations };
`,
  );
  renameSync(join(folder, 'behavior.ts'), join(folder, 'whole.ts'));
  writeFileSync(
    join(folder, 'behavior.ts'),
    `import { defineToolBehavior } from 'drillyard/tool-sdk';
import whole from './whole.ts';

const without = (value, [name, ...rest]) => {
  if (Array.isArray(value)) return value.map((item) => without(item, rest));
  if (value === null || typeof value !== 'object' || !(name in value)) return value;
  const { [name]: member, ...others } = value;
  return rest.length === 0 ? others : { ...value, [name]: without(member, rest) };
};
const codecs = whole.http[${JSON.stringify(routeId)}];
const encode = (seen) => {
  const message = codecs.encode(seen);
  const { outcome } = seen;
  if (outcome.kind !== 'ok' || message.body.kind !== 'json') return message;
  return { ...message, body: { kind: 'json', value: without(message.body.value, ${JSON.stringify(path)}) } };
};
export default defineToolBehavior({ ...whole, http: { ...whole.http, ${JSON.stringify(routeId)}: { ...codecs, encode } } });
`,
  );
  return folder;
}
