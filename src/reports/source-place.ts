// Where something of a drill stands in the source, for reporters that point there.

export interface SourcePlace {
  /** As the reader of the document can open it. */
  file: string;
  line: number;
  column: number;
}
/** Of the assertion where it is found, else of the drill. */
export type PlaceOf = (drillId: string, assertionId?: string) => SourcePlace | undefined;
