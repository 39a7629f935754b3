// Looks for words that a note should not have.
export default function words({ state, with: { unwanted } }) {
  const found = Object.entries(state.notes).filter(([, { text }]) => unwanted.some((word) => text.includes(word)));
  if (found.length === 0) return { passed: true, score: 1 };
  return {
    passed: false,
    score: 0,
    message: `Unkind words in ${found.map(([id]) => id).join(', ')}.`,
    details: { notes: Object.fromEntries(found) },
  };
}
