// The markup within a line of markdown, made into rich text.
import type { Json } from './model.js';

const none = { bold: false, italic: false, strikethrough: false, underline: false, code: false };
type Marks = typeof none;

const depthMax = 8;
/** What may begin at a place: escaped sign, break, code, equation, bold, strike, italic, underline, link. */
const shapes: readonly (readonly [RegExp, keyof Marks | 'escape' | 'break' | 'equation' | 'link'])[] = [
  [/\\([\\*~`$[\]<>{}|^])/y, 'escape'],
  [/<br>()/y, 'break'],
  [/`([^`]+)`/y, 'code'],
  [/\$([^$\s](?:[^$]*[^$\s])?)\$/y, 'equation'],
  [/\*\*((?:\\.|(?!\*\*).)+)\*\*(?!\*)/y, 'bold'],
  [/~~((?:\\.|(?!~~).)+)~~/y, 'strikethrough'],
  [/\*((?:\\.|[^*\\])+)\*/y, 'italic'],
  [/<span underline="true">(.*?)<\/span>/y, 'underline'],
  [/\[((?:\\.|[^\]\\])*)\]\(([^)\s]+)\)/y, 'link'],
];

export function parseInline(text: string): Json[] {
  return parseSpan(text, none, { href: null, depth: 0 });
}

function parseSpan(text: string, marks: Marks, { href, depth }: { href: string | null; depth: number }): Json[] {
  const items: Json[] = [];
  let plain = '';
  const flush = (): void => {
    for (const piece of plain.match(/[\s\S]{1,1000}/gu) ?? []) items.push(item(piece, marks, href));
    plain = '';
  };
  for (let at = 0; at < text.length; ) {
    const match = depth > depthMax ? undefined : matchAt(text, at);
    if (match === undefined) {
      plain += text[at];
      at += 1;
      continue;
    }
    const { kind, found } = match;
    const inner = found[1] as string;
    if (kind === 'escape') plain += inner;
    else if (kind === 'break') plain += '\n';
    else {
      flush();
      if (kind === 'code') items.push(item(inner, { ...marks, code: true }, href));
      else if (kind === 'equation') items.push(equation(inner, marks));
      else if (kind === 'link') items.push(...parseSpan(inner, marks, { href: found[2] as string, depth: depth + 1 }));
      else items.push(...parseSpan(inner, { ...marks, [kind]: true }, { href, depth: depth + 1 }));
    }
    at += found[0].length;
  }
  flush();
  return items;
}

function matchAt(text: string, at: number) {
  for (const [shape, kind] of shapes) {
    shape.lastIndex = at;
    const found = shape.exec(text);
    if (found !== null) return { kind, found };
  }
  return undefined;
}

function item(content: string, marks: Marks, href: string | null): Json {
  const text = { content, link: href === null ? null : { url: href } };
  return { type: 'text', text, annotations: { ...marks, color: 'default' }, plain_text: content, href };
}

function equation(expression: string, marks: Marks): Json {
  return { type: 'equation', equation: { expression }, annotations: { ...marks, color: 'default' }, plain_text: expression, href: null };
}
