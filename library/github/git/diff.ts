// What changed between two lists of lines, as git finds it: the fewest lines taken out and put in (Myers, "An O(ND) difference algorithm").

/** Lines `before` to `beforeEnd` of the old list stand as `after` to `afterEnd` in the new one. */
export interface Edit {
  readonly before: number;
  readonly beforeEnd: number;
  readonly after: number;
  readonly afterEnd: number;
}

/** Beyond so many lines out and in, all that lies between is one edit: such a diff is read by nobody, and costs its square. */
const editsMax = 600;

/** Each with its line break; only the last line may be without one. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** In order; between two edits at least one line is the same. */
export function editsBetween(old: readonly string[], fresh: readonly string[]): Edit[] {
  const shared = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shared && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < shared - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  const [before, after] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)];
  if (before.length === 0 && after.length === 0) return [];
  return slid(joined(stepsBetween(before, after), start), old, fresh);
}

/** Among equal lines it is the last that came or went, as git has it. */
function slid(edits: readonly Edit[], old: readonly string[], fresh: readonly string[]): Edit[] {
  return edits.map((edit, index) => {
    const { before, beforeEnd, after, afterEnd } = edit;
    const isOut = after === afterEnd;
    if (!isOut && before !== beforeEnd) return edit;
    const [lines, from, to] = isOut ? [old, before, beforeEnd] : [fresh, after, afterEnd];
    const next = edits[index + 1];
    const free = next === undefined ? old.length - beforeEnd : next.before - beforeEnd - 1;
    let by = 0;
    while (by < free && lines[from + by] === lines[to + by]) by += 1;
    return { before: before + by, beforeEnd: beforeEnd + by, after: after + by, afterEnd: afterEnd + by };
  });
}

type Step = 'same' | 'out' | 'in';

function stepsBetween(old: readonly string[], fresh: readonly string[]): Step[] {
  const trace = reach(old, fresh);
  if (trace === undefined) return [...old.map((): Step => 'out'), ...fresh.map((): Step => 'in')];
  const steps: Step[] = [];
  let [x, y] = [old.length, fresh.length];
  for (let depth = trace.length - 1; depth >= 0; depth -= 1) {
    const furthest = trace[depth] ?? new Map<number, number>();
    const diagonal = x - y;
    const comesDown = isDown(furthest, diagonal, depth);
    const fromDiagonal = comesDown ? diagonal + 1 : diagonal - 1;
    const fromX = depth === 0 ? 0 : (furthest.get(fromDiagonal) ?? 0);
    const fromY = depth === 0 ? 0 : fromX - fromDiagonal;
    while (x > fromX && y > fromY) {
      steps.push('same');
      x -= 1;
      y -= 1;
    }
    if (depth > 0) steps.push(comesDown ? 'in' : 'out');
    [x, y] = [fromX, fromY];
  }
  return steps.reverse();
}

const isDown = (furthest: ReadonlyMap<number, number>, diagonal: number, depth: number): boolean =>
  diagonal === -depth || (diagonal !== depth && (furthest.get(diagonal - 1) ?? -1) < (furthest.get(diagonal + 1) ?? -1));

/** How far each diagonal came before each further edit; undefined where there are too many. */
function reach(old: readonly string[], fresh: readonly string[]): Map<number, number>[] | undefined {
  const trace: Map<number, number>[] = [];
  const furthest = new Map<number, number>();
  for (let depth = 0; depth <= Math.min(old.length + fresh.length, editsMax); depth += 1) {
    trace.push(new Map(furthest));
    for (let diagonal = -depth; diagonal <= depth; diagonal += 2) {
      const down = isDown(furthest, diagonal, depth);
      let x = depth === 0 ? 0 : down ? (furthest.get(diagonal + 1) ?? 0) : (furthest.get(diagonal - 1) ?? 0) + 1;
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x += 1;
      furthest.set(diagonal, x);
      if (x >= old.length && x - diagonal >= fresh.length) return trace;
    }
  }
  return undefined;
}

function joined(steps: readonly Step[], start: number): Edit[] {
  const edits: Edit[] = [];
  let [before, after] = [start, start];
  for (const step of steps) {
    const last = edits.at(-1);
    const [beforeEnd, afterEnd] = [before + (step === 'in' ? 0 : 1), after + (step === 'out' ? 0 : 1)];
    if (step !== 'same') {
      const touches = last !== undefined && last.beforeEnd === before && last.afterEnd === after;
      if (touches) edits[edits.length - 1] = { ...last, beforeEnd, afterEnd };
      else edits.push({ before, beforeEnd, after, afterEnd });
    }
    [before, after] = [beforeEnd, afterEnd];
  }
  return edits;
}
