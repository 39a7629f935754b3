// fast-check with the same cases in every run: what fails today would have failed yesterday. DRILLYARD_SEED asks for others: a number, or
// `any`.
import fc from 'fast-check';

const asked = process.env.DRILLYARD_SEED ?? '1';
export const seed = asked === 'any' ? Date.now() % 0x7fffffff : Number(asked);
fc.configureGlobal({ seed });

export default fc;
