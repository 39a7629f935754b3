// Comments on pages and blocks. Those of one discussion have its id.
import { fixOne, invalid, isMembers, members, notFound, oneOf, text, unfit, uuid } from './failures.js';
import { parseInline } from './markdown-inline.js';
import type { Comment, CommentRow, Context, Json, Members, Parent } from './model.js';
import { richText } from './rich-text.js';
import { authorOf, listed, newId, type PageInput, pageOf, rowsWhere } from './rows.js';
import { minuteText } from './time.js';
import { pageAround, parentId, requireBlock, requireEditable, requirePage, thingAt } from './tree.js';

interface Creating {
  readonly parent?: Json;
  readonly discussion_id?: Json;
  readonly rich_text?: Json;
  readonly markdown?: Json;
  readonly display_name?: Json;
  readonly attachments?: Json;
}

export function createComment(input: Creating, context: Context): Json {
  const { parent, discussion_id } = placeOf(context, input);
  const thing = thingAt(context, parentId(parent) as string) ?? notFound('block', String(parentId(parent)));
  requireEditable(context, thing);
  if (input.attachments !== undefined) invalid('body.attachments is not supported: this workspace has no file uploads.');
  const rich_text =
    input.markdown === undefined
      ? richText(context, input.rich_text, 'body.rich_text')
      : parseInline(text(input.markdown, 'body.markdown'));
  if (rich_text.length === 0) unfit('body.rich_text.length', '≥ `1`', 0);
  const [id, by] = [newId(context), authorOf(context)];
  const display_name = displayName(context, input.display_name);
  const comment: CommentRow = { id, parent, discussion_id, rich_text, display_name, created_us: context.clock.nowUs(), created_by: by };
  context.state.put('comments', id, comment);
  context.events.emit('comment.created', { id, by, parent, page_id: pageAround(context, thing)?.id ?? '' });
  return shownComment(comment);
}

/** A comment begins a discussion at a page or a block, or continues one that is there. */
function placeOf(context: Context, { parent, discussion_id }: Creating): { parent: Parent; discussion_id: string } {
  if (parent === undefined && discussion_id === undefined) return fixOne(['body.parent', 'body.discussion_id']);
  if (parent !== undefined && discussion_id !== undefined) return unfit('body.discussion_id', 'not present', discussion_id);
  if (discussion_id !== undefined) {
    const id = uuid(discussion_id, 'body.discussion_id');
    const [first] = rowsWhere(context, 'comments', (comment) => comment.discussion_id === id);
    return first === undefined ? notFound('discussion', id) : { parent: first.parent, discussion_id: id };
  }
  const given = members(parent, 'body.parent');
  const id = newId(context);
  if (given.page_id !== undefined) {
    return { parent: { type: 'page_id', page_id: requirePage(context, uuid(given.page_id, 'body.parent.page_id')).id }, discussion_id: id };
  }
  const block_id = requireBlock(context, uuid(given.block_id, 'body.parent.block_id')).row.id;
  return { parent: { type: 'block_id', block_id }, discussion_id: id };
}

function displayName(context: Context, value: Json | undefined): Members {
  const given = value === undefined ? { type: 'integration' } : members(value, 'body.display_name');
  const type = oneOf(given.type, 'body.display_name.type', ['integration', 'user', 'custom']);
  const name = context.state.get('users', authorOf(context))?.name ?? 'Integration';
  const custom = isMembers(given.custom) ? text(given.custom.name, 'body.display_name.custom.name') : undefined;
  return { type, resolved_name: type === 'custom' ? (custom ?? unfit('body.display_name.custom', 'defined', undefined)) : name };
}

function shownComment(comment: Comment): Json {
  const { id, parent, discussion_id, rich_text, display_name, created_us, created_by } = comment;
  const time = minuteText(created_us);
  const author = { object: 'user', id: created_by };
  return {
    object: 'comment',
    id,
    parent: { ...parent },
    discussion_id,
    created_time: time,
    last_edited_time: time,
    created_by: author,
    rich_text,
    display_name,
  };
}

export function listComments(input: PageInput & { readonly block_id?: Json }, context: Context): Json {
  const { id } = requireBlock(context, uuid(input.block_id, 'query.block_id')).row;
  const found = rowsWhere(context, 'comments', ({ parent }) => parentId(parent) === id);
  found.sort((a, b) => a.created_us - b.created_us || (a.id < b.id ? -1 : 1));
  const page = pageOf(found, input, (comment) => comment.id);
  return listed('comment', { ...page, items: page.items.map(shownComment) });
}

export function retrieveComment({ comment_id }: { readonly comment_id: string }, context: Context): Json {
  const id = uuid(comment_id, 'path.comment_id');
  return shownComment(context.state.get('comments', id) ?? notFound('comment', id));
}
