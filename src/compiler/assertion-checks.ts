// Assertions: each speaks of something that the tools, the drill's setup and its timeline have. What a kind speaks of: assertions/.
import type { Assertion } from '../contract/run/assertion.js';
import type { Timeline } from '../contract/run/drill.js';
import type { WorldSetup } from '../contract/world/scenario.js';
import { definitionOf } from './assertions/kinds.js';
import { NameCheck } from './assertions/name-check.js';
import { SubjectCheck } from './assertions/subject-check.js';
import type { Diagnostics } from './diagnostics.js';
import { namedInstances } from './setups.js';
import type { SourceDocument } from './source-document.js';
import type { ToolCatalog } from './tool-catalog.js';

export interface Checking {
  diagnostics: Diagnostics;
  catalog: ToolCatalog;
}

export function checkAssertions(
  checking: Checking,
  lists: { assertions: readonly Assertion[]; base: string }[],
  { document, setup, timeline }: { document: SourceDocument; setup: WorldSetup; timeline: Timeline },
): void {
  const instances = namedInstances(setup);
  const seen = new Set<string>();
  for (const { assertions, base } of lists) {
    for (const [index, assertion] of assertions.entries()) {
      const path = `${base}/${index}`;
      if (seen.has(assertion.id))
        checking.diagnostics.report('DY3001', document.place(`${path}/id`), `assertion '${assertion.id}' is given twice`);
      seen.add(assertion.id);
      const at = { document, path, instances, actors: setup.actors, timeline };
      definitionOf(assertion).check?.(assertion, { subjects: new SubjectCheck(checking, at), names: new NameCheck(checking, at) });
    }
  }
}
