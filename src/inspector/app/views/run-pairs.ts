// Which run says most beside another: of the same drill, or in the same scenario, with the other verdict, the newest.
import type { SavedRun } from '../../../contract/inspector/runs.js';

/** `runs`: the newest first. */
export function counterpartOf(run: SavedRun, runs: readonly SavedRun[]): SavedRun | undefined {
  const others = runs.filter((other) => other.runId !== run.runId);
  const isOther = (other: SavedRun): boolean => (other.verdict === 'passed') !== (run.verdict === 'passed');
  const sameDrill = others.filter((other) => other.drill.id === run.drill.id);
  const sameScenario = others.filter((other) => run.scenarioId !== undefined && other.scenarioId === run.scenarioId);
  return sameDrill.find(isOther) ?? sameScenario.find(isOther) ?? sameDrill[0];
}

/** The newest failure of each drill, each beside what passed. */
export function suggestedPairs(runs: readonly SavedRun[]): { failed: SavedRun; passed: SavedRun }[] {
  const seen = new Set<string>();
  return runs.flatMap((failed) => {
    if (failed.verdict === 'passed' || seen.has(failed.drill.id)) return [];
    seen.add(failed.drill.id);
    const passed = counterpartOf(failed, runs);
    return passed === undefined || passed.verdict !== 'passed' ? [] : [{ failed, passed }];
  });
}
