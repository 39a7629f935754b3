// Given to a process as `--import`: it writes a line on stderr for each module that is loaded later.
import { register } from 'node:module';

const hooks = `
import { writeSync } from 'node:fs';
export function load(url, context, next) {
  writeSync(2, 'loaded ' + url + '\\n');
  return next(url, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
