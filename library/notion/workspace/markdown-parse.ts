// Markdown made into blocks. Lines that stand for what is there already (a page, a database, a block without words) name it by its id.
import type { NewBlock } from './block-content.js';
import { invalid } from './failures.js';
import { parseInline } from './markdown-inline.js';
import type { Json, Members } from './model.js';
import { written } from './rich-text.js';

export interface ParsedBlock {
  /** The lines it was made of, as they were. */
  source: string;
  /** Undefined for what is there already. */
  block?: NewBlock;
  keepId?: string;
}

const keepShape = /^<(?:page|database|unknown) url="https:\/\/www\.notion\.so\/([0-9a-f]{32})"/;
const prefixes: readonly (readonly [RegExp, string])[] = [
  [/^#### (.*)$/, 'heading_4'],
  [/^### (.*)$/, 'heading_3'],
  [/^## (.*)$/, 'heading_2'],
  [/^# (.*)$/, 'heading_1'],
  [/^[-*] \[[ xX]\] ?(.*)$/, 'to_do'],
  [/^[-*] (.*)$/, 'bulleted_list_item'],
  [/^\d+\. (.*)$/, 'numbered_list_item'],
  [/^> ?(.*)$/, 'quote'],
];

/** The topmost blocks of a markdown text. */
export function writtenMarkdown(markdown: string): { block: NewBlock }[] {
  return parseMarkdown(markdown).map(({ block, source }) =>
    block === undefined ? invalid(`${source} stands for something that is not on this page.`) : { block },
  );
}

export function parseMarkdown(markdown: string): ParsedBlock[] {
  return parseLines(markdown.replaceAll('\r\n', '\n').split('\n'));
}

function parseLines(lines: readonly string[]): ParsedBlock[] {
  const found: ParsedBlock[] = [];
  for (let at = 0; at < lines.length; ) {
    if ((lines[at] as string).trim() === '') {
      at += 1;
      continue;
    }
    const { end, parsed } = parseAt(lines, at);
    found.push({ ...parsed, source: lines.slice(at, end).join('\n') });
    at = end;
  }
  return found;
}

interface Found {
  end: number;
  parsed: { block?: NewBlock; keepId?: string };
}

function parseAt(lines: readonly string[], at: number): Found {
  const line = (lines[at] as string).replace(/^\t+/, '');
  const kept = keepShape.exec(line)?.[1];
  if (kept !== undefined) {
    const keepId = [kept.slice(0, 8), kept.slice(8, 12), kept.slice(12, 16), kept.slice(16, 20), kept.slice(20)].join('-');
    return { end: at + 1, parsed: { keepId } };
  }
  const fenced = fencedAt(lines, at, line);
  if (fenced !== undefined) return fenced;
  if (line === '<empty-block/>') return made(at + 1, 'paragraph', { rich_text: [], color: 'default', icon: null }, []);
  if (/^(?:---+|\*\*\*+|___+)$/.test(line.trim())) return made(at + 1, 'divider', {}, []);
  const image = /^!\[(.*)\]\((\S+)\)$/.exec(line);
  if (image !== null) {
    const value = { type: 'external', external: { url: image[2] as string }, caption: parseInline(image[1] as string) };
    return made(at + 1, 'image', value, []);
  }
  const end = endOfIndented(lines, at);
  const children = within(lines.slice(at + 1, end));
  for (const [shape, type] of prefixes) {
    const content = shape.exec(line)?.[1];
    if (content !== undefined) return made(end, type, textValue(type, content, { line, children }), children);
  }
  return made(end, 'paragraph', { rich_text: parseInline(line), color: 'default', icon: null }, children);
}

function textValue(type: string, content: string, { line, children }: { line: string; children: readonly NewBlock[] }): Members {
  const value = { rich_text: parseInline(content), color: 'default' };
  if (type === 'to_do') return { ...value, checked: /^[-*] \[[xX]\]/.test(line) };
  return type.startsWith('heading') ? { ...value, is_toggleable: children.length > 0 } : value;
}

const made = (end: number, type: string, value: Members, children: NewBlock[]): Found => ({
  end,
  parsed: { block: { type, value, children } },
});

/** Blocks that lie in another, without the tab before them. */
function within(lines: readonly string[]): NewBlock[] {
  return parseLines(lines.map((line) => line.replace(/^\t/, ''))).map(
    ({ block, source }) => block ?? invalid(`${source.trim()} can only stand at the top of the page, or in a block that does not change.`),
  );
}

function endOfIndented(lines: readonly string[], at: number): number {
  let end = at + 1;
  while (end < lines.length && (lines[end] as string).startsWith('\t')) end += 1;
  return end;
}

/** Blocks that end with a line of their own. */
function fencedAt(lines: readonly string[], at: number, line: string): Found | undefined {
  const closing = line.startsWith('```')
    ? '```'
    : line === '$$'
      ? '$$'
      : line === '<details>'
        ? '</details>'
        : line.startsWith('<callout')
          ? '</callout>'
          : line.startsWith('<table')
            ? '</table>'
            : undefined;
  if (closing === undefined) return undefined;
  const last = lines.findIndex(
    (other, index) => index > at && other.replace(/^\t+/, '') === closing && depthOf(other) === depthOf(lines[at] as string),
  );
  if (last < 0) return invalid(`The markdown has ${line} without ${closing}.`);
  const inner = lines.slice(at + 1, last);
  const end = last + 1;
  if (closing === '```') {
    const language = line.slice(3).trim() || 'plain text';
    return made(end, 'code', { rich_text: written(inner.join('\n')), caption: [], language }, []);
  }
  if (closing === '$$') return made(end, 'equation', { expression: inner.join('\n') }, []);
  if (closing === '</details>') return toggle(end, inner);
  return closing === '</table>' ? table(end, line, inner) : callout(end, line, inner);
}

const depthOf = (line: string): number => line.length - line.replace(/^\t+/, '').length;

function toggle(end: number, inner: readonly string[]): Found {
  const summary = /^<summary>(.*)<\/summary>$/.exec((inner[0] ?? '').trim())?.[1];
  const children = within(summary === undefined ? inner : inner.slice(1));
  return made(end, 'toggle', { rich_text: parseInline(summary ?? ''), color: 'default' }, children);
}

function callout(end: number, line: string, inner: readonly string[]): Found {
  const [first, ...others] = within(inner);
  const isText = first?.type === 'paragraph' && first.children.length === 0;
  const rich_text = isText ? (first.value.rich_text as Json) : [];
  const emoji = / icon="([^"]*)"/.exec(line)?.[1];
  const value = {
    rich_text,
    color: / color="([^"]*)"/.exec(line)?.[1] ?? 'default',
    icon: emoji === undefined ? null : { type: 'emoji', emoji },
  };
  return made(end, 'callout', value, isText || first === undefined ? others : [first, ...others]);
}

function table(end: number, line: string, inner: readonly string[]): Found {
  const rows: Json[][] = [];
  for (const one of inner.map((text) => text.trim())) {
    const cell = /^<td>(.*)<\/td>$/.exec(one)?.[1];
    if (one === '<tr>') rows.push([]);
    else if (cell !== undefined) rows.at(-1)?.push(parseInline(cell));
    else if (one !== '</tr>' && one !== '') return invalid(`The markdown has ${one} in a table.`);
  }
  const table_width = rows[0]?.length ?? 0;
  if (table_width === 0 || rows.some(({ length }) => length !== table_width))
    return invalid('Every row of a table has the same number of cells.');
  const value = {
    table_width,
    has_column_header: line.includes('header-row="true"'),
    has_row_header: line.includes('header-column="true"'),
  };
  return made(
    end,
    'table',
    value,
    rows.map((cells): NewBlock => ({ type: 'table_row', value: { cells }, children: [] })),
  );
}
