// Where something of a drill stands in the source, for reporters that point there.

export interface SourcePlace {
  /** As the reader of the document can open it. */
  file: string;
  line: number;
  column: number;
}
/** Of the assertion where it is found, else of the drill; `known`: of what lies there, in the words of the compiler. */
export type PlaceOf = (drillId: string, assertionId?: string, known?: SourcePlace) => SourcePlace | undefined;
