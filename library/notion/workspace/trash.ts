// The trash: what is thrown away can be taken out again for thirty days, then it is gone with all that lies in it.
import type { Context } from './model.js';
import { authorOf, rowsWhere } from './rows.js';
import { markUnseen } from './search.js';
import { contentOf, parentOf, setTrash, type Thing, thingAt, titleOf, touchAround, unplace } from './tree.js';

/** Into the trash or out of it, and tells so. */
export function moveToTrash(context: Context, thing: Thing, in_trash: boolean): void {
  if (thing.row.in_trash === in_trash) return;
  if (thing.kind === 'page' || thing.kind === 'data_source') markUnseen(context, thing, thing.row.in_trash ? null : titleOf(thing));
  const present = thingAt(context, thing.row.id);
  const moved = present === undefined ? undefined : setTrash(context, present, in_trash);
  if (moved === undefined) return;
  const by = authorOf(context);
  const parent = parentOf(moved);
  const page = touchAround(context, parent);
  if (moved.kind === 'block') {
    if (page !== undefined) context.events.emit('page.content_updated', { id: page.id, by, parent: page.parent, blocks: [moved.row.id] });
    return;
  }
  context.events.emit(`${moved.kind}.${in_trash ? 'deleted' : 'undeleted'}`, { id: moved.row.id, by, parent });
}

/** The thirty days are over. */
export function purge({ id }: { readonly id: string }, context: Context): void {
  const thing = thingAt(context, id);
  if (thing === undefined || !thing.row.in_trash) return;
  if (thing.kind === 'data_source') removeFromDatabase(context, thing.row.database_id, id);
  else unplace(context, parentOf(thing), id);
  remove(context, thing);
}

function removeFromDatabase(context: Context, databaseId: string, id: string): void {
  const database = context.state.get('databases', databaseId);
  if (database === undefined) return;
  context.state.put('databases', databaseId, { ...database, data_sources: database.data_sources.filter((other) => other !== id) });
}

function remove(context: Context, thing: Thing): void {
  const { id, purge: scheduled } = thing.row;
  for (const below of heldBy(context, thing)) {
    const inner = thingAt(context, below);
    if (inner !== undefined) remove(context, inner);
  }
  if (scheduled !== '') context.events.cancel(scheduled);
  for (const comment of rowsWhere(context, 'comments', ({ parent }) => Object.values(parent).includes(id))) {
    context.state.delete('comments', comment.id);
  }
  const namespaces = { page: 'pages', block: 'blocks', database: 'databases', data_source: 'data_sources' } as const;
  context.state.delete(namespaces[thing.kind], id);
  context.events.emit('trash.purged', { id, object: thing.kind });
}

function heldBy(context: Context, { kind, row }: Thing): readonly string[] {
  if (kind === 'database') return row.data_sources;
  if (kind !== 'data_source') return contentOf(context, row.id);
  const holds = ({ parent }: { readonly parent: { readonly type: string; readonly data_source_id?: string } }): boolean =>
    parent.data_source_id === row.id;
  return rowsWhere(context, 'pages', holds as (page: unknown) => boolean).map(({ id }) => id);
}
