// Rich text: what a request may say, made into what the API shows.
import { invalid, isMembers, list, members, text, unfit, uuid } from './failures.js';
import type { Context, Json, Members } from './model.js';
import { timeOf } from './time.js';

export const colors = ['default', 'gray', 'brown', 'orange', 'yellow', 'green', 'blue', 'purple', 'pink', 'red'];
const marks = ['bold', 'italic', 'strikethrough', 'underline', 'code'] as const;

export function color(value: Json | undefined, path: string): string {
  if (value === undefined) return 'default';
  const known = typeof value === 'string' && colors.includes(value.replace(/_background$/, '')) && value !== 'default_background';
  return known ? value : unfit(path, 'a color', value);
}

export function richText(context: Context, value: Json | undefined, path: string): Json[] {
  return list(value, path).map((item, index) => shownItem(context, members(item, `${path}[${index}]`), `${path}[${index}]`));
}

function shownItem(context: Context, item: Members, path: string): Json {
  const annotations = annotationsOf(item.annotations, path);
  if (isMembers(item.text)) {
    const content = text(item.text.content, `${path}.text.content`);
    const link = isMembers(item.text.link) ? { url: text(item.text.link.url, `${path}.text.link.url`) } : null;
    return { type: 'text', text: { content, link }, annotations, plain_text: content, href: link?.url ?? null };
  }
  if (isMembers(item.equation)) {
    const expression = text(item.equation.expression, `${path}.equation.expression`, 1000);
    return { type: 'equation', equation: { expression }, annotations, plain_text: expression, href: null };
  }
  if (!isMembers(item.mention)) return unfit(`${path}.text`, 'defined', item.text);
  return { type: 'mention', annotations, ...mentioned(context, item.mention, `${path}.mention`) };
}

function mentioned(context: Context, mention: Members, path: string): Members {
  if (isMembers(mention.user)) {
    const id = uuid(mention.user.id, `${path}.user.id`);
    const name = context.state.get('users', id)?.name ?? invalid(`There is no user ${id} to mention.`);
    return { mention: { type: 'user', user: { object: 'user', id } }, plain_text: `@${name}`, href: null };
  }
  if (isMembers(mention.date)) {
    const date = dateValue(mention.date, `${path}.date`);
    return { mention: { type: 'date', date }, plain_text: date.end === null ? date.start : `${date.start} → ${date.end}`, href: null };
  }
  for (const kind of ['page', 'database'] as const) {
    const target = mention[kind];
    if (!isMembers(target)) continue;
    const id = uuid(target.id, `${path}.${kind}.id`);
    const name = plain(titleAt(context, kind, id)) || 'Untitled';
    return { mention: { type: kind, [kind]: { id } }, plain_text: name, href: addressOf(id) };
  }
  return invalid(`body failed validation: ${path} should mention a user, date, page or database.`);
}

function titleAt(context: Context, kind: 'page' | 'database', id: string): readonly Json[] {
  const title: unknown = kind === 'database' ? context.state.get('databases', id)?.title : context.state.get('pages', id)?.values.title;
  return Array.isArray(title) ? title : [];
}

/** Where a person opens it; of a real workspace, so nothing answers there. */
export const addressOf = (id: string): string => `https://www.notion.so/${id.replaceAll('-', '')}`;

function annotationsOf(value: Json | undefined, path: string): Members {
  const given = value === undefined ? {} : members(value, `${path}.annotations`);
  const set = marks.map((mark): [string, boolean] => {
    const on = given[mark] ?? false;
    return [mark, typeof on === 'boolean' ? on : unfit(`${path}.annotations.${mark}`, 'a boolean', on)];
  });
  return { ...Object.fromEntries(set), color: color(given.color, `${path}.annotations.color`) };
}

export function dateValue(value: Members, path: string): { start: string; end: string | null; time_zone: string | null } {
  const start = moment(value.start, `${path}.start`);
  const end = value.end === undefined || value.end === null ? null : moment(value.end, `${path}.end`);
  if (end !== null && (timeOf(end) ?? 0) < (timeOf(start) ?? 0)) {
    return invalid(`body failed validation: ${path}.end should not be before start.`);
  }
  const zone = value.time_zone ?? null;
  return { start, end, time_zone: zone === null ? null : text(zone, `${path}.time_zone`) };
}

function moment(value: Json | undefined, path: string): string {
  return typeof value === 'string' && timeOf(value) !== undefined ? value : unfit(path, 'a valid ISO 8601 date string', value);
}

/** Texts of the API as one plain text. */
export function plain(items: readonly Json[]): string {
  return items.map((item) => (isMembers(item) && typeof item.plain_text === 'string' ? item.plain_text : '')).join('');
}

/** A plain text as rich text, in pieces that are not too long. */
export function written(content: string): Json[] {
  const pieces = content.match(/[\s\S]{1,1000}/gu) ?? [];
  return pieces.map((piece) => ({
    type: 'text',
    text: { content: piece, link: null },
    annotations: { bold: false, italic: false, strikethrough: false, underline: false, code: false, color: 'default' },
    plain_text: piece,
    href: null,
  }));
}

export function icon(value: Json | undefined, path: string): Json {
  if (value === undefined || value === null) return null;
  const given = members(value, path);
  if (typeof given.emoji === 'string') return { type: 'emoji', emoji: text(given.emoji, `${path}.emoji`, 40) };
  if (isMembers(given.icon))
    return { type: 'icon', icon: { name: text(given.icon.name, `${path}.icon.name`), color: given.icon.color ?? 'gray' } };
  return file(given, path);
}

/** A file of the web. Notion's own uploads are not in this world. */
export function file(value: Json | undefined, path: string): Json {
  const given = members(value, path);
  if (given.file_upload !== undefined) return invalid(`${path}.file_upload is not supported: this workspace has no file uploads.`);
  return { type: 'external', external: { url: text(members(given.external, `${path}.external`).url, `${path}.external.url`) } };
}
