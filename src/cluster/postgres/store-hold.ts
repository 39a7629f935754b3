// What a backup reads of a store beside the database stays there until it is read: nothing of a store is removed while somebody holds it.
//   STORE-HOLD-1. What may be removed was asked in the transaction that takes its row away, so a backup that begins later does not see it,
//     and one that has begun keeps the row and what it names.
import type { RunStatement } from './statements.js';

/** Names the lock: `dyc2` in ASCII. */
const holdLock = 0x64796332;

/** For as long as the session lasts; false where another holds it, or something is being removed in this moment. */
export async function holdStore(run: RunStatement): Promise<boolean> {
  const [row] = await run({ text: `select pg_try_advisory_lock(${holdLock}) as is_held`, isRead: true });
  return row?.is_held === true;
}

/** Until the end of the transaction nobody can hold the store; false where somebody does. */
export async function mayRemove(run: RunStatement): Promise<boolean> {
  const [row] = await run({ text: `select pg_try_advisory_xact_lock_shared(${holdLock}) as may_remove` });
  return row?.may_remove === true;
}
