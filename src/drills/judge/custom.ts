// custom: what a module of the repository answers. It is asked once, when the attempt ends; a report has its answer, and a run that is
// judged again takes that one, as a module may answer otherwise each time.
//   CUSTOM-1. Only an answer decides: a module that throws, takes too long or answers with something else leaves it undecided.
//   CUSTOM-2. A run that was cut short is not shown to it, and a stored run never is.
import { jsonDigest } from '../../contract/digest.js';
import { limits } from '../../contract/limits.js';
import type { CustomAssertion } from '../../contract/run/assertion.js';
import type { JudgeRecord } from '../../contract/run/run.js';
import { clockAfter } from '../../contract/world/evidence.js';
import type { Finding, RunStart, RunView, ViewCheck } from './finding.js';
import { namedRows, rowsByName } from './named-rows.js';
import type { RunFacts } from './run-facts.js';

/** `facts` sees every entry, too. */
export function custom(assertion: CustomAssertion, start: RunStart, { journal }: RunFacts): ViewCheck {
  const question = questionOf(assertion);
  let nowUs = start.startUs;
  const ask = async (view: RunView): Promise<JudgeRecord | string> => {
    if (start.judgeModule === undefined) return 'There are no modules where this was judged, so its judge was not asked.';
    const state = await namedRows(assertion.state, view);
    if ('undecided' in state) return `The judge was not asked: ${state.undecided}.`;
    if (isTooLarge(view, journal.chars + state.chars)) return `The judge was not asked: ${tooLarge}.`;
    const { entries, left: journalLeft } = journal;
    const clock = { startUs: start.startUs, nowUs };
    const shown = { interactions: [...view.interactions], journal: [...entries], journalLeft, state: rowsByName(state), clock };
    return { question, ...(await start.judgeModule(assertion, shown)) };
  };
  return {
    observe: (entry) => {
      nowUs = clockAfter(nowUs, entry);
    },
    finding: async (view, cutShort) => {
      if (cutShort !== undefined) return undecided(`The judge was not asked, as the run was cut short: ${cutShort}.`);
      const { judged } = start;
      const found = judged === undefined ? await ask(view) : (judged.get(assertion.id) ?? 'That run has no answer of this judge.');
      if (typeof found === 'string') return undecided(found);
      return found.question === question ? findingOf(found) : undecided('In that run the judge was asked something else.');
    },
  };
}

const tooLarge = `what it is shown is larger than ${limits.customJudgeViewCharsMax / 1024 / 1024} MiB`;
/** `chars`: of all but the interactions. */
function isTooLarge({ interactions }: RunView, chars: number): boolean {
  let left = limits.customJudgeViewCharsMax - chars;
  for (const interaction of interactions) {
    if (left < 0) return true;
    left -= JSON.stringify(interaction).length;
  }
  return left < 0;
}

/** Without its time, which decides nothing that was answered. */
function questionOf({ module, export: exportName, state, with: given }: CustomAssertion): string {
  return jsonDigest(JSON.parse(JSON.stringify({ module, export: exportName, state, with: given })));
}

function findingOf(judged: JudgeRecord): Finding {
  const { answer, error } = judged;
  if (answer === undefined) return { ...undecided(`The judge could not decide: ${error?.message ?? 'it said nothing'}`), judged };
  const { passed, message = passed ? 'The judge accepts the run.' : 'The judge rejects the run.', score } = answer;
  const said = score === undefined ? message : `${message} (score ${score})`;
  return { status: passed ? 'passed' : 'failed', settled: true, message: said, evidenceSequences: [], judged };
}

function undecided(message: string): Finding {
  return { status: 'inconclusive', settled: true, message, evidenceSequences: [] };
}
