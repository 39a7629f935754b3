// The archive: reports and journals on disk, read for the server in a thread of its own. It keeps the indexes of the journals asked for
// last.
//   ARCHIVE-1. What is not as it was sealed is not given: files are compared with the manifest, and checked again (fingerprint.ts) at each
//     question.
//   ARCHIVE-2. A report is judged whole once, and again when anything in its folder has changed.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { within } from '../../async/deadline.js';
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { InspectorAttachment } from '../../contract/inspector/runs.js';
import { limits } from '../../contract/limits.js';
import type { RunResult } from '../../contract/run/run.js';
import { compareSealed } from '../../drills/stored/compare-sealed.js';
import { manifestDigestOf, SealedReport } from '../../drills/stored/sealed-report.js';
import { attachmentViews } from '../../reports/attachments.js';
import { attachmentFolder, manifestFile } from '../../reports/report-folder.js';
import { storyOf } from '../../reports/story.js';
import { type ReportVerification, verifyReport } from '../../reports/verify-report.js';
import { type ZipMember, zipOf } from '../../reports/zip.js';
import type { ArchiveCall, ArchiveCalls, JournalPlace, ReportPlace } from './archive-calls.js';
import { chainOf } from './chain.js';
import { fileJournal } from './file-journal.js';
import { type ReportFault, reportRefused, wholeFingerprint } from './fingerprint.js';
import { JournalFile } from './journal-file.js';
import {
  callbacksPage,
  evidencePage,
  factsOf,
  lastOfPage,
  namespacesPage,
  rowChangesPage,
  statePage,
  timelinePage,
} from './journal-pages.js';
import { searchJournal } from './journal-search.js';
import { runContinued } from './run-continued.js';
import { type Pause, readReport, readSummary, SealedRun } from './sealed-run.js';
import { orderedAssertions, summaryOf } from './summary.js';

type Answers = { [Method in ArchiveCall]: (ask: ArchiveCalls[Method]['ask'], pause: Pause) => Promise<ArchiveCalls[Method]['answer']> };
interface OpenedJournal {
  journal: JournalFile;
  /** Of the whole journal. */
  entries: number;
  indexed: Promise<void>;
  result?: RunResult;
}
interface JudgeReply {
  fingerprint: string;
  manifestDigest: string;
  problems: ReportFault[];
}

export class Archive {
  /** By folder, the one asked for last at the end. */
  readonly #runs = new Map<string, Promise<SealedRun>>();
  readonly #mirrors = new Map<string, { journal: JournalFile; file: number; path: string }>();
  readonly #judged = new Map<string, Promise<JudgeReply>>();

  readonly answers: Answers = {
    summary: (place) => this.#summary(place),
    document: async (place) => (await readSummary(place)).report,
    assertions: async (place) => orderedAssertions((await readSummary(place)).report.result),
    facts: async ({ place }) => {
      const { journal, entries, indexed } = await this.#begun(place);
      await soon(indexed);
      return factsOf(journal, entries);
    },
    evidence: async ({ place, query }) => {
      const { journal, entries, indexed } = await this.#begun(place);
      await soon(indexed);
      if (journal.length < Math.min(lastOfPage(query), entries)) await indexed;
      return evidencePage(journal, query, entries);
    },
    search: async ({ place, query }, pause) => {
      const searching = searchJournal((await this.#journal(place)).journal, query);
      for (;;) {
        const step = searching.next();
        if (step.done === true) return step.value;
        await pause();
      }
    },
    chain: async ({ place, query }) => chainOf((await this.#journal(place)).journal, query.sequence),
    story: async (place) => {
      const { journal, report, indexed } = await this.#sealed(place);
      await indexed;
      return { lines: storyOf(report, fileJournal(journal)) };
    },
    timeline: async ({ place, query }) => {
      const { journal, result } = await this.#journal(place);
      return timelinePage(journal, query, result);
    },
    callbacks: async ({ place }) => callbacksPage((await this.#journal(place)).journal),
    namespaces: async ({ place, query }) => namespacesPage((await this.#journal(place)).journal, query.atSequence),
    state: async ({ place, query }) => statePage((await this.#journal(place)).journal, query),
    rowChanges: async ({ place, query }) => rowChangesPage((await this.#journal(place)).journal, query),
    verify: async (place) => ({ problems: (await this.#judge(place)).problems }),
    html: async (place) => this.#file(place, 'index.html'),
    zip: (place) => this.#whole(place, (sealed) => packedReport(sealed, place.runId)),
    attachments: (place) => this.#attachments(place),
    attachment: (ask) => this.#attachment(ask),
    compare: (ask) => this.#compare(ask),
    continued: async ({ report, afterSequence, place, worldInstanceId }) => {
      const { journal } = await this.#journal(place);
      return await runContinued({ ...(await (await sealedReport(report)).run()), afterSequence }, { journal, worldInstanceId });
    },
    mirror: async (ask, pause) => this.#mirror(ask, pause),
    dropMirror: async ({ id }) => void this.#dropMirror(id),
  };

  async #summary(place: ReportPlace): Promise<ArchiveCalls['summary']['answer']> {
    try {
      const { report, manifest } = await readSummary(place);
      const attachments = manifest.files.filter(({ path }) => path.startsWith(`${attachmentFolder}/`)).length;
      return { kind: 'saved', run: { ...summaryOf(report), attachments } };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const problems = (error.extra.issues ?? []).map(({ path, code, message }) => ({ file: path.slice(1), code, message }));
      return {
        kind: 'unavailable',
        problems: problems.length > 0 ? problems : [{ file: '', code: 'REPORT_MISSING', message: error.message }],
      };
    }
  }

  /** Once all of it is indexed, and it is the one that was sealed. */
  async #journal(place: JournalPlace): Promise<OpenedJournal> {
    const opened = await this.#begun(place);
    await opened.indexed;
    return opened;
  }

  /** As far as it is indexed. */
  async #begun(place: JournalPlace): Promise<OpenedJournal> {
    if (place.kind === 'mirror') {
      const mirror = this.#mirrors.get(place.id);
      if (mirror === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'There is no such journal.' });
      return { journal: mirror.journal, entries: mirror.journal.length, indexed: Promise.resolve() };
    }
    const { journal, report, indexed } = await this.#sealed(place);
    const { result } = report;
    return { journal, result, entries: result.evidenceRange.toSequence, indexed };
  }

  async #sealed(place: ReportPlace): Promise<SealedRun> {
    let opening = this.#runs.get(place.folder);
    if (opening !== undefined && !(await isFresh(opening))) {
      if (this.#runs.get(place.folder) === opening) this.#forget(place.folder);
      opening = this.#runs.get(place.folder);
    }
    opening ??= SealedRun.open(place);
    this.#runs.delete(place.folder);
    this.#runs.set(place.folder, opening);
    try {
      return await opening;
    } catch (error) {
      if (this.#runs.get(place.folder) === opening) this.#runs.delete(place.folder);
      throw error;
    } finally {
      await this.#shed();
    }
  }

  /** Keeps what was asked for last. */
  async #shed(): Promise<void> {
    let entries = 0;
    let kept = 0;
    for (const [folder, opening] of [...this.#runs].reverse()) {
      const run = await opening.catch(() => undefined);
      entries += run?.report.result.evidenceRange.toSequence ?? 0;
      kept++;
      if (kept > 1 && (kept > limits.inspectorJournalsMax || entries > limits.inspectorJournalEntriesMax)) this.#forget(folder);
    }
  }

  /** Nobody asks any more: what is open is closed, and no mirror is left. */
  close(): void {
    for (const folder of [...this.#runs.keys()]) this.#forget(folder);
    for (const id of [...this.#mirrors.keys()]) this.#dropMirror(id);
  }

  #forget(folder: string): void {
    const opening = this.#runs.get(folder);
    this.#runs.delete(folder);
    // Questions that run read their file to the end first.
    void opening?.then((run) => run.closeAfter(limits.bodyTimeoutMs)).catch(() => {});
  }

  #judge(place: ReportPlace): Promise<JudgeReply> {
    const fingerprint = wholeFingerprint(place.folder);
    const earlier = this.#judged.get(place.folder);
    const judging = (earlier ?? Promise.resolve(undefined))
      .catch(() => undefined)
      .then((known) => (known?.fingerprint === fingerprint ? known : judge(place, fingerprint)));
    this.#judged.set(place.folder, judging);
    return judging;
  }

  /** A file of a report that was judged whole. */
  async #file(place: ReportPlace, name: string): Promise<Uint8Array> {
    const bytes = await this.#whole(place, (report) => report.file(name));
    if (bytes === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'The report has no such file.' });
    return bytes;
  }

  async #whole<T>(place: ReportPlace, read: (report: SealedReport) => Promise<T>): Promise<T> {
    const { problems, manifestDigest } = await this.#judge(place);
    if (problems.length > 0) throw reportRefused(problems);
    try {
      return await read(new SealedReport(place.folder, manifestDigest));
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw reportRefused([{ file: '', code: 'DIGEST_MISMATCH', message: 'changed while it was read' }]);
    }
  }

  async #attachments(place: ReportPlace): Promise<InspectorAttachment[]> {
    return this.#whole(place, async (sealed) => {
      const { result } = await sealed.run();
      const kept = new Map((await sealed.files()).map(({ path }) => [path, null]));
      return attachmentViews(result, kept).map(({ descriptor: { id, name, mediaType, bytes, hash }, path, interactionId }) => ({
        id,
        name,
        mediaType,
        bytes,
        hash,
        path: path ?? '',
        available: path !== undefined,
        ...defined({ interactionId }),
      }));
    });
  }

  async #attachment({ attachmentId, ...place }: ArchiveCalls['attachment']['ask']): Promise<Uint8Array> {
    const found = (await this.#attachments(place)).find(({ id }) => id === attachmentId);
    if (found === undefined || !found.available)
      throw new ServiceError('control.NOT_FOUND', { message: 'The report has no such attachment.' });
    return this.#file(place, found.path);
  }

  /** From documents and journals that their manifests vouch for; only what cannot be read so is judged whole, to say what is wrong. */
  async #compare({ left, right }: ArchiveCalls['compare']['ask']): Promise<ArchiveCalls['compare']['answer']> {
    try {
      return await compareSealed(await sealedReport(left), await sealedReport(right));
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      for (const place of [left, right]) await this.#whole(place, async () => undefined);
      throw error;
    }
  }

  async #mirror({ id, file: path, lines }: ArchiveCalls['mirror']['ask'], pause: Pause): Promise<{ toSequence: number }> {
    let mirror = this.#mirrors.get(id);
    if (mirror === undefined) {
      const file = openSync(path, 'wx+', 0o600);
      mirror = { journal: new JournalFile(file, []), file, path };
      this.#mirrors.set(id, mirror);
    }
    const bytes = Buffer.from(lines);
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(mirror.file, bytes, written, bytes.length - written, mirror.journal.bytes + written);
    }
    for (const _ of mirror.journal.extend()) await pause();
    return { toSequence: mirror.journal.length };
  }

  #dropMirror(id: string): void {
    const mirror = this.#mirrors.get(id);
    if (mirror === undefined) return;
    this.#mirrors.delete(id);
    // Questions that run read it to the end first.
    setTimeout(() => closeSync(mirror.file), limits.bodyTimeoutMs).unref();
    rmSync(mirror.path, { force: true });
  }
}

/**
 * Waits a while: most journals are indexed and known as the sealed one by then. The beginning of a very large one, line by line an entry of
 * a file of the sealed size, is not held back for the seconds that takes; when it turns out another, it is refused from then on.
 */
async function soon(indexed: Promise<void>): Promise<void> {
  await within(limits.inspectorIndexWaitMs, indexed);
}

/** In a folder of the run's name, so that it opens beside others. */
async function packedReport(sealed: SealedReport, runId: string): Promise<Uint8Array> {
  const listed = await sealed.files();
  const bytes = listed.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > limits.inspectorZipBytesMax)
    throw new ServiceError('control.STATE_CONFLICT', {
      message: `The report has ${bytes} bytes, too many for one archive here; its folder can be packed by hand.`,
    });
  const members: ZipMember[] = [];
  for (const path of [manifestFile, ...listed.map((file) => file.path)]) {
    const content = await sealed.file(path);
    if (content !== undefined) members.push({ path: `${runId}/${path}`, bytes: content });
  }
  return zipOf(members);
}

async function isFresh(opening: Promise<SealedRun>): Promise<boolean> {
  try {
    return (await opening).isAsOpened();
  } catch {
    return false;
  }
}

async function sealedReport(place: ReportPlace): Promise<SealedReport> {
  const { report } = await readReport(place);
  const { status } = report.result;
  if (status === 'sealed') return new SealedReport(place.folder, await manifestDigestOf(place.folder));
  throw new ServiceError('control.STATE_CONFLICT', {
    message: `Only sealed runs are compared; ${place.runId} is ${status.replace('_', ' ')}.`,
    details: { runId: place.runId, status },
  });
}

async function judge({ folder, runId }: ReportPlace, fingerprint: string): Promise<JudgeReply> {
  const manifestDigest = await manifestDigestOf(folder).catch(() => '');
  const problems = faultsOf(await verifyReport(folder), runId);
  if (wholeFingerprint(folder) !== fingerprint) problems.push({ file: '', code: 'CHANGED', message: 'changed while it was checked' });
  return { fingerprint, manifestDigest, problems };
}

/** Why nothing of it is served: what is wrong with it, and what nobody could check. */
export function faultsOf({ problems, notCompared, runId: found }: ReportVerification, runId: string): ReportFault[] {
  if (problems.length > 0) return problems.map(({ file, code, message }) => ({ file, code, message }));
  if (found !== runId) return [{ file: manifestFile, code: 'RUN_ID_MISMATCH', message: `is of ${found}` }];
  const message = 'was made by an earlier version of the writer, so only its digest could be checked';
  return notCompared.map((file) => ({ file, code: 'NOT_COMPARED', message }));
}
