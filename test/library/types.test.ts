// The library's behavior against the SDK as an author sees it: library/tsconfig.json, everything strict.
import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { libraryPackages } from './package-world.js';

const config = fileURLToPath(new URL('../../../library/tsconfig.json', import.meta.url));

test('the behavior of the library type-checks against drillyard/tool-sdk', () => {
  const read = ts.getParsedCommandLineOfConfigFile(
    config,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => assert.fail(textOf(diagnostic)) },
  );
  assert.ok(read);
  assert.deepEqual(read.fileNames.map((file) => basename(dirname(file))).sort(), libraryPackages, 'every package is checked');
  const program = ts.createProgram({ rootNames: read.fileNames, options: read.options });
  assert.deepEqual(ts.getPreEmitDiagnostics(program).map(textOf), []);
});

function textOf({ file, start, messageText }: ts.Diagnostic): string {
  const text = ts.flattenDiagnosticMessageText(messageText, ' ');
  if (file === undefined || start === undefined) return text;
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(start).line + 1}: ${text}`;
}
