// Markdown as elements, never as HTML: tags in it are text, an image is a link, and a link leads to the web or to nothing. What it does not
// know, such as tables, stays as it is written.
import type { ComponentChildren } from 'preact';
import { visibleText } from '../../text/visible-text.js';

const fence = /^ {0,3}(`{3,}|~{3,})/;
const heading = /^#{1,6} +(.*)$/;
const item = /^\s{0,6}(?:[-*+]|(\d{1,9})[.)]) +(.*)$/;
const quote = /^ {0,3}> ?(.*)$/;
/** Each piece is bounded, so that no text takes longer than its length. */
const inline =
  /(`{1,3})([^`\n]{1,1000})\1|\*\*([^*\n]{1,1000})\*\*|\*([^*\s][^*\n]{0,999})\*|\b_([^_\n]{1,1000})_\b|!?\[([^[\]\n]{0,500})\]\(([^()\s]{1,1000})\)/g;
const safeAddress = /^(?:https?:\/\/|mailto:)/i;

export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{blocksOf(visibleText(text).split('\n'))}</div>;
}

function blocksOf(lines: readonly string[]): ComponentChildren[] {
  const blocks: ComponentChildren[] = [];
  for (let at = 0; at < lines.length; ) {
    const { block, next } = blockAt(lines, at);
    if (block !== null) blocks.push(block);
    at = next;
  }
  return blocks;
}

function blockAt(lines: readonly string[], at: number): { block: ComponentChildren; next: number } {
  const line = lines[at] as string;
  if (line.trim() === '') return { block: null, next: at + 1 };
  const mark = fence.exec(line)?.[1];
  if (mark !== undefined) {
    const last = endOf(lines, at + 1, (one) => !one.trim().startsWith(mark));
    return { block: <pre tabIndex={0}>{lines.slice(at + 1, last).join('\n')}</pre>, next: last + 1 };
  }
  const title = heading.exec(line)?.[1];
  // No heading of the page: it belongs to what somebody said.
  if (title !== undefined) return { block: <p class="markdown-title">{piecesOf(title)}</p>, next: at + 1 };
  if (item.test(line)) return listAt(lines, at);
  if (quote.test(line)) {
    const end = endOf(lines, at, (one) => quote.test(one));
    return { block: <blockquote>{paragraph(lines.slice(at, end).map((one) => quote.exec(one)?.[1] ?? ''))}</blockquote>, next: end };
  }
  const end = endOf(lines, at + 1, isProse);
  return { block: paragraph(lines.slice(at, end)), next: end };
}

function listAt(lines: readonly string[], at: number): { block: ComponentChildren; next: number } {
  const end = endOf(lines, at, (one) => item.test(one));
  const items = lines.slice(at, end).map((one) => <li>{piecesOf(item.exec(one)?.[2] ?? '')}</li>);
  const first = item.exec(lines[at] as string)?.[1];
  return { block: first === undefined ? <ul>{items}</ul> : <ol start={Number(first)}>{items}</ol>, next: end };
}

/** Of the lines that belong together, from `at`. It looks at none before that: a text of many blocks takes no longer than its length. */
function endOf(lines: readonly string[], at: number, belongs: (line: string) => boolean): number {
  let end = at;
  while (end < lines.length && belongs(lines[end] as string)) end++;
  return end;
}

const isProse = (line: string): boolean => line.trim() !== '' && ![fence, heading, item, quote].some((shape) => shape.test(line));

function paragraph(lines: readonly string[]): ComponentChildren {
  return <p>{lines.map((line, index) => [index > 0 && <br />, ...piecesOf(line)])}</p>;
}

function piecesOf(line: string): ComponentChildren[] {
  const pieces: ComponentChildren[] = [];
  let from = 0;
  for (const match of line.matchAll(inline)) {
    const [whole, , code, strong, star, underscore, words, address] = match;
    pieces.push(line.slice(from, match.index), pieceOf({ whole, code, strong, emphasis: star ?? underscore, words, address }));
    from = match.index + whole.length;
  }
  pieces.push(line.slice(from));
  return pieces;
}

interface Piece {
  whole: string;
  code: string | undefined;
  strong: string | undefined;
  emphasis: string | undefined;
  words: string | undefined;
  address: string | undefined;
}

function pieceOf({ whole, code, strong, emphasis, words, address = '' }: Piece): ComponentChildren {
  if (code !== undefined) return <code>{code}</code>;
  if (strong !== undefined) return <strong>{strong}</strong>;
  if (emphasis !== undefined) return <em>{emphasis}</em>;
  if (!safeAddress.test(address)) return whole;
  return (
    <a href={address} target="_blank" rel="noreferrer noopener">
      {words === '' ? address : words}
    </a>
  );
}
