// Slots as code in a box may leave them: what is put there instead of a home's data file stays in the slot, whenever it is taken out.
import assert from 'node:assert/strict';
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { dataFileOf } from '../../src/files/database.js';
import { BoxSlot, dataFilesInSlots, recoverSlots, removeSlots } from '../../src/worlds/box-slot.js';
import { makeDeepFolder } from '../deep-folder.js';
import { temporaryFolder } from './storage-kit.js';

interface Given {
  directory: string;
  folder: string;
  slot: BoxSlot;
  put(home: string, text: string): void;
  outside(home: string): string | undefined;
}
function given(t: TestContext): Given {
  const directory = temporaryFolder(t);
  const folder = join(directory, 'p-one');
  mkdirSync(folder);
  const slot = BoxSlot.make(directory);
  slot.giveHomes(folder);
  const put = (home: string, text: string): void => {
    mkdirSync(join(folder, home), { recursive: true });
    writeFileSync(dataFileOf(join(folder, home)), text);
  };
  const outside = (home: string): string | undefined => {
    const file = dataFileOf(join(folder, home));
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  return { directory, folder, slot, put, outside };
}

/** What code in a box may put in place of a home that was open there. */
const planted: { [what: string]: (place: string, secret: string) => void } = {
  'a link in place of its file': (home, secret) => {
    rmSync(dataFileOf(home));
    symlinkSync(dataFileOf(secret), dataFileOf(home));
  },
  'a second name of its file': (home) => linkSync(dataFileOf(home), `${home}.second`),
  'a folder in place of its file': (home) => {
    rmSync(dataFileOf(home));
    mkdirSync(dataFileOf(home));
  },
  'a link in place of its folder': (home, secret) => {
    rmSync(home, { recursive: true });
    symlinkSync(secret, home);
  },
  'nothing in its place': (home) => rmSync(home, { recursive: true }),
};

for (const [what, plant] of Object.entries(planted)) {
  // BOX-SLOT-1
  test(`of a home nothing comes out but a plain file of one name: ${what}`, async (t) => {
    for (const how of ['release', 'end', 'crash'] as const) {
      const { directory, slot, put, outside } = given(t);
      const secret = join(directory, 'p-other', 'home-1');
      mkdirSync(secret, { recursive: true });
      writeFileSync(dataFileOf(secret), 'secret');
      put('home-1', 'one');
      slot.admitHome('home-1');
      assert.equal(outside('home-1'), undefined);
      plant(join(slot.seen, 'home-1'), secret);
      if (how === 'release') await slot.releaseHome('home-1');
      else if (how === 'end') slot.putBack();
      else await recoverSlots(directory);
      assert.equal(outside('home-1'), undefined, how);
      assert.equal(readFileSync(dataFileOf(secret), 'utf8'), 'secret', how);
      // The next that is put there goes in, whatever lies there.
      put('home-1', 'again');
      slot.admitHome('home-1');
      slot.putBack();
      assert.equal(outside('home-1'), 'again', how);
    }
  });
}

// BOX-SLOT-2
test('a home that comes out of a box that lives is no file that the box has open', async (t) => {
  const { folder, slot, put, outside } = given(t);
  put('home-1', 'one');
  put('home-2', 'two');
  slot.admitHome('home-1');
  assert.equal(outside('home-2'), 'two');
  writeFileSync(join(slot.seen, 'home-1', 'lock.mdb'), 'planted');
  const open = openSync(dataFileOf(join(slot.seen, 'home-1')), 'r+');
  t.after(() => closeSync(open));
  await slot.releaseHome('home-1');
  writeSync(open, 'changed');
  assert.equal(outside('home-1'), 'one');
  assert.deepEqual(readdirSync(join(folder, 'home-1')), ['data.mdb']);
  assert.deepEqual(readdirSync(slot.seen), []);
  await slot.releaseHome('home-1');
  assert.equal(outside('home-1'), 'one');
});

test('homes come back from a slot once, and not over others', async (t) => {
  const { directory, folder, slot, put, outside } = given(t);
  for (const home of ['home-1', 'home-2', 'home-3']) put(home, home);
  for (const home of ['home-1', 'home-2']) slot.admitHome(home);
  put('home-2', 'made again');
  chmodSync(join(slot.seen, 'home-1'), 0);
  mkdirSync(join(slot.seen, 'home-x'));
  // A crash while one was coming out, and one before a slot had its folder.
  const closing = join(slot.seen, '..', 'closed-one');
  mkdirSync(closing);
  slot.admitHome('home-3');
  renameSync(join(slot.seen, 'home-3'), join(closing, 'home-3'));
  mkdirSync(join(directory, '.slots', 'slot-new'));
  await recoverSlots(directory);
  assert.deepEqual(['home-1', 'home-2', 'home-3'].map(outside), ['home-1', 'made again', 'home-3']);
  assert.deepEqual(readdirSync(folder).sort(), ['home-1', 'home-2', 'home-3']);
  assert.deepEqual(readdirSync(join(directory, '.slots')), []);
  // After its end nothing goes in any more.
  slot.putBack();
  slot.admitHome('home-1');
  await slot.releaseHome('home-1');
  assert.equal(outside('home-1'), 'home-1');
});

// BOX-SLOT-1, BOX-SLOT-3
test('of a data folder nothing comes out but the data files of hosts, whatever else lies there', async (t) => {
  for (const how of ['end', 'crash', 'early crash'] as const) {
    const directory = temporaryFolder(t);
    const folder = join(directory, 'p-one');
    for (const [name, text] of Object.entries({ 'host-0': 'first', 'host-3': 'fourth' })) {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(dataFileOf(join(folder, name)), text);
    }
    // A crash between making the file and taking its draft away.
    linkSync(dataFileOf(join(folder, 'host-3')), join(folder, 'host-3', 'draft'));
    const slot = BoxSlot.make(directory);
    slot.giveFolder(folder);
    // Earlier versions moved the whole folder.
    if (how === 'early crash') rmSync(folder, { recursive: true });
    const seen = join(slot.seen, 'p-one');
    for (const place of [slot.seen, seen, join(seen, 'host-0')]) {
      makeDeepFolder(place);
      mkdirSync(join(place, 'closed', 'inner'), { recursive: true });
      writeFileSync(Buffer.concat([Buffer.from(`${place}/`), Buffer.from([0xff, 0xfe])]), 'a name in no encoding');
      chmodSync(join(place, 'closed'), 0);
    }
    for (const name of ['x', 'host-01', 'host-99999']) {
      mkdirSync(join(seen, name));
      writeFileSync(dataFileOf(join(seen, name)), 'junk');
    }
    mkdirSync(join(seen, 'host-1'));
    symlinkSync(dataFileOf(join(seen, 'host-0')), dataFileOf(join(seen, 'host-1')));
    chmodSync(dataFileOf(join(seen, 'host-0')), 0o4777);
    for (const place of [join(seen, 'host-3'), seen, slot.seen]) chmodSync(place, 0);
    if (how === 'end') {
      slot.putBack();
      await slot.remove();
    } else await recoverSlots(directory);
    const left = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
    assert.deepEqual(
      left.map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1)).sort(),
      how === 'early crash' ? ['host-0/data.mdb', 'host-3/data.mdb'] : ['host-0/data.mdb', 'host-3/data.mdb', 'host-3/draft'],
    );
    assert.equal(readFileSync(dataFileOf(join(folder, 'host-3')), 'utf8'), 'fourth');
    assert.equal(statSync(dataFileOf(join(folder, 'host-0'))).mode & 0o7777, 0o600);
    assert.deepEqual(readdirSync(join(directory, '.slots')), [], how);
  }
});

// BOX-SLOT-1
test('a data file that cannot come out stays in its slot, and comes out later', async (t) => {
  const directory = temporaryFolder(t);
  const folder = join(directory, 'p-one');
  mkdirSync(join(folder, 'host-0'), { recursive: true });
  writeFileSync(dataFileOf(join(folder, 'host-0')), 'kept');
  const slot = BoxSlot.make(directory);
  slot.giveFolder(folder);
  renameSync(folder, `${folder}.away`);
  writeFileSync(folder, 'in the way');
  assert.throws(() => slot.putBack(), { code: 'control.INVALID_REQUEST' });
  assert.throws(() => recoverSlots(directory), { code: 'control.INVALID_REQUEST' });
  rmSync(folder);
  renameSync(`${folder}.away`, folder);
  slot.putBack();
  await slot.remove();
  assert.equal(readFileSync(dataFileOf(join(folder, 'host-0')), 'utf8'), 'kept');
  assert.deepEqual(readdirSync(join(directory, '.slots')), []);
});

// BOX-SLOT-3
test('a crash while a slot is being removed brings nothing of it back', async (t) => {
  const { directory, slot, put, outside } = given(t);
  put('home-1', 'one');
  slot.admitHome('home-1');
  slot.putBack();
  mkdirSync(join(slot.seen, 'home-2'));
  writeFileSync(dataFileOf(join(slot.seen, 'home-2')), 'planted');
  removeSlots(directory);
  assert.deepEqual(dataFilesInSlots(directory), []);
  await recoverSlots(directory);
  assert.deepEqual(['home-1', 'home-2'].map(outside), ['one', undefined]);
  assert.deepEqual(readdirSync(join(directory, '.slots')), []);
});

test('what is not believed is not put back', async (t) => {
  const { directory, slot, put, outside } = given(t);
  put('home-1', 'torn');
  slot.admitHome('home-1');
  removeSlots(directory);
  await recoverSlots(directory);
  assert.equal(outside('home-1'), undefined);
});
