// The figures that tune this module.

export const tuning = {
  /** Events of the first array of a heap. */
  heapEventsMin: 16,
  /** An emptied heap that was larger than this many events gives its memory back. */
  heapEventsKept: 1024,
};
