// output.value: the value at a path of what the target returned from one interaction, compared.
import type { OutputValueAssertion } from '../../contract/run/assertion.js';
import type { InteractionResult } from '../../contract/run/run.js';
import { compareAt } from './compared-value.js';
import type { Finding, ViewCheck } from './finding.js';

export function outputValue(assertion: OutputValueAssertion): ViewCheck {
  const { interactionId, path } = assertion;
  return {
    observe: () => {},
    finding: async ({ interactions }): Promise<Finding> => {
      const location = { subject: 'output' as const, interactionId, path };
      const interaction = interactions.find((ended) => ended.interactionId === interactionId);
      const missing = missingReason(interactionId, interaction);
      if (missing !== undefined) {
        return { status: 'inconclusive', settled: false, message: missing, expected: assertion.expected, location, evidenceSequences: [] };
      }
      const where =
        path.length === 0
          ? `the output of interaction ${interactionId}`
          : `/${path.join('/')} of the output of interaction ${interactionId}`;
      // An interaction that has ended returns nothing else any more.
      return {
        ...compareAt(assertion, { value: interaction?.targetResult.output, where }),
        settled: true,
        location,
        evidenceSequences: [],
      };
    },
  };
}

/** An agent that failed has returned nothing that could be judged; one that completed without an output has returned nothing, which can. */
function missingReason(interactionId: string, interaction: InteractionResult | undefined): string | undefined {
  if (interaction === undefined) return `Interaction ${interactionId} has not taken place, so there is no output to compare.`;
  const { status, error } = interaction.targetResult;
  if (status === 'completed') return undefined;
  const why = error === undefined ? '' : ` (${error.code})`;
  return `The target ${status.replace('_', ' ')} in interaction ${interactionId}${why}, so there is no output to compare.`;
}
