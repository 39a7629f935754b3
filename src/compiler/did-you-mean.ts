// The suggestion of a diagnostic about a name that nobody knows.
import { nearest } from '../text/nearest.js';
import { tuning } from './tuning.js';

export function didYouMean(mistaken: string, names: readonly string[]): string | undefined {
  // What is broken itself may have no name.
  const known = names.filter((name) => name !== '');
  const near = nearest(mistaken, known);
  if (near !== undefined && near !== mistaken) return `Did you mean '${near}'?`;
  if (known.length === 0 || known.length > tuning.knownNamesListed) return undefined;
  return `Known: ${known.toSorted().join(', ')}.`;
}
