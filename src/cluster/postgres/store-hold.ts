// What a backup reads of a store beside the database stays there until it is read: nothing of a store is removed while somebody holds it.
//   STORE-HOLD-1. What may be removed was asked in the transaction that takes its row away, so a backup that begins later does not see it,
//     and one that has begun keeps the row and what it names.
import type { RunStatement } from './statements.js';

/** Name locks: `dyc2` and `dyc3` in ASCII. */
const removalLock = 0x64796332;
const holderLock = 0x64796333;

/** For as long as the session lasts; false where another holds it. Waits for removals that have begun. */
export async function holdStore(run: RunStatement): Promise<boolean> {
  const [row] = await run({ text: `select pg_try_advisory_lock(${holderLock}) as is_held`, isRead: true });
  if (row?.is_held !== true) return false;
  await run({ text: `select pg_advisory_lock(${removalLock})`, isRead: true });
  return true;
}

/** Until the end of the transaction nobody can hold the store; false where somebody does. */
export async function mayRemove(run: RunStatement): Promise<boolean> {
  const [row] = await run({ text: `select pg_try_advisory_xact_lock_shared(${removalLock}) as may_remove` });
  return row?.may_remove === true;
}
