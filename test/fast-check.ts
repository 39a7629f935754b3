// fast-check with the same cases in every run: what fails today would have failed yesterday. DRILLYARD_SEED asks for others: a number, or
// `any`. DRILLYARD_RUNS multiplies the cases of properties that play whole worlds: with other seeds more of them find more.
import fc from 'fast-check';

const asked = process.env.DRILLYARD_SEED ?? '1';
export const seed = asked === 'any' ? Date.now() % 0x7fffffff : Number(asked);
fc.configureGlobal({ seed });

/** How many cases a property has that plays whole worlds. */
export const casesOf = (usual: number): number => usual * Number(process.env.DRILLYARD_RUNS ?? 1);

export default fc;
