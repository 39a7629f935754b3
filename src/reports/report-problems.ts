// What is wrong with a report folder, collected up to a bound.
import { limits } from '../contract/limits.js';
import { visibleLine } from '../text/visible-text.js';

export type ReportProblemCode =
  | 'FOLDER_UNREADABLE'
  | 'MANIFEST_INVALID'
  | 'FILE_MISSING'
  | 'FILE_UNKNOWN'
  | 'FILE_REFUSED'
  | 'FILE_TOO_LARGE'
  | 'DIGEST_MISMATCH'
  | 'REPORT_INVALID'
  | 'RUN_ID_MISMATCH'
  | 'IDENTITY_MISMATCH'
  | 'VERDICT_MISMATCH'
  | 'ATTACHMENT_MISMATCH'
  | 'EVIDENCE_INVALID'
  | 'EVIDENCE_NOT_CANONICAL'
  | 'EVIDENCE_SEQUENCE'
  | 'EVIDENCE_RANGE_MISMATCH'
  | 'EVIDENCE_HASH_MISMATCH'
  | 'TRAJECTORY_HASH_MISMATCH'
  | 'PROJECTION_MISMATCH'
  // Of a check against a repository.
  | 'DRILL_UNKNOWN';

export interface ReportProblem {
  /** In the folder; '' for the folder itself, or for what is not in it. */
  file: string;
  code: ReportProblemCode;
  message: string;
}

export class ReportProblems {
  readonly list: ReportProblem[] = [];

  add(file: string, code: ReportProblemCode, message: string): void {
    if (this.list.length < limits.reportProblemsMax) this.list.push({ file: visibleLine(file), code, message: visibleLine(message) });
  }

  has(...codes: ReportProblemCode[]): boolean {
    return this.list.some((problem) => codes.includes(problem.code));
  }
}
