// A page read and written as markdown. What a new text leaves as it was keeps its blocks, with their ids.
import { addBlocks, childrenOf, tellContent } from './blocks.js';
import { flag, invalid, list, members, oneOf, text, uuid } from './failures.js';
import { renderedChildren } from './markdown.js';
import { type ParsedBlock, parseMarkdown } from './markdown-parse.js';
import type { Context, Json, Members } from './model.js';
import { moveToTrash } from './trash.js';
import { editedNow, requireEditable, requirePage, setTrash, thingAt } from './tree.js';

interface OfPage {
  readonly page_id: string;
}

export function retrieveMarkdown({ page_id }: OfPage, context: Context): Json {
  return shownMarkdown(context, requirePage(context, uuid(page_id, 'path.page_id')).id);
}

function shownMarkdown(context: Context, id: string): Json {
  const unknown_block_ids: string[] = [];
  const markdown = renderedChildren(context, id, unknown_block_ids)
    .map((block) => block.markdown)
    .join('\n');
  return { object: 'page_markdown', id, markdown, truncated: false, unknown_block_ids };
}

type Updating = OfPage & Members;
const kinds = ['replace_content', 'update_content', 'insert_content', 'replace_content_range'] as const;

export function updateMarkdown(input: Updating, context: Context): Json {
  const page = requirePage(context, uuid(input.page_id, 'path.page_id'));
  requireEditable(context, { kind: 'page', row: page });
  const type = oneOf(input.type, 'body.type', kinds);
  const body = members(input[type], `body.${type}`);
  const now = renderedChildren(context, page.id, [])
    .map(({ markdown }) => markdown)
    .join('\n');
  const wanted = wantedText(type, body, now);
  rewrite(context, page.id, parseMarkdown(wanted), flag(body.allow_deleting_content, `body.${type}.allow_deleting_content`));
  return shownMarkdown(context, page.id);
}

function wantedText(type: (typeof kinds)[number], body: Members, now: string): string {
  if (type === 'replace_content') return text(body.new_str, 'body.replace_content.new_str', 500_000);
  if (type === 'update_content') return updated(list(body.content_updates, 'body.update_content.content_updates'), now);
  const content = text(body.content, `body.${type}.content`, 500_000);
  if (type === 'replace_content_range') {
    const [from, to] = selection(text(body.content_range, 'body.replace_content_range.content_range', 500_000), now);
    return now.slice(0, from) + content + now.slice(to);
  }
  if (body.after !== undefined) {
    const [, to] = selection(text(body.after, 'body.insert_content.after', 500_000), now);
    return `${now.slice(0, to)}\n${content}\n${now.slice(to)}`;
  }
  const isStart = body.position !== undefined && members(body.position, 'body.insert_content.position').type === 'start';
  return isStart ? `${content}\n${now}` : `${now}\n${content}`;
}

function updated(updates: readonly Json[], now: string): string {
  return updates.reduce<string>((present, update, index) => {
    const path = `body.update_content.content_updates[${index}]`;
    const given = members(update, path);
    const [old, fresh] = [text(given.old_str, `${path}.old_str`, 500_000), text(given.new_str, `${path}.new_str`, 500_000)];
    const matches = old === '' ? 0 : present.split(old).length - 1;
    if (matches === 0) return invalid(`Could not find old_str in the page content: ${old.slice(0, 100)}`);
    const all = flag(given.replace_all_matches, `${path}.replace_all_matches`);
    if (matches > 1 && !all)
      return invalid(`Found ${matches} matches of old_str; set replace_all_matches, or say more of what is around it.`);
    return present.split(old).join(fresh);
  }, now);
}

/** From the beginning of the first text to the end of the second: `start text...end text`. */
function selection(range: string, now: string): [number, number] {
  const [start = '', end] = range.split('...');
  const from = start === '' ? -1 : now.indexOf(start);
  const until = end === undefined ? from + start.length : now.indexOf(end, from + start.length) + end.length;
  if (from < 0 || (end !== undefined && until < from + start.length + end.length)) {
    return invalid(`Could not find the selection in the page content: ${range.slice(0, 100)}`);
  }
  return [from, until];
}

function rewrite(context: Context, pageId: string, parsed: readonly ParsedBlock[], mayDelete: boolean): void {
  const old = renderedChildren(context, pageId, []);
  const unused = new Map(old.map(({ id, markdown }) => [id, markdown]));
  const keep = (id: string | undefined): string | undefined => (id !== undefined && unused.delete(id) ? id : undefined);
  const plan = parsed.map(({ block, keepId, source }) => {
    const same = keepId ?? [...unused].find(([, markdown]) => markdown === source)?.[0];
    const id = keep(same);
    if (id === undefined && block === undefined) return invalid(`${source} stands for something that is not on this page.`);
    return { id, block };
  });
  const gone = childrenOf(context, pageId).filter(({ row }) => unused.has(row.id));
  const pages = gone.filter(({ kind }) => kind !== 'block').length;
  if (pages > 0 && !mayDelete) {
    invalid(`This operation would delete ${pages} child pages or databases. To proceed, set allow_deleting_content to true.`);
  }
  for (const thing of gone) {
    if (thing.kind === 'block') setTrash(context, thing, true);
    else moveToTrash(context, thing, true);
  }
  const made: string[] = [];
  const order = plan.flatMap(({ id, block }) => {
    if (id !== undefined || block === undefined) return id === undefined ? [] : [id];
    const row = requirePage(context, pageId);
    const added = addBlocks(context, { kind: 'page', row }, { blocks: [block], silent: true });
    made.push(...added);
    return added;
  });
  const { content, ...page } = requirePage(context, pageId);
  const rest = content.filter((id) => !order.includes(id) && thingAt(context, id) !== undefined);
  context.state.put('pages', pageId, { ...page, content: [...order, ...rest], ...editedNow(context) });
  tellContent(context, requirePage(context, pageId), [...made, ...gone.map(({ row }) => row.id)]);
}
