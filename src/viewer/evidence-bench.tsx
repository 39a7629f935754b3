// A journal to work with: its timeline and its list, and beside them the entry that is looked at. For a run and for a live world alike.
import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { BriefOptions } from '../reports/entry-brief.js';
import { useEntryContext } from './entry-context.tsx';
import { EntryPane, type EntryPaneProps } from './entry-pane.tsx';
import { useKinds } from './growth.tsx';
import type { SequenceRange } from './journal-filter.ts';
import { JournalPanel, type JournalPanelProps } from './journal-panel.tsx';
import { useStart } from './start-time.tsx';
import { Timeline, type TimelineProps } from './timeline.tsx';
import { TranscriptPanel, useTranscript } from './transcript.tsx';

interface EvidenceBenchProps
  extends Omit<TimelineProps, 'context' | 'range' | 'onRange'>,
    Pick<JournalPanelProps, 'kinds' | 'filter' | 'onFilter' | 'choices'> {
  /** It grows. */
  isLive?: boolean;
  /** What the rows of the journal need not repeat. */
  brief?: BriefOptions;
  /** Ids of the assertions that cite an entry, by its sequence. */
  cited: ReadonlyMap<number, readonly string[]>;
  onClose: () => void;
  /** How much the agent has said by now, where it is at work. */
  saidCount?: number | undefined;
  /** What can be done from the entry that is looked at. */
  actions?: EntryPaneProps['actions'];
  meaningOf?: EntryPaneProps['meaningOf'];
  /** Above the timeline. */
  children?: ComponentChildren;
}

const wholeBrief: BriefOptions = { oneTool: false, oneActor: false };

export function EvidenceBench({
  kinds,
  filter,
  onFilter,
  choices,
  isLive = false,
  brief = wholeBrief,
  cited,
  onClose,
  actions,
  meaningOf,
  saidCount,
  children,
  ...timeline
}: EvidenceBenchProps) {
  const { source, count, selected, onSelect } = timeline;
  const startUs = useStart(source, count);
  const citedSequences = useMemo(() => new Set(cited.keys()), [cited]);
  const kindsNow = useKinds(source, count, isLive ? undefined : kinds);
  const transcript = useTranscript(source, `${isLive} ${saidCount ?? 0}`);
  const context = useEntryContext(source, selected);
  // What stands between two times is asked for: the filter may be another by then.
  const latest = useRef(filter);
  latest.current = filter;
  const narrowTo = (range: SequenceRange | undefined): void => onFilter({ ...latest.current, range });
  const shared = { source, startUs, onSelect, transcript };
  return (
    <div class={selected === undefined ? 'bench' : 'bench with-pane'}>
      <div class="bench-main">
        {children}
        {count > 0 && <Timeline {...timeline} context={context.value} range={filter.range} onRange={narrowTo} />}
        <JournalPanel
          {...shared}
          count={count}
          kinds={kindsNow}
          filter={filter}
          onFilter={onFilter}
          choices={choices}
          isLive={isLive}
          brief={brief}
          selected={selected}
          cited={citedSequences}
        />
        {transcript.lines.length > 0 && <TranscriptPanel {...shared} count={count} selected={selected} />}
      </div>
      {selected !== undefined && (
        <EntryPane
          {...shared}
          sequence={selected}
          context={context}
          last={count}
          citedBy={cited.get(selected) ?? []}
          onClose={onClose}
          actions={actions}
          meaningOf={meaningOf}
        />
      )}
    </div>
  );
}
