// The port to the modules of `custom` assertions, which run elsewhere.
import type { CustomAssertion } from '../../contract/run/assertion.js';
import type { JudgedRun } from '../../contract/run/judge.js';
import type { JudgeRecord } from '../../contract/run/run.js';

/** What a judge is shown, but for whose run it is. */
export type JudgeView = Pick<JudgedRun, 'interactions' | 'journal' | 'journalLeft' | 'state' | 'clock'>;
/** Never rejects for what the module does. */
export type ModuleJudge = (assertion: CustomAssertion, view: JudgeView) => Promise<Omit<JudgeRecord, 'question'>>;
