// The figures that tune this module. Bounds of what is sent and fetched are in src/contract/limits.ts.

export const tuning = {
  /** Drafts and datasets in one page of a list. */
  pageItems: 100,
  /** Projects, and issues of one refusal, that a message lists. */
  projectsListed: 20,
  issuesListed: 10,
  /** Of the first request. */
  connectRetries: 4,
};
