// A JSON Lines file as one document: the list of its lines, each a JSON value; empty lines count as none.
import { limits } from '../contract/limits.js';
import type { Place } from './diagnostics.js';
import { type DocumentFault, type ParsedSource, parseSourceDocument, type SourceDocument } from './source-document.js';

export function parseJsonLines(file: string, text: string): ParsedSource {
  const items: { document: SourceDocument; line: number }[] = [];
  const faults: DocumentFault[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const at = (place: Place): Place => ({ ...place, file, line: index + 1, path: `/${items.length}${place.path}` });
    if (items.length === limits.documentNodesMax || faults.length >= limits.issuesMax) break;
    // By its name it is held to JSON.
    const parsed = parseSourceDocument('line.json', line);
    faults.push(...parsed.faults.map((fault) => ({ ...fault, place: at(fault.place) })));
    if (parsed.document !== undefined) items.push({ document: parsed.document, line: index + 1 });
  }
  const place: SourceDocument['place'] = (pointer, part) => {
    const [, index = '', rest = ''] = /^\/(\d+)(.*)$/s.exec(pointer) ?? [];
    const item = items[Number(index)];
    if (index === '' || item === undefined) return { file, line: 1, column: 1, path: pointer };
    return { ...item.document.place(rest, part), file, line: item.line, path: pointer };
  };
  return { document: { file, value: items.map(({ document }) => document.value), place }, faults };
}
