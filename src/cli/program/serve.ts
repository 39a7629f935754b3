// `drillyard serve`: an option for every setting of the service.
import { type Command, Option } from 'commander';
import { environmentName, serveSettings } from '../serve-settings.js';
import { type Finish, jsonOption } from './options.js';

export function addServe(program: Command, finish: Finish): void {
  const serve = program.command('serve').description('serve the hosted control API, and worlds to agents').addOption(jsonOption());
  for (const setting of serveSettings) {
    const text = `${setting.text.replaceAll('`', '')} Default: ${setting.default}. (${environmentName(setting)})`;
    serve.addOption(new Option(`--${setting.flag} ${setting.placeholder}`, text));
  }
  serve.option('--rotate-key', 'make a new generation of the server key first; not for a line that starts the service again and again', false);
  serve.action(async ({ json, rotateKey }: { json: boolean; rotateKey: boolean }, command: Command) => {
    const { serveCommand } = await import('../serve-command.js');
    const given = command.options.map((option) => [option.long?.slice(2), command.getOptionValue(option.attributeName())]);
    finish(await serveCommand({ json, rotateKey, settings: Object.fromEntries(given.filter(([, value]) => typeof value === 'string')) }));
  });
}
