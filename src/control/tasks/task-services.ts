// The workers of one service where its settings put them: threads, processes, or processes in boxes.
import { join } from 'node:path';
import type { ExpressionFinding } from '../../drills/judge/evaluate-expression.js';
import type { ControlSettings } from '../catalog/settings.js';
import type { ControlServices } from '../core/services.js';
import { workFolder } from '../source/source-trees.js';
import { type CompileResult, CompileWorkers, compileLimits } from './compile-port.js';
import type { CompileTask } from './compile-tasks.js';
import { type JudgeTask, JudgeWorkers, judgeLimits } from './judge-port.js';
import { processWorkers } from './task-process.js';

export function openTaskWorkers({
  isolation,
  dataDirectory,
}: Pick<ControlSettings, 'isolation' | 'dataDirectory'>): Pick<ControlServices, 'compiler' | 'judge'> {
  if (isolation === 'thread') return { compiler: new CompileWorkers(), judge: new JudgeWorkers() };
  const apart = isolation === 'box';
  const boxes = (name: string) => (apart ? { slots: join(dataDirectory, 'slots', name), work: workFolder(dataDirectory) } : undefined);
  return {
    compiler: new CompileWorkers({
      start: processWorkers<CompileTask, CompileResult>({ limits: compileLimits, boxes: boxes('compile') }),
      apart,
    }),
    judge: new JudgeWorkers({ start: processWorkers<JudgeTask, ExpressionFinding>({ limits: judgeLimits, boxes: boxes('judge') }), apart }),
  };
}
