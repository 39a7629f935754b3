// `drillyard serve`: an option for every setting of the service.
import { type Command, Option } from 'commander';
import { configFile, environmentName, serveSettings } from '../serve-settings.js';
import { subnets } from '../setting-values.js';
import { type Finish, jsonOption } from './options.js';

export function addServe(program: Command, finish: Finish): void {
  const serve = program.command('serve').description('serve the hosted control API, and worlds to agents').addOption(jsonOption());
  for (const setting of [configFile, ...serveSettings]) {
    const words = setting.text.replaceAll('`', '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const option = new Option(
      `--${setting.flag} ${setting.placeholder}`,
      `${words} Default: ${setting.default}. (${environmentName(setting)})`,
    );
    // Several of them are one value, as in the variable.
    if (setting.kind === subnets)
      option.argParser((text: string, earlier?: string) => (earlier === undefined ? text : `${earlier},${text}`));
    serve.addOption(option);
  }
  serve.option(
    '--rotate-key',
    'make a new generation of the server key first; not for a line that starts the service again and again',
    false,
  );
  serve.option('--print-config', 'show every setting as it holds, and where it comes from, and start nothing', false);
  serve.action(async ({ json, rotateKey, printConfig }: { json: boolean; rotateKey: boolean; printConfig: boolean }, command: Command) => {
    const { serveCommand } = await import('../serve-command.js');
    const given = command.options.map((option) => [option.long?.slice(2), command.getOptionValue(option.attributeName())]);
    const settings = Object.fromEntries(given.filter(([, value]) => typeof value === 'string'));
    finish(await serveCommand({ json, rotateKey, printConfig, settings }));
  });
}
