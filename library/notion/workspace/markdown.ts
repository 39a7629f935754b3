// A page as Notion's markdown: a block a line or more, what lies in a block indented by a tab.
import { childrenOf } from './blocks.js';
import { isMembers } from './failures.js';
import type { Context, Json, Members } from './model.js';
import { addressOf, plain } from './rich-text.js';
import { type Thing, titleOf } from './tree.js';

type BlockThing = Exclude<Thing, { kind: 'data_source' }>;

export interface Rendered {
  id: string;
  markdown: string;
}

/** Each block on a page or in a block. `unknown` gathers the ids of those that markdown has no words for. */
export function renderedChildren(context: Context, id: string, unknown: string[]): Rendered[] {
  return childrenOf(context, id).map((thing) => ({ id: thing.row.id, markdown: rendered(context, thing, unknown) }));
}

const marks: { readonly [type: string]: string } = {
  paragraph: '',
  heading_1: '# ',
  heading_2: '## ',
  heading_3: '### ',
  heading_4: '#### ',
  bulleted_list_item: '- ',
  numbered_list_item: '1. ',
  quote: '> ',
};

export function rendered(context: Context, thing: BlockThing, unknown: string[]): string {
  if (thing.kind !== 'block') return `<${thing.kind} url="${addressOf(thing.row.id)}">${escaped(titleOf(thing))}</${thing.kind}>`;
  const { id, type, value } = thing.row;
  const inner = (): string[] => renderedChildren(context, id, unknown).flatMap(({ markdown }) => markdown.split('\n'));
  const line = inline((value.rich_text ?? []) as readonly Json[]);
  const mark = type === 'to_do' ? `- [${value.checked === true ? 'x' : ' '}] ` : marks[type];
  if (mark !== undefined) {
    const children = inner();
    if (line === '' && type === 'paragraph' && children.length === 0) return '<empty-block/>';
    return [mark + line, ...children.map(indented)].join('\n');
  }
  switch (type) {
    case 'divider':
      return '---';
    case 'code':
      return `\`\`\`${String(value.language)}\n${plain(value.rich_text as readonly Json[])}\n\`\`\``;
    case 'equation':
      return `$$\n${String(value.expression)}\n$$`;
    case 'toggle':
      return ['<details>', `<summary>${line}</summary>`, ...inner().map(indented), '</details>'].join('\n');
    case 'callout':
      return [calloutTag(value), ...[line, ...inner()].map(indented), '</callout>'].join('\n');
    case 'table':
      return tableText(value, childrenOf(context, id));
    case 'image':
      return `![${inline(value.caption as readonly Json[])}](${String((value.external as Members).url)})`;
    default:
      unknown.push(id);
      return `<unknown url="${addressOf(id)}" alt="${type}"/>`;
  }
}

const indented = (line: string): string => `\t${line}`;

function calloutTag(value: Members): string {
  const emoji = isMembers(value.icon) && typeof value.icon.emoji === 'string' ? ` icon="${value.icon.emoji}"` : '';
  return `<callout${emoji}${value.color === 'default' ? '' : ` color="${String(value.color)}"`}>`;
}

function tableText(value: Members, rows: readonly BlockThing[]): string {
  const attributes = `${value.has_column_header === true ? ' header-row="true"' : ''}${value.has_row_header === true ? ' header-column="true"' : ''}`;
  const lines = rows.flatMap(({ row }) => {
    const cells = 'value' in row ? ((row.value.cells ?? []) as readonly (readonly Json[])[]) : [];
    return ['<tr>', ...cells.map((cell) => `<td>${inline(cell)}</td>`), '</tr>'];
  });
  return [`<table${attributes}>`, ...lines, '</table>'].join('\n');
}

/** Characters that would begin markup get a backslash before them. */
export const escaped = (text: string): string => text.replace(/[\\*~`$[\]<>{}|^]/g, (sign) => `\\${sign}`).replaceAll('\n', '<br>');

export function inline(items: readonly Json[]): string {
  return items.map((item) => (isMembers(item) ? span(item) : '')).join('');
}

function span(item: Members): string {
  const content = String(item.plain_text ?? '');
  if (item.type === 'equation') return `$${content}$`;
  if (item.type === 'mention') return mention(item.mention as Members, content);
  const { bold, italic, strikethrough, code, underline } = (item.annotations ?? {}) as Members;
  let text = code === true ? `\`${content}\`` : escaped(content);
  if (strikethrough === true) text = `~~${text}~~`;
  if (italic === true) text = `*${text}*`;
  if (bold === true) text = `**${text}**`;
  if (underline === true) text = `<span underline="true">${text}</span>`;
  return typeof item.href === 'string' ? `[${text}](${item.href})` : text;
}

function mention(given: Members, content: string): string {
  if (isMembers(given.date)) {
    return `<mention-date start="${String(given.date.start)}"${given.date.end === null ? '' : ` end="${String(given.date.end)}"`}/>`;
  }
  const kind = String(given.type);
  const { id } = (given[kind] ?? {}) as Members;
  const address = kind === 'user' ? `user://${String(id)}` : addressOf(String(id));
  return `<mention-${kind} url="${address}">${escaped(content)}</mention-${kind}>`;
}
