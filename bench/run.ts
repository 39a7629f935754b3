// `npm run bench -- <name> [--flag value ...] [--json]`: runs one bench and prints its result as one JSON line, last.
// Without --json, what the bench says on the way goes to standard error in any case, so the last line can be piped.
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const [name, ...words] = process.argv.slice(2);
const here = new URL('.', import.meta.url);
const names = readdirSync(here)
  .filter((file) => file.endsWith('.js') && file !== 'run.js')
  .map((file) => file.slice(0, -3))
  .filter((file) => /^export \{[^}]*\brun\b|^export (async )?function run\b/m.test(readFileSync(new URL(`${file}.js`, here), 'utf8')));
if (name === undefined || !names.includes(name)) {
  console.error(`usage: npm run bench -- <name> [--flag value ...]\nbenches: ${names.join(', ')}`);
  process.exit(2);
}

const options: { [flag: string]: string | boolean } = {};
for (let index = 0; index < words.length; index++) {
  const flag = words[index] as string;
  if (!flag.startsWith('--')) continue;
  const value = words[index + 1];
  options[flag.slice(2)] = value === undefined || value.startsWith('--') ? true : value;
}

const { run } = (await import(new URL(`${name}.js`, here).href)) as { run(options: { [flag: string]: string | boolean }): Promise<object> };
const result = await run(options);
console.log(JSON.stringify({ bench: name, ...result, node: process.version, cores: cpus().length }));
