// The cases of a drill file: a document a case, made before anything else looks at the drill, so that all that follows sees plain drills.
//   DRILL-CASES-1. What is found in such a document has its place in the file that was written, and names its case.
//   DRILL-CASES-2. A drill of a case is the one that a file of its own with the values in it would be, but for `caseOf`.
//   DRILL-CASES-3. What cases make is bounded as what files hold: each by the bytes of a file, all by those of a project.
import { posix } from 'node:path';
import { defined } from '../contract/defined.js';
import type { Issue } from '../contract/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { DrillCase, DrillCases } from '../contract/run/drill.js';
import { listBounds } from '../contract/run/list-bounds.js';
import { validateDrillCases } from '../contract/validate/validators.js';
import { counted } from '../text/counted.js';
import { type CaseFault, escaped, type Filling, fillPlaceholders, placeholderNames } from './case-placeholders.js';
import type { Diagnostics } from './diagnostics.js';
import { didYouMean } from './did-you-mean.js';
import { reportIssues } from './shape-diagnostics.js';
import type { SourceDocument } from './source-document.js';

/** What is left to the cases of all files. */
export interface CaseBudget {
  bytesLeft: number;
  casesLeft: number;
}
export interface ExpandedDrill {
  /** One a case that has no fault so far. */
  documents: SourceDocument[];
  /** Ids of drills that are meant, and faulty. */
  broken: string[];
}
/** A list of cases, and where it stands. */
interface CaseList {
  document: SourceDocument;
  base: string;
}

export function hasCases(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && Object.hasOwn(value, 'cases');
}

/** The file of the cases, from the root as the drill's own file is; undefined where they stand in the drill. */
export function caseFileOf({ file, value }: SourceDocument): string | undefined {
  const { cases } = value as JsonObject;
  if (!isJsonObject(cases) || typeof cases.file !== 'string') return undefined;
  return posix.join(posix.dirname(file), cases.file);
}

/** `listed`: what the file of the cases holds, where they have one. */
export function expandCases(
  diagnostics: Diagnostics,
  drill: SourceDocument,
  { listed, budget }: { listed: SourceDocument | undefined; budget: CaseBudget },
): ExpandedDrill {
  const { cases: written, ...template } = drill.value as JsonObject;
  const list = listed === undefined ? { document: drill, base: '/cases' } : { document: listed, base: '' };
  const own = { ...defined({ id: template.id }), cases: written } as JsonObject;
  const head = listed === undefined ? own : { ...own, cases: listed.value };
  const given = headOf(diagnostics, drill, { head: own, list: { document: drill, base: '/cases' } });
  const full = given === undefined || listed === undefined ? given : headOf(diagnostics, drill, { head, list });
  if (full === undefined) return { documents: [], broken: idsAsWritten(head) };
  const { id, cases } = full as DrillCases & { cases: DrillCase[] };
  const casesMax = listBounds.LongDrillInput.cases;
  if (cases.length > casesMax) {
    const message = `there are ${cases.length} of them; at most ${casesMax} are taken`;
    diagnostics.report('DY2006', list.document.place(list.base), message);
    return { documents: [], broken: idsAsWritten(head) };
  }
  return new Expansion(diagnostics, { id, drill, template, list, cases, budget }).documents();
}

/** Undefined where the head does not fit, which is then reported where it stands: its list in the file of the list. */
function headOf(
  diagnostics: Diagnostics,
  drill: SourceDocument,
  { head, list }: { head: JsonObject; list: CaseList },
): DrillCases | undefined {
  const isOwn = list.document === drill;
  const given = isOwn || Array.isArray(head.cases) ? validateDrillCases(head) : notAList;
  if (given.ok) return given.value;
  const ofList = ({ path }: Issue): boolean => path.startsWith('/cases');
  reportIssues(
    diagnostics,
    drill,
    given.issues.filter((issue) => !ofList(issue)),
  );
  const issues = given.issues.filter(ofList).map((issue) => ({ ...issue, path: issue.path.slice('/cases'.length) }));
  reportIssues(diagnostics, list.document, issues, list.base);
  return undefined;
}

const notAList: { ok: false; issues: Issue[] } = {
  ok: false,
  issues: [{ path: '/cases', code: 'wrong_type', message: 'expected a list of cases' }],
};

/** Of a list that does not fit: what refers to one of them is not dangling. */
function idsAsWritten({ id, cases }: JsonObject): string[] {
  const items = Array.isArray(cases) ? cases : [];
  return [String(id), ...items.map((item) => `${id}-${typeof item === 'object' && item !== null && 'id' in item ? item.id : ''}`)];
}

interface ExpansionParts {
  id: string;
  drill: SourceDocument;
  /** The drill without its cases. */
  template: JsonObject;
  list: CaseList;
  cases: readonly DrillCase[];
  budget: CaseBudget;
}

class Expansion {
  readonly #diagnostics: Diagnostics;
  readonly #parts: ExpansionParts;
  readonly #templateChars: number;

  constructor(diagnostics: Diagnostics, parts: ExpansionParts) {
    this.#diagnostics = diagnostics;
    this.#parts = parts;
    this.#templateChars = JSON.stringify(parts.template).length;
  }

  documents(): ExpandedDrill {
    const { id, cases } = this.#parts;
    const expanded: ExpandedDrill = { documents: [], broken: [] };
    const seen = new Set<string>();
    for (const [index, one] of cases.entries()) {
      const isFirst = !seen.has(one.id);
      if (!isFirst) this.#diagnostics.report('DY3001', this.#placeOf(`/${index}/id`), `the case '${one.id}' is given twice`);
      seen.add(one.id);
      const document = isFirst ? this.#expand(one, index) : undefined;
      if (document === undefined) expanded.broken.push(`${id}-${one.id}`);
      else expanded.documents.push(document);
    }
    this.#reportUnused();
    if (expanded.broken.length > 0) expanded.broken.push(id);
    return expanded;
  }

  /** Undefined where something of it is wrong, which is then reported. */
  #expand({ id, title, skip, values = {} }: DrillCase, index: number): SourceDocument | undefined {
    const { id: drillId, drill, template, budget } = this.#parts;
    if (Object.hasOwn(values, 'id')) {
      this.#diagnostics.report('DY2003', this.#placeOf(`/${index}/values/id`), "'id' is the case's own id; a value has another name");
      return undefined;
    }
    const charsLeft = Math.min(limits.projectFileBytesMax, budget.bytesLeft) - this.#templateChars;
    const all = new Map(Object.entries({ ...values, id }));
    const filling: Filling = { values: all, faults: [], charsLeft };
    const { id: _, ...rest } = template;
    const filled = fillPlaceholders(rest, '', filling) as JsonObject;
    const document: SourceDocument = {
      file: drill.file,
      value: { ...filled, id: `${drillId}-${id}`, ...defined({ title: titleOf(filled.title, title), skip: skip ?? filled.skip }) },
      place: this.#placesIn(index),
      caseOf: { drillId, drill, provenance: this.#provenance(index) },
    };
    for (const { path, part, code, message, suggestion } of filling.faults as CaseFault[])
      this.#diagnostics.report(code, document.place(path, part), message, { suggestion });
    const fits = this.#pay(index, charsLeft - filling.charsLeft, filling.charsLeft < 0);
    return fits && filling.faults.length === 0 ? document : undefined;
  }

  /** False, and reported once, when the cases of all files make more than they may. */
  #pay(index: number, chars: number, isTooLarge: boolean): boolean {
    const { budget } = this.#parts;
    const wasLeft = budget.casesLeft >= 0 && budget.bytesLeft >= 0;
    budget.casesLeft -= 1;
    budget.bytesLeft -= this.#templateChars + chars;
    if (budget.casesLeft >= 0 && !isTooLarge) return true;
    const message =
      budget.casesLeft < 0
        ? `the cases of all files make more than ${limits.projectCasesMax} drills`
        : `with its values the drill is larger than ${limits.projectFileBytesMax} bytes, or all are larger than ${limits.projectBytesMax}`;
    if (wasLeft) this.#diagnostics.report('DY1006', this.#placeOf(`/${index}`), message);
    return false;
  }

  #placeOf(path: string, part?: 'key') {
    const { document, base } = this.#parts.list;
    return document.place(`${base}${path}`, part);
  }

  #provenance(index: number) {
    const { drill, list } = this.#parts;
    const { file, line, column } = list.document === drill ? this.#placeOf(`/${index}`) : drill.place('');
    return { file, line, column };
  }

  /** What the case says itself stands there, everything else in the drill. */
  #placesIn(index: number): SourceDocument['place'] {
    const { drill, cases } = this.#parts;
    const own = cases[index]!;
    const of = { id: own.id, count: cases.length };
    return (pointer, part) => {
      const name = pointer.slice(1);
      const isOwn = (name === 'id' || name === 'title' || name === 'skip') && own[name] !== undefined;
      return { ...(isOwn ? this.#placeOf(`/${index}${pointer}`, part) : drill.place(pointer, part)), of };
    };
  }

  #reportUnused(): void {
    const { cases, template } = this.#parts;
    const used = placeholderNames(template);
    const unused = new Map<string, { index: number; count: number }>();
    for (const [index, { values = {} }] of cases.entries()) {
      for (const name of Object.keys(values)) {
        if (used.has(name) || name === 'id') continue;
        const before = unused.get(name);
        unused.set(name, { index: before?.index ?? index, count: (before?.count ?? 0) + 1 });
      }
    }
    for (const [name, { index, count }] of unused) {
      const of = count === 1 ? '' : `, which ${counted(count, 'case')} have`;
      this.#diagnostics.report(
        'DY3023',
        this.#placeOf(`/${index}/values/${escaped(name)}`, 'key'),
        `no placeholder is for '${name}'${of}`,
        {
          suggestion: didYouMean(name, [...used]),
        },
      );
    }
  }
}

/** `Refund a ticket: an angry customer` */
function titleOf(drill: JsonValue | undefined, own: string | undefined): JsonValue | undefined {
  if (own === undefined) return drill;
  return typeof drill === 'string' ? `${drill}: ${own}` : own;
}
