// What a node does for others, with homes and worlds that do as a test says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isServiceError, ServiceError } from '../../src/contract/errors.js';
import type { Control } from '../../src/control/open-control.js';
import { SessionUnknown } from '../../src/control/owned-homes.js';
import { NotOwner } from '../../src/http/node-door.js';
import { ClusterDoor, type ClusterDoorParts } from '../../src/nodes/cluster-door.js';
import { ClusterUse } from '../../src/nodes/cluster-use.js';

interface Ground {
  owner: 'self' | undefined;
  mayAnswer: boolean;
  catalog: number;
  answer: () => unknown;
  done: string[];
}
function doorOf(ground: Ground, control?: Control): ClusterDoor {
  return new ClusterDoor({
    node: 'n1',
    owners: { homeOf: () => 1, ownerOfHome: () => ground.owner, mayAnswer: () => ground.mayAnswer },
    follower: { lookSoon: () => void ground.catalog++ },
    owned: {
      answer: async (_: string, { kind }: { kind: string }) => {
        ground.done.push(kind);
        return ground.answer();
      },
    },
    use: new ClusterUse(),
    catalogNumber: () => ground.catalog,
    control: () => control,
    isOver: () => false,
    log: { error: (message: string) => void ground.done.push(message) },
  } as unknown as ClusterDoorParts);
}
const fine = (): Ground => ({ owner: 'self', mayAnswer: true, catalog: 5, answer: () => 'answer', done: [] });
const [read, change] = [{ kind: 'open' }, { kind: 'make', isNew: true }] as const;

// CLUSTER-DOOR-1
test('nothing is begun at a node that does not own the home, nor before its catalog has what who asks has seen', async () => {
  const ground = { ...fine(), owner: undefined };
  await assert.rejects(doorOf(ground).ask('ses_1', change, { catalog: 0 }), NotOwner);
  assert.deepEqual(ground.done, []);
  const behind = { ...fine(), catalog: 1 };
  assert.equal(await doorOf(behind).ask('ses_1', change, { catalog: 4 }), 'answer');
  assert.deepEqual([behind.catalog, behind.done], [4, ['make']]);
  const unknown = {
    ...fine(),
    answer: () => {
      throw new SessionUnknown();
    },
  };
  await assert.rejects(doorOf(unknown).ask('ses_1', change, { catalog: 4 }), NotOwner);
  assert.deepEqual(unknown.done, ['make', 'a session is unknown in a catalog that should have it']);
});

// CLUSTER-DOOR-2
test('of a home that may be another node’s by now nothing is answered', async () => {
  const lost = { ...fine(), mayAnswer: false };
  await assert.rejects(doorOf(lost).ask('ses_1', read, { catalog: 0 }), NotOwner);
  await assert.rejects(doorOf(lost).ask('ses_1', change, { catalog: 0 }), (error) => isServiceError(error, 'world.ACTOR_RESTARTED'));
  const refusing = {
    ...lost,
    answer: () => {
      throw new ServiceError('control.UNAVAILABLE');
    },
  };
  await assert.rejects(doorOf(refusing).ask('ses_1', read, { catalog: 0 }), NotOwner);
  await assert.rejects(doorOf(refusing).ask('ses_1', change, { catalog: 0 }), (error) => isServiceError(error, 'control.UNAVAILABLE'));
  await assert.rejects(doorOf(fine()).report({ kind: 'storage', figures: [] }), NotOwner);
});
