// The content of a block by its type: what a request may say, made into what the API shows.
import { flag, invalid, list, members, oneOf, text, unfit, uuid } from './failures.js';
import type { Context, Json, Members } from './model.js';
import { color, file, icon, richText } from './rich-text.js';

const texts = ['paragraph', 'bulleted_list_item', 'numbered_list_item', 'quote', 'toggle', 'callout', 'to_do'];
const headings = ['heading_1', 'heading_2', 'heading_3', 'heading_4'];
const media = ['image', 'video', 'pdf', 'file', 'audio'];
const empty = ['divider', 'breadcrumb', 'column_list', 'tab'];
const linked = ['embed', 'bookmark'];
const others = ['code', 'equation', 'table_of_contents', 'link_to_page', 'table', 'table_row', 'column', 'synced_block', 'template'];
export const blockTypes: readonly string[] = [...texts, ...headings, ...media, ...empty, ...linked, ...others];

/** Types that must be given what lies in them, and what that is. */
const heldTypes: { readonly [type: string]: string } = { table: 'table_row', column_list: 'column', tab: 'paragraph' };
const holders = new Set([...texts, 'template', 'synced_block', 'table', 'column_list', 'column', 'tab']);
const depthMax = 2;

export interface NewBlock {
  type: string;
  value: Members;
  children: NewBlock[];
}

/** The blocks of a request, with what lies in them. */
export function blocksOf(context: Context, value: Json | undefined, path: string, depth = 0): NewBlock[] {
  const given = list(value, path);
  return given.map((item, index) => blockOf(context, members(item, `${path}[${index}]`), { path: `${path}[${index}]`, depth }));
}

function blockOf(context: Context, given: Members, { path, depth }: { path: string; depth: number }): NewBlock {
  const type = typeOf(given, path);
  const body = members(given[type], `${path}.${type}`);
  const inner = `${path}.${type}.children`;
  const children = body.children ?? given.children;
  if (children === undefined) {
    if (type in heldTypes) return unfit(inner, 'defined', undefined);
    return { type, value: contentOf(context, type, body, `${path}.${type}`), children: [] };
  }
  if (depth >= depthMax + (type in heldTypes || type === 'column' ? 1 : 0)) return unfit(inner, 'not present', children);
  if (!mayHold(type, body)) return unfit(inner, 'not present', children);
  const held = blocksOf(context, children, inner, depth + 1);
  const wanted = heldTypes[type];
  const stranger = wanted === undefined ? undefined : held.find((block) => block.type !== wanted);
  if (stranger !== undefined) return invalid(`body failed validation: ${inner} of a ${type} should be ${wanted} blocks.`);
  const filled = { type, value: contentOf(context, type, body, `${path}.${type}`), children: held };
  if (type === 'table') checkWidth(filled, inner);
  return filled;
}

function checkWidth({ value, children }: NewBlock, path: string): void {
  const wrong = children.findIndex((row) => (row.value.cells as readonly Json[]).length !== value.table_width);
  if (wrong >= 0) invalid(`body failed validation: ${path}[${wrong}].table_row.cells should be as many as table_width.`);
}

function typeOf(given: Members, path: string): string {
  const named = blockTypes.filter((type) => given[type] !== undefined);
  const type = given.type === undefined ? named[0] : text(given.type, `${path}.type`);
  if (type === undefined || named.length > 1) return unfit(`${path}.type`, 'one of the supported block types', given.type);
  if (!blockTypes.includes(type)) return unfit(`${path}.type`, 'a block type that can be created', type);
  return type;
}

/** Whether blocks of this type and content may hold others. */
export function mayHold(type: string, value: Members): boolean {
  return holders.has(type) || (headings.includes(type) && value.is_toggleable === true);
}

/** The content as the API shows it. */
export function contentOf(context: Context, type: string, body: Members, path: string): Members {
  const rich = (name: string): Json[] => richText(context, body[name], `${path}.${name}`);
  const caption = (): Json[] => (body.caption === undefined ? [] : rich('caption'));
  if (texts.includes(type) || headings.includes(type)) return { rich_text: rich('rich_text'), ...textContent(type, body, path) };
  if (media.includes(type)) return mediaContent(type, body, { path, caption: caption() });
  if (empty.includes(type)) return {};
  switch (type) {
    case 'embed':
    case 'bookmark':
      return { url: text(body.url, `${path}.url`), caption: caption() };
    case 'code':
      return { rich_text: rich('rich_text'), caption: caption(), language: text(body.language ?? 'plain text', `${path}.language`, 100) };
    case 'equation':
      return { expression: text(body.expression, `${path}.expression`, 1000) };
    case 'table_of_contents':
      return { color: color(body.color, `${path}.color`) };
    case 'template':
      return { rich_text: rich('rich_text') };
    case 'link_to_page':
      return linkContent(body, path);
    case 'table':
      return tableContent(body, path);
    case 'table_row':
      return { cells: list(body.cells, `${path}.cells`).map((cell, index) => richText(context, cell, `${path}.cells[${index}]`)) };
    case 'column':
      return typeof body.width_ratio === 'number' ? { width_ratio: body.width_ratio } : {};
    case 'synced_block':
      return syncedContent(context, body, path);
    default:
      return invalid(`Blocks of the type ${type} cannot be written.`);
  }
}

function textContent(type: string, body: Members, path: string): Members {
  const shared = { color: color(body.color, `${path}.color`) };
  if (headings.includes(type)) return { ...shared, is_toggleable: flag(body.is_toggleable, `${path}.is_toggleable`) };
  if (type === 'to_do') return { ...shared, checked: flag(body.checked, `${path}.checked`) };
  if (type === 'callout' || type === 'paragraph') return { ...shared, icon: icon(body.icon, `${path}.icon`) };
  return shared;
}

function mediaContent(type: string, body: Members, { path, caption }: { path: string; caption: Json[] }): Members {
  const shown: Members = { ...(file(body, path) as Members), caption };
  if (type !== 'file') return shown;
  const address = String((shown.external as Members).url);
  const last =
    address
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? '';
  return { ...shown, name: body.name === undefined ? last : text(body.name, `${path}.name`) };
}

function linkContent(body: Members, path: string): Members {
  const type = oneOf(body.type ?? Object.keys(body)[0], `${path}.type`, ['page_id', 'database_id', 'comment_id']);
  return { type, [type]: uuid(body[type], `${path}.${type}`) };
}

function tableContent(body: Members, path: string): Members {
  const { table_width } = body;
  if (typeof table_width !== 'number' || !Number.isInteger(table_width) || table_width < 1 || table_width > 100) {
    return unfit(`${path}.table_width`, 'an integer from 1 to 100', table_width);
  }
  return {
    table_width,
    has_column_header: flag(body.has_column_header, `${path}.has_column_header`),
    has_row_header: flag(body.has_row_header, `${path}.has_row_header`),
  };
}

function syncedContent(context: Context, body: Members, path: string): Members {
  if (body.synced_from === null || body.synced_from === undefined) return { synced_from: null };
  const block_id = uuid(members(body.synced_from, `${path}.synced_from`).block_id, `${path}.synced_from.block_id`);
  const original = context.state.get('blocks', block_id);
  if (original?.type !== 'synced_block') return invalid(`${block_id} is not a synced_block that can be synced from.`);
  return { synced_from: { type: 'block_id', block_id } };
}
