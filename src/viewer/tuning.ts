// The figures that tune the viewer: what it draws, what it asks for at once, and how long it waits.

export const tuning = {
  // Waits, so that it asks for what somebody looks at and not for what passes by.
  typingMs: 180,
  /** Of a filter that changed, before the journal is asked. */
  filterRestMs: 20,
  /** For the next problem or call, before the key is forgotten. */
  stepWaitMs: 10_000,
  scrubberRestMs: 90,
  listSettleMs: 160,
  listRestMs: 40,
  timelineAskMs: 120,
  /** The pointer on a chip, before what stands around its entry is shown, and off it before that goes. */
  glimpseRestMs: 160,
  /** Between two pictures of a timeline that grows. */
  growthRestMs: 1_000,
  /** How long a button says that it has copied. */
  copiedShownMs: 1_500,

  // Pieces in which it asks.
  journalPageEntries: 200,
  journalPagesMax: 60,
  stateRowsAPage: 100,
  /** Changes of one row, with what each changed. */
  rowChangesShown: 50,
  timelineEntriesAtOnce: 500,
  /** Up to here every entry is drawn by itself; beyond, the source counts, in so many buckets. */
  timelineWholeEntriesMax: 2_000,
  timelineBucketsMax: 400,
  /** Of its buckets over virtual time, below which a timeline begins entry by entry. */
  timelineFilledPartMin: 0.05,

  // What it shows of more.
  effectsShown: 20,
  findingLinksMax: 8,
  /** Of an entry with what stands around it. */
  glimpseLines: 5,
  /** Causes of a verdict that stand open, one under the other, and checkpoints that one of them names. */
  causesOpen: 3,
  checkpointsNamed: 10,
  /** Rows whose changes are listed at once, and steps of one of them. */
  changedRowsAtOnce: 20,
  rowStepsMax: 50,
  /** Of a value that stands on a line with another. */
  scalarCharsMax: 60,
  shortChars: 160,
  cellChars: 40,
  /** Of an entry, on each side of what was searched for. */
  snippetChars: 40,
  /** Of a value that is shown short, when the pointer rests on it. */
  titleChars: 2_000,
  /** Longer texts stay uncolored: a span a token would be slow. */
  coloredValueCharsMax: 20_000,
  /** Up to here a value stays on one line. */
  valueLineCharsMax: 64,

  // What the agent said: lines that a transcript opens with, calls between them, lines beside a call, and a line in short.
  saidLinesShown: 100,
  saidCallsShown: 200,
  saidAroundShown: 5,
  saidShortChars: 120,
  /** Of one thing that it said, before somebody asks for all of it: a page draws a hundred of them at once, and a block a line. */
  saidTextLinesOpen: 100,
  saidTextCharsOpen: 4_000,

  // Sizes of what is drawn, in CSS pixels; the styles have the same rows.
  journalRowPx: 30,
  /** Rows drawn above and below those in sight. */
  journalMarginRows: 12,
  /** Rows drawn while the page is printed: some thirty sheets. */
  printedRowsMax: 1_000,
  /** Of a digit of a sequence or a time, of the time of an entry, and of one that may have days before it or parts of a second. */
  digitPx: 7.4,
  timePx: 76,
  dayTimePx: 112,
  /** A move of the clock from here on is a jump that a list marks: a minute. */
  jumpUsMin: 60_000_000,
  /** Browsers draw no higher element reliably. */
  areaPxMax: 8_000_000,
  lanePx: 30,
  timelineTopPx: 34,
  /** What the text of a tick may take: at the right edge it goes to the left of its line. */
  tickTextPx: 70,
  tickPx: 110,
  /** Between ticks that are sequences. */
  numberTickPx: 64,
  minimapPx: 6,
  /** A part of the axis this near to all of it is all of it. */
  wholeShare: 0.98,
  /** Arrows of causes and effects that are drawn at once. */
  flowArrowsMax: 40,
  /** Of an arrow, from the middle of a mark. */
  flowStartPx: 7,
  /** A drag this short is a click. */
  dragPxMin: 4,
  /** Steps in which a range grows over what is in sight. */
  rangeSteps: 40,
  /** Marks nearer than this are drawn as one. */
  joinPx: 15,
  charPx: 6.6,
};
