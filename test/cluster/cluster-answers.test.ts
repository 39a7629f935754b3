import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogHome } from '../../src/cluster/log.js';
import type { HttpReply, ServerRequest } from '../../src/http/server.js';
import { ClusterAnswers } from '../../src/nodes/cluster-answers.js';
import { HeldAnswers } from '../../src/nodes/cluster-held.js';
import { ClusterUse } from '../../src/nodes/cluster-use.js';
import { VirtualClock } from './virtual-clock.js';

const reply = (status: number): HttpReply => ({ status, headers: {}, body: '' });
const requestOf = (method: string): ServerRequest => ({ method, path: '/v1/anything' }) as ServerRequest;

/** A node whose catalog is given away as `ClusterNode` gives it: nobody begins any more, who is at work is waited for, the plane ends. */
function openNode() {
  const use = new ClusterUse();
  let plane: object | undefined = {};
  const answers = new ClusterAnswers({
    owners: { homeOfAgent: () => undefined, ownerOfHome: () => undefined, mayAnswer: () => true },
    homes: { mayRead: () => plane !== undefined },
    ...{ use, held: new HeldAnswers(new VirtualClock().face()), plane: () => plane },
  });
  const leave = (): void => {
    plane = undefined;
  };
  const give = async (home: number): Promise<void> => {
    await use.quiet(home);
    leave();
  };
  return { answers, give, leave };
}

// CLUSTER-ANSWERS-1, CLUSTER-USE-1
test('a change under way while the catalog is given away is answered by the node that began it, however soon the home leaves', async () => {
  for (let turns = 0; turns < 12; turns++) {
    const { answers, give } = openNode();
    let end: (reply: HttpReply) => void = () => {};
    const answer = new Promise<HttpReply>((resolve) => {
      end = resolve;
    });
    const asked = answers.ofControl(requestOf('POST'), { answer: () => answer, elsewhere: () => reply(500) });
    await Promise.resolve();
    const given = give(catalogHome);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    end(reply(201));
    assert.equal((await asked).status, 201);
    await given;
  }
});

// CLUSTER-ANSWERS-1, CLUSTER-ANSWERS-2
test('what was begun and not answered when the catalog left is not known; what only reads is asked again, once', async () => {
  for (const [method, status] of [
    ['POST', 503],
    ['GET', 200],
  ] as const) {
    const { answers, leave } = openNode();
    // As when its bound is over: the home leaves although this request is under way.
    const late = async (): Promise<HttpReply> => {
      leave();
      return reply(201);
    };
    const work = { answer: late, elsewhere: () => reply(200) };
    assert.equal((await answers.ofControl(requestOf(method), work)).status, status, method);
  }
});
