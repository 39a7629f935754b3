// The modules of `custom` assertions: they are there, and nobody wants one after every interaction. Read, never run.
import type { CustomAssertion } from '../contract/run/assertion.js';
import type { Drill } from '../contract/run/drill.js';
import type { Diagnostics } from './diagnostics.js';
import type { LocatedValue } from './project-documents.js';
import { checkNamedFile } from './target-checks.js';

export function judgesOf({ assertions }: Pick<Drill, 'assertions'>): CustomAssertion[] {
  return assertions.flatMap((assertion) => (assertion.kind === 'custom' ? [assertion] : []));
}

export function checkJudges(diagnostics: Diagnostics, root: string, drills: readonly LocatedValue<Drill>[]): void {
  for (const { item, document } of drills) {
    for (const [index, assertion] of item.assertions.entries())
      if (assertion.kind === 'custom')
        checkNamedFile(diagnostics, root, {
          path: assertion.module,
          place: () => document.place(`/assertions/${index}/module`),
          of: 'a judge',
        });
    for (const [index, { kind, id }] of item.timeline.invariants.entries())
      if (kind === 'custom')
        diagnostics.report('DY3025', document.place(`/timeline/invariants/${index}`), `'${id}' would be asked after every interaction`, {
          suggestion: 'Put it among the assertions of the drill: a judge is asked once, when the timeline has ended.',
        });
  }
}
