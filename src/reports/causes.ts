// What a reader has to know first of a run that did not pass, in order: what broke or cut the run short stands before the assertions that
// it left undecided. The window, the page and the terminal say the same.
import { defined } from '../contract/defined.js';
import { limits } from '../contract/limits.js';
import type { InteractionResult, RunError, TargetStatus } from '../contract/run/run.js';
import type { RunReport } from '../contract/run/run-events.js';
import { type ToolFailureReport, toolFailureText } from '../contract/world/tool-failure.js';
import { counted } from '../text/counted.js';
import { failedInteractions, findingsOf, leftUndecided, type ReportFinding } from './findings.js';
import { lastWords, ownPlace } from './last-words.js';
import { tuning } from './tuning.js';
import { agentWordsOf } from './words.js';

/** A place in a file of the user, as a stack names it. */
export interface FilePlace {
  /** As the stack has it: mostly absolute. */
  file: string;
  line: number;
  column: number;
}
export type Cause =
  | { kind: 'tool'; title: string; message: string; sequence: number; place?: string }
  | { kind: 'run'; title: string; message: string; issues: string[]; sequence?: number }
  | { kind: 'budget'; title: string; message: string }
  | AgentCause
  | { kind: 'finding'; finding: ReportFinding }
  | { kind: 'undecided'; title: string; findings: ReportFinding[] };
export interface AgentCause {
  kind: 'agent';
  /** `The agent failed: TypeError: no such member` */
  title: string;
  interactionId: string;
  status: TargetStatus;
  code?: string;
  /** What the error says, where the title does not have it. */
  message?: string;
  /** The end of its log, line by line; of an error that it threw the stack is its end. */
  log: string[];
  /** What it answered in the place of an output. */
  answer: string[];
  /** The frame of its own that is nearest to what it threw. */
  place?: FilePlace;
}

/** Empty for a run in which everything holds and nothing failed. */
export function causesOf(report: RunReport): Cause[] {
  const { result, toolFailures = [], cutShort } = report;
  const undecided = leftUndecided(report);
  const left = new Set(undecided.map(({ assertion }) => assertion));
  const decided = findingsOf(result).filter(({ assertion }) => !left.has(assertion));
  return [
    ...toolFailures.map(toolCause),
    ...runCause(result.failure),
    ...budgetCauses(result.budgetUsage),
    ...failedInteractions(result).slice(0, limits.reportListItemsMax).map(agentCause),
    ...decided.map((finding): Cause => ({ kind: 'finding', finding })),
    ...undecidedCause(undecided, cutShort),
  ];
}

function toolCause(failure: ToolFailureReport): Cause {
  const { packageId, handlerId, place, sequence } = failure;
  const where = place === undefined ? {} : { place: `${place.file}:${place.line}` };
  return { kind: 'tool', title: `The tool ${packageId} broke in ${handlerId}`, message: toolFailureText(failure), sequence, ...where };
}

function runCause(failure: RunError | undefined): Cause[] {
  if (failure === undefined) return [];
  const { code, message, issues, evidence } = failure;
  return [
    {
      kind: 'run',
      title: code,
      message,
      issues: issues.slice(0, limits.reportListItemsMax).map((issue) => `${issue.path === '' ? '' : `${issue.path}: `}${issue.message}`),
      ...(evidence?.sequence === undefined ? {} : { sequence: evidence.sequence }),
    },
  ];
}

/** A spent budget explains a run that ends early. */
function budgetCauses({ toolCalls, scheduledEvents }: RunReport['result']['budgetUsage']): Cause[] {
  const budget = (title: string, message: string): Cause => ({ kind: 'budget', title, message });
  return [
    ...(toolCalls.rejected > 0
      ? [
          budget(
            'The budget of tool calls is used up',
            `${counted(toolCalls.rejected, 'tool call')} of ${toolCalls.attempted} ${toolCalls.rejected === 1 ? 'was' : 'were'} rejected: the budget is ${toolCalls.limit}.`,
          ),
        ]
      : []),
    ...(scheduledEvents.exhausted
      ? [
          budget(
            'The budget of scheduled events is used up',
            `The clock stopped early: the budget of ${counted(scheduledEvents.limit, 'scheduled event')} is spent.`,
          ),
        ]
      : []),
  ];
}

export function agentCause({ interactionId, targetResult: { status, error } }: InteractionResult): AgentCause {
  const log = lastLog(error?.details);
  const place = ownPlace(log);
  const answer = lastAnswer(error?.details);
  const message = error?.message.split('\n')[0] ?? '';
  // The line of the stack says its class, too: `TypeError: no such member`.
  const thrown = log.find((line) => message !== '' && line.endsWith(message) && line !== message) ?? message;
  return {
    kind: 'agent',
    title: `The agent ${agentWordsOf[status]}${thrown === '' ? '' : `: ${thrown}`}`,
    interactionId,
    status,
    ...(error === undefined ? {} : { code: error.code }),
    ...(error?.message.includes('\n') ? { message: error.message } : {}),
    log,
    answer,
    ...defined({ place }),
  };
}

function lastLog({ stderr, log = stderr }: RunError['details'] = {}): string[] {
  return typeof log === 'string' && log !== '' ? lastWords(log) : [];
}

function lastAnswer({ stderr, log = stderr, beginning, body = beginning, contentType }: RunError['details'] = {}): string[] {
  if (typeof log === 'string' && log !== '') return [];
  const answer = typeof body === 'string' && body.trim() !== '' ? body.trim().split('\n').slice(0, limits.reportLastWordsLinesMax) : [];
  return [
    ...(typeof contentType === 'string' ? [`content-type: ${contentType}`] : []),
    ...answer.map((line) => line.slice(0, tuning.answerLineChars)),
  ];
}

function undecidedCause(findings: ReportFinding[], cutShort: string | undefined): Cause[] {
  if (findings.length === 0) return [];
  const many = new Set(findings.map(({ assertion }) => assertion.assertionId)).size;
  const why = cutShort ?? 'the agent did not finish';
  return [{ kind: 'undecided', title: `${counted(many, 'assertion')} could not be decided: ${why}`, findings }];
}

/** What the judge found, without the reason that stands over all that were left undecided. */
export function undecidedMessage({ assertion }: ReportFinding, cutShort: string | undefined): string {
  return cutShort === undefined ? assertion.message : assertion.message.replace(` Undecided: ${cutShort}.`, '');
}
