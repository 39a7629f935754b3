// The figures that tune this module. Bounds of schemas, patterns and tool code are in src/contract/limits.ts.

export const tuning = {
  /** Of what a proof about a pattern tries anywhere in a text, and the ways that it follows at once: beyond, RE2 runs the pattern. */
  proofCharsReadMax: 256,
  proofWaysMax: 64,
  /** Sets of characters of Unicode properties that are kept. */
  charSetsKept: 64,
  /** Rows that the `list` of a declarative tool looks at in one scan. */
  declarativeScanRows: 500,
  /** As many items as are compared with each other faster than they are put into a map. */
  comparedItemsMax: 16,
  /** Of 8 bytes: far more than any step of a context call needs. */
  reserveFrameSlots: 8192,
  /** What following a reference costs of `validationStepsMax`, by what was measured. */
  stepsOfReference: 5,
  /** Schemas that one Ajv compiles, which keeps some 5 KB for each as long as it lives. */
  ajvSchemasMax: 256,
  /** Of schemas whose validators are kept. */
  compiledSchemaCharsMax: 16 * 1024 * 1024,
  /** Keywords of a schema that is put in the place of a reference to it. */
  inlinedKeywordsMax: 8,
  /** Valid requests of a GraphQL API that are remembered, and the longest: a client has some dozens of texts, a world 256 KB for them. */
  validTextsMax: 64,
  validTextCharsMax: 4096,
};
