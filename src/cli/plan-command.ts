// `drillyard plan`: what `run` would run with the same flags, with every seed; runs nothing.
import { resolve } from 'node:path';
import { createBindings } from '../bindings/create-bindings.js';
import { defined } from '../contract/defined.js';
import { seedOf } from '../contract/fresh-seed.js';
import type { Plan, PlannedDrill, PlanOptions } from '../drills/plan/plan.js';
import { shardText } from '../drills/plan/shard.js';
import { skippedDrill } from '../drills/run.js';
import { planDrills } from '../drills/run-drills.js';
import { counted } from '../text/counted.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput } from './output.js';
import { withProgressBar } from './progress-bar.js';
import type { SourceFlags } from './validate-command.js';

export async function planCommand({ json, seed, ...given }: SourceFlags & PlanOptions): Promise<ExitCode> {
  const options = { ...given, ...defined({ seed: seedOf(seed) }) };
  const output = createOutput({ json });
  try {
    const plan = await withProgressBar('Compiling', ({ update }) =>
      planDrills({ ...options, onCompiling: update }, createBindings().available),
    );
    const runs = plan.drills.reduce((sum, { trials }) => sum + trials.length, 0);
    for (const planned of plan.drills) {
      for (const { trial, seed } of planned.trials)
        output.line({ event: 'planned', ...describe(planned), trial, trialCount: planned.trials.length, seed });
    }
    for (const drill of plan.skipped) output.line({ event: 'skipped', ...skippedDrill(drill) });
    output.line({
      event: 'summary',
      buildHash: plan.buildHash,
      drills: plan.drills.length,
      runs,
      ...(plan.skipped.length === 0 ? {} : { skipped: plan.skipped.length }),
      concurrency: plan.concurrency,
      seed: plan.seed,
      ...shardOf(plan),
    });
    if (!json) {
      const suite = `${plan.suiteId === undefined ? '' : ` of suite ${plan.suiteId}`}${plan.shard === undefined ? '' : ` in shard ${shardText(plan.shard)}`}`;
      const skipped = plan.skipped.length === 0 ? '' : `, ${plan.skipped.length} skipped`;
      output.say(
        `${counted(plan.drills.length, 'drill')}${suite}, ${counted(runs, 'run')}${skipped}, seed ${plan.seed}, ${plan.concurrency} at a time.`,
      );
      for (const planned of plan.drills) output.say(line(planned));
      for (const { id, title, skip } of plan.skipped) output.say(`  ${id}${title === undefined ? '' : `  ${title}`}\n    skipped: ${skip}`);
    }
    return plan.drills.some(({ refusal }) => refusal !== undefined) ? exitCodes.failed : exitCodes.passed;
  } catch (error) {
    return reportFailure(error, output, resolve(options.root));
  }
}

function shardOf({ shard }: Plan): Pick<Plan, 'shard'> {
  return defined({ shard });
}

function describe({ drill, target, attemptLimit, setupHash, refusal }: PlannedDrill) {
  return {
    drillId: drill.id,
    targetId: target.id,
    targetKind: target.kind,
    attemptLimit,
    setupHash,
    ...defined({ refusal }),
  };
}

function line({ drill, target, trials, attemptLimit, refusal }: PlannedDrill): string {
  const times = `${counted(trials.length, 'trial')}${attemptLimit > 1 ? `, up to ${attemptLimit} attempts each` : ''}`;
  const title = drill.title === undefined ? '' : `  ${drill.title}`;
  return `  ${drill.id}${title}\n    ${target.kind} target ${target.id}, ${times}, first seed ${trials[0]?.seed}${refusal === undefined ? '' : `\n    cannot run: ${refusal.message}`}`;
}
