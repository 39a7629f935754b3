// What sweeps have in common: they go over the records of an index, the first first, past what of the catalog cannot be read.
//   SWEEP-LISTED-1. A record that is damaged, or of which something is that the work needs, stays as it is with all that it leads to, and
//     every other one has its turn. The log has it once an incarnation of the service: some sweeps come each second.
import { defined } from '../../contract/defined.js';
import { isStoredDamage } from '../../contract/stored-damage.js';
import type { Change, OnDamage, Table, View } from '../catalog/tables.js';
import type { ControlServices } from './services.js';

export interface Swept<Record> {
  table: Table<Record>;
  index: string;
  /** So many in one change. */
  limit: number;
  /** The first that is not ends the pass with its page: those after it come later still. */
  isDue(record: Record): boolean;
  /** Whether it counts. */
  work(tx: Change, record: Record): boolean;
  /** Asked before each page. Default: never. */
  isOver?(): boolean;
}
type Needs = Pick<ControlServices, 'catalog' | 'log' | 'damageLogged'>;

/** Yields how many counted. */
export async function sweepListed<Record>(needs: Needs, swept: Swept<Record>): Promise<number> {
  const { catalog } = needs;
  const damage = new DamageOfPass(needs);
  let count = 0;
  for (let after: string | undefined; swept.isOver?.() !== true; ) {
    const page = await workOff(catalog, swept, { after, damage });
    count += page.count;
    if (page.next === undefined) break;
    after = page.next;
  }
  return count;
}

/** What a pass cannot read. */
export class DamageOfPass {
  readonly #needs: Omit<Needs, 'catalog'>;

  constructor(needs: Omit<Needs, 'catalog'>) {
    this.#needs = needs;
  }

  readonly note: OnDamage = (id, err) => {
    const { log, damageLogged } = this.#needs;
    if (damageLogged.peek(id) !== undefined) return;
    damageLogged.set(id, true);
    log.error('what is stored of this is damaged; it stays as it is, and a sweep passes it by', { id, err });
  };

  /** Anything else is thrown. */
  noteOrThrow(id: string, error: unknown): void {
    if (!isStoredDamage(error)) throw error;
    this.note(id, error);
  }
}

interface From {
  after: string | undefined;
  damage: DamageOfPass;
}
interface Worked {
  count: number;
  /** Absent: nothing more is due. */
  next: string | undefined;
}

async function workOff<Record>(catalog: Needs['catalog'], swept: Swept<Record>, from: From): Promise<Worked> {
  try {
    return await catalog.change((tx) => {
      const { due, next } = dueIn(tx, swept, from);
      return { count: due.filter((record) => swept.work(tx, record)).length, next };
    });
  } catch (error) {
    if (!isStoredDamage(error)) throw error;
    return await workOffEach(catalog, swept, from);
  }
}

/** In a change each: what is damaged of one undoes nothing of another. */
async function workOffEach<Record>(catalog: Needs['catalog'], swept: Swept<Record>, from: From): Promise<Worked> {
  const { table, isDue, work } = swept;
  const { due, next } = dueIn(catalog.view, swept, from);
  let count = 0;
  for (const id of due.map((record) => table.idOf(record))) {
    try {
      const counts = await catalog.change((tx) => {
        const record = tx.get(table, id);
        return record !== undefined && isDue(record) && work(tx, record);
      });
      if (counts) count += 1;
    } catch (error) {
      from.damage.noteOrThrow(id, error);
    }
  }
  return { count, next };
}

function dueIn<Record>(view: View, { table, index, limit, isDue }: Swept<Record>, { after, damage }: From): Due<Record> {
  const { records, next } = view.list(table, { index, prefix: [], limit, onDamage: damage.note, ...defined({ after }) });
  const due = records.filter(isDue);
  return { due, next: due.length === records.length ? next : undefined };
}
interface Due<Record> {
  due: Record[];
  next: string | undefined;
}
