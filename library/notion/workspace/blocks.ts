// Blocks: reading them, appending, changing and deleting them. A page and a database on a page are blocks too.
import { blocksOf, contentOf, mayHold, type NewBlock } from './block-content.js';
import { flag, invalid, members, oneOf, text, unfit, uuid } from './failures.js';
import type { Block, Context, Json, Members, Page, Parent } from './model.js';
import { authorOf, listed, newId, type PageInput, pageOf } from './rows.js';
import { minuteText } from './time.js';
import { moveToTrash } from './trash.js';
import {
  changed,
  editedNow,
  contentOf as idsIn,
  madeNow,
  place,
  put,
  requireBlock,
  requireEditable,
  shownParent,
  type Thing,
  thingAt,
  titleOf,
  touchAround,
} from './tree.js';

type BlockThing = Exclude<Thing, { kind: 'data_source' }>;

/** The most blocks that one request may bring, with what lies in them. */
const requestBlocksMax = 1000;

interface OfBlock {
  readonly block_id: string;
}

export function retrieveBlock({ block_id }: OfBlock, context: Context): Json {
  return shownBlock(context, requireBlock(context, uuid(block_id, 'path.block_id')));
}

export function listChildren(input: OfBlock & PageInput, context: Context): Json {
  const holder = requireBlock(context, uuid(input.block_id, 'path.block_id'));
  const page = pageOf(childrenOf(context, holder.row.id), input, ({ row }) => row.id);
  return listed('block', { ...page, items: page.items.map((child) => shownBlock(context, child)) });
}

/** What lies on a page or in a block, without what is in the trash. */
export function childrenOf(context: Context, id: string): BlockThing[] {
  return idsIn(context, id)
    .map((childId) => thingAt(context, childId))
    .filter((thing): thing is BlockThing => thing !== undefined && thing.kind !== 'data_source' && !thing.row.in_trash);
}

export function shownBlock(context: Context, thing: BlockThing): Json {
  const { row } = thing;
  const [type, value] = typeAndValue(thing);
  return {
    object: 'block',
    id: row.id,
    parent: shownParent(context, row.parent),
    created_time: minuteText(row.created_us),
    last_edited_time: minuteText(row.edited_us),
    created_by: { object: 'user', id: row.created_by },
    last_edited_by: { object: 'user', id: row.edited_by },
    has_children: thing.kind !== 'database' && childrenOf(context, row.id).length > 0,
    in_trash: row.in_trash,
    archived: row.in_trash,
    type,
    [type]: value,
  };
}

function typeAndValue(thing: BlockThing): [string, Members] {
  if (thing.kind === 'block') return [thing.row.type, thing.row.value];
  return [thing.kind === 'page' ? 'child_page' : 'child_database', { title: titleOf(thing) }];
}

interface Appending extends OfBlock {
  readonly children?: Json;
  readonly after?: Json;
  readonly position?: Json;
}

export function appendChildren(input: Appending, context: Context): Json {
  const holder = requireBlock(context, uuid(input.block_id, 'path.block_id'));
  requireEditable(context, holder);
  if (holder.kind === 'database' || (holder.kind === 'block' && !mayHold(holder.row.type, holder.row.value))) {
    return invalid('Block does not support children.');
  }
  const blocks = blocksOf(context, input.children, 'body.children');
  checkCount(blocks);
  const at = positionOf(input);
  const stopped = stopAfter(context, blocks.length);
  const ids = addBlocks(context, holder, { blocks: blocks.slice(0, stopped), at });
  if (stopped < blocks.length) {
    // The service had written these before it broke: they stay, and no error says which.
    context.fail({ code: 'INTERNAL_SERVER_ERROR', message: 'Unexpected error occurred.', retryable: true, keep: true });
  }
  const items = ids.map((id) => shownBlock(context, requireBlock(context, id)));
  return listed('block', { items, next_cursor: null, has_more: false });
}

function checkCount(blocks: readonly NewBlock[]): void {
  const count = (some: readonly NewBlock[]): number => some.reduce((sum, block) => sum + 1 + count(block.children), 0);
  if (count(blocks) > requestBlocksMax) invalid(`body failed validation: a request should have ≤ \`${requestBlocksMax}\` blocks.`);
}

function positionOf({ after, position }: Appending): 'start' | 'end' | { after: string } {
  if (after !== undefined) return { after: uuid(after, 'body.after') };
  if (position === undefined) return 'end';
  const given = members(position, 'body.position');
  const type = oneOf(given.type, 'body.position.type', ['start', 'end', 'after_block']);
  if (type !== 'after_block') return type;
  return { after: uuid(members(given.after_block, 'body.position.after_block').id, 'body.position.after_block.id') };
}

/** How many of so many children this append gets to: all, unless a scenario has it stop half way. */
function stopAfter(context: Context, count: number): number {
  const condition = context.state.get('conditions', 'append');
  const { after_children = count, times = 1 } = condition ?? {};
  if (condition === undefined || times === 0 || after_children >= count) return count;
  context.state.put('conditions', 'append', { ...condition, times: times - 1 });
  return after_children;
}

interface Adding {
  blocks: readonly NewBlock[];
  at?: 'start' | 'end' | { after: string };
  /** Of a page that is made with them, no event says so separately. */
  silent?: boolean;
}

/** Writes blocks onto a page or into a block. Gives the ids of the topmost. */
export function addBlocks(context: Context, holder: Thing, { blocks, at = 'end', silent = false }: Adding): string[] {
  const { id } = holder.row;
  const parent: Parent = holder.kind === 'page' ? { type: 'page_id', page_id: id } : { type: 'block_id', block_id: id };
  const ids = blocks.map((block) => writeBlock(context, parent, block));
  place(context, id, ids, at);
  if (silent) return ids;
  const page = touchAround(context, parent);
  if (page !== undefined && ids.length > 0) tellContent(context, page, ids);
  return ids;
}

function writeBlock(context: Context, parent: Parent, { type, value, children }: NewBlock): string {
  const id = newId(context);
  const below: Parent = { type: 'block_id', block_id: id };
  const content = children.map((child) => writeBlock(context, below, child));
  context.state.put('blocks', id, { ...madeNow(context, id), parent, type, value, content });
  return id;
}

export function tellContent(context: Context, page: Page, blocks: readonly string[]): void {
  context.events.emit('page.content_updated', { id: page.id, by: authorOf(context), parent: page.parent, blocks: [...blocks] });
}

interface Updating extends OfBlock, Members {
  readonly block_id: string;
}

export function updateBlock({ block_id, ...body }: Updating, context: Context): Json {
  const thing = requireBlock(context, uuid(block_id, 'path.block_id'));
  const { in_trash, archived, type, ...content } = body;
  const wished = in_trash ?? archived;
  if (wished === false && thing.row.in_trash) moveToTrash(context, thing, false);
  const present = requireBlock(context, thing.row.id);
  if (Object.keys(content).length > 0 || wished !== undefined) {
    if (!present.row.in_trash || Object.keys(content).length > 0) requireEditable(context, present);
  }
  if (type !== undefined) text(type, 'body.type');
  if (Object.keys(content).length > 0) changeContent(context, present, content);
  if (flag(wished, 'body.in_trash')) moveToTrash(context, requireBlock(context, thing.row.id), true);
  return shownBlock(context, requireBlock(context, thing.row.id));
}

function changeContent(context: Context, thing: BlockThing, content: Members): void {
  if (thing.kind !== 'block') invalid(`A ${thing.kind} is updated by its own endpoint.`);
  const { type, value } = thing.row;
  const given = content[type];
  const stranger = Object.keys(content).find((name) => name !== type);
  if (given === undefined || stranger !== undefined) invalid(`The block is a ${type}; it cannot be updated as ${stranger ?? type}.`);
  const body = members(given, `body.${type}`);
  if (body.children !== undefined) unfit(`body.${type}.children`, 'not present', body.children);
  if (type === 'table' && body.table_width !== undefined && body.table_width !== value.table_width) {
    invalid('The table_width of a table cannot be changed.');
  }
  put(context, changed(thing, { value: contentOf(context, type, { ...value, ...body }, `body.${type}`), ...editedNow(context) }));
  const page = touchAround(context, thing.row.parent);
  if (page !== undefined) tellContent(context, page, [thing.row.id]);
}

export function deleteBlock({ block_id }: OfBlock, context: Context): Json {
  const thing = requireBlock(context, uuid(block_id, 'path.block_id'));
  requireEditable(context, thing);
  moveToTrash(context, thing, true);
  return shownBlock(context, requireBlock(context, thing.row.id));
}

/** A copy of blocks as a request would have them, so that a template can be written again. */
export function copiesOf(context: Context, id: string): NewBlock[] {
  return childrenOf(context, id)
    .filter((thing): thing is { kind: 'block'; row: Block } => thing.kind === 'block')
    .map(({ row }) => ({ type: row.type, value: row.value, children: copiesOf(context, row.id) }));
}
