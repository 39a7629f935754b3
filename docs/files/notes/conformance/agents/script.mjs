// The agent of the package's own drills.
export default async function play(_invocation, { world }) {
  await world.call('notes', 'note.add', { id: 'milk', text: 'Buy milk' });
}
