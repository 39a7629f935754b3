// What an agent elsewhere handed in, as the run of its target.
import { defined } from '../../contract/defined.js';
import { checkJson } from '../../contract/json-check.js';
import type { TargetCompletion } from '../../contract/run/target-completion.js';
import { runError } from '../ports/run-error.js';
import { Attachments } from './attachments.js';
import type { Redactor } from './redaction.js';
import { TargetLog } from './target-log.js';
import { readOutput } from './target-output.js';
import type { TargetRun } from './target-run.js';

export function completedRun(completion: TargetCompletion, redactor: Redactor): TargetRun {
  const { status, output, error, usage, log = '', attachments = [] } = completion;
  const kept = new Attachments(undefined);
  for (const attachment of attachments) {
    const { name, mediaType } = attachment;
    kept.keep({ name, mediaType, content: 'text' in attachment ? attachment.text : Buffer.from(attachment.base64, 'base64') });
  }
  const targetLog = new TargetLog(redactor);
  targetLog.append(log);
  const said = { ...defined({ usage }), ...targetLog.kept(), files: kept.files, refusals: kept.refusals };
  // Of one that came as JSON the shape was checked; an embedder may hand in anything.
  const read = readOutput(output, redactor);
  if (read.kind === 'invalid') return { status: 'failed', error: read.error, ...said };
  const fault = checkJson(error?.details ?? {});
  if (fault !== null)
    return { status: 'failed', error: runError('target.OUTPUT_INVALID', `The value of the error's details ${fault.message}.`), ...said };
  return redactor.run({
    status,
    ...(read.kind === 'value' ? { output: read.value } : {}),
    ...(status === 'failed' ? { error: agentFailed(error) } : {}),
    ...said,
  });
}

function agentFailed({ code = 'target.AGENT_FAILED', message, details = {} }: NonNullable<TargetCompletion['error']> = { message: '' }) {
  return runError(code as `target.${string}`, message === '' ? 'The agent says that it failed.' : message, { details });
}
