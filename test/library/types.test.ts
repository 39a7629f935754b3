// The library's behavior against the SDK as an author sees it: library/tsconfig.json, everything strict. So is compat/, with the types of
// Node.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { libraryPackages } from './package-world.js';

const place = (file: string): string => fileURLToPath(new URL(`../../../library/${file}`, import.meta.url));

function parsed(file: string): ts.ParsedCommandLine {
  const read = ts.getParsedCommandLineOfConfigFile(
    place(file),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => assert.fail(textOf(diagnostic)) },
  );
  return read ?? assert.fail(file);
}

test('the behavior of the library type-checks against drillyard/tool-sdk', () => {
  const read = parsed('tsconfig.json');
  assert.deepEqual(read.fileNames.map((file) => basename(dirname(file))).sort(), libraryPackages, 'every package is checked');
  const program = ts.createProgram({ rootNames: read.fileNames, options: read.options });
  assert.deepEqual(ts.getPreEmitDiagnostics(program).map(textOf), []);
});

test('what the library says of vendors type-checks against drillyard/compat', () => {
  const read = parsed('tsconfig.compat.json');
  const proved = libraryPackages.filter((packageId) => existsSync(place(`${packageId}/compat`)));
  const checked = read.fileNames.filter((file) => basename(file) === 'compat.ts').map((file) => basename(dirname(dirname(file))));
  assert.deepEqual(checked.sort(), proved, 'every package with a compat folder is checked');
  const program = ts.createProgram({ rootNames: read.fileNames, options: read.options });
  assert.deepEqual(ts.getPreEmitDiagnostics(program).map(textOf), []);
});

function textOf({ file, start, messageText }: ts.Diagnostic): string {
  const text = ts.flattenDiagnosticMessageText(messageText, ' ');
  if (file === undefined || start === undefined) return text;
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(start).line + 1}: ${text}`;
}
