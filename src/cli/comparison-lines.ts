// A comparison of two runs as the terminal shows it: what differs, first of all where they parted, with the values on both sides.
import pc from 'picocolors';
import type {
  ComparedEffects,
  ComparedMember,
  ComparedRows,
  RunComparison,
  RunDifference,
  RunDivergence,
} from '../contract/hosted/runs.js';
import {
  countDelta,
  countName,
  countText,
  firstMembers,
  gradeWords,
  inputName,
  inputText,
  lacksText,
  memberName,
  memberTexts,
  otherKeysText,
  rowText,
} from '../reports/comparison-words.js';
import { counted, grouped } from '../text/counted.js';
import { cutWhereTheyDiffer } from '../text/cut-text.js';
import { visibleLine } from '../text/visible-text.js';
import { tuning } from './tuning.js';

export function comparisonLines(comparison: RunComparison): string[] {
  const { left, right, grade, inputs, lacks = [], equal, firstDivergence, differences, rows, assertions, counts } = comparison;
  const side = (name: string, { runId, verdict }: RunComparison['left']): string => `${name.padEnd(5)}  ${runId}  ${verdict}`;
  const hashes = Object.entries(equal).map(([name, isEqual]) => `${name.replace('Hash', '')} ${isEqual ? 'equal' : 'differs'}`);
  const { title, text } = gradeWords[grade];
  return [
    side('left', left),
    side('right', right),
    `${pc.bold(`${grade}: ${title}.`)} ${text}`,
    hashes.join(', '),
    ...lacks.map((lack) => pc.yellow(lacksText(lack))),
    ...section(
      'Inputs that differ',
      inputs.map(({ name, left: one, right: other }) => pair(inputName(name), inputText(name, one), inputText(name, other))),
    ),
    ...(firstDivergence === undefined ? [] : divergenceLines(firstDivergence)),
    ...(differences === undefined ? [] : differenceLines(differences)),
    ...(rows === undefined ? [] : rowLines(rows)),
    ...section(
      'Assertions that differ',
      assertions
        .filter((assertion) => assertion.left !== assertion.right)
        .map((assertion) => pair(assertion.assertionId, assertion.left ?? 'absent', assertion.right ?? 'absent')),
    ),
    ...section(
      'Counts that differ',
      counts
        .filter((count) => count.left !== count.right)
        .map((count) => {
          const delta = countDelta(count.name, count.right - count.left);
          return `${pair(countName(count.name), countText(count.name, count.left), countText(count.name, count.right))}  ${pc.dim(delta)}`;
        }),
    ),
  ];
}

function divergenceLines({ summary, left, right, members, membersTotal, effects, ...places }: RunDivergence): string[] {
  return [
    '',
    `${pc.bold('Where they part')}: ${visibleLine(summary)}${placesText(places)}`,
    ...(left === undefined ? [] : [`  left  #${left.sequence}  ${visibleLine(left.text)}`]),
    ...(right === undefined ? [] : [`  right #${right.sequence}  ${visibleLine(right.text)}`]),
    ...memberLines({ members, membersTotal }, '  '),
    ...effectLines('left', effects.left),
    ...effectLines('right', effects.right),
  ];
}

function memberLines({ members, membersTotal = members.length }: ListedMembers, indent: string): string[] {
  const shown = firstMembers(members, tuning.differencesListed);
  const lines = shown.map((member) => {
    const line = indent + pair(memberName(member.path), ...memberTexts(member));
    return member.isCut ? `${line} ${pc.dim('(cut)')}` : line;
  });
  return membersTotal > shown.length ? [...lines, `${indent}  and ${counted(membersTotal - shown.length, 'more member')}`] : lines;
}
interface ListedMembers {
  members: readonly ComparedMember[];
  membersTotal?: number | undefined;
}

/** What the other side has as well is no consequence of the difference. */
function effectLines(side: string, { total, shown }: ComparedEffects): string[] {
  const own = shown.filter(({ inBoth }) => !inBoth);
  if (total === 0) return [];
  const inBoth = shown.length - own.length;
  const listed = own.slice(0, tuning.differencesListed);
  const more = total - listed.length - inBoth;
  return [
    `  ${pc.bold(`What followed on the ${side}`)}: ${counted(total, 'entry', 'entries')}${inBoth > 0 ? `, ${inBoth} of them on both sides` : ''}`,
    ...listed.map(({ sequence, text }) => `    #${sequence}  ${visibleLine(text)}`),
    ...(more > 0 ? [`    and ${grouped(more)} more`] : []),
  ];
}

function rowLines({ changed, onlyLeft, onlyRight, shown }: ComparedRows): string[] {
  const total = changed + onlyLeft + onlyRight;
  if (total === 0) return [];
  const listed = shown.slice(0, tuning.differencesListed);
  const sign = { only_left: '-', only_right: '+', changed: '~' };
  return [
    ...section(
      `Rows at the end that differ: ${changed} changed, ${onlyLeft} only left, ${onlyRight} only right`,
      listed.flatMap((row) => [
        `  ${sign[row.kind]} ${visibleLine(rowText(row))}${placesText(row)}`,
        ...(row.kind === 'changed' ? memberLines(row, '    ') : []),
      ]),
    ),
    ...(total > listed.length ? [`  and ${counted(total - listed.length, 'more row')}`] : []),
  ];
}

const signs: { [kind in RunDifference['kind']]: string } = { only_left: '-', only_right: '+', changed: '~', moved: '>' };

function differenceLines({
  same,
  otherKeys,
  changed,
  moved,
  onlyLeft,
  onlyRight,
  isComplete,
  shown,
}: NonNullable<RunComparison['differences']>): string[] {
  const facts = [`${grouped(same)} same`, `${changed} changed`, `${moved} moved`, `${onlyLeft} only left`, `${onlyRight} only right`];
  const all = changed + moved + onlyLeft + onlyRight;
  const lines = shown.slice(0, tuning.differencesListed).map(({ kind, left, right, summary }) => {
    const places = placesText({ ...(left && { leftSequence: left.sequence }), ...(right && { rightSequence: right.sequence }) });
    return `  ${signs[kind]} ${visibleLine(summary)}${places}`;
  });
  return [
    ...section(`Turns: ${facts.join(', ')}`, lines, true),
    ...(otherKeys === undefined ? [] : [`  ${otherKeysText(otherKeys)}`]),
    ...(all > lines.length ? [`  and ${counted(all - lines.length, 'more difference')}`] : []),
    ...(isComplete ? [] : ['  The journals are too long to be aligned to their ends.']),
  ];
}

function pair(name: string, left: string, right: string): string {
  const [one, other] = cutWhereTheyDiffer([left, right], tuning.comparedValueChars);
  return visibleLine(`  ${name}: ${one} | ${other}`);
}

function section(title: string, lines: readonly string[], always = false): string[] {
  return lines.length === 0 && !always ? [] : ['', pc.bold(title), ...lines];
}

function placesText({ leftSequence, rightSequence }: { leftSequence?: number; rightSequence?: number }): string {
  const places = [
    ...(leftSequence === undefined ? [] : [`left #${leftSequence}`]),
    ...(rightSequence === undefined ? [] : [`right #${rightSequence}`]),
  ];
  return places.length === 0 ? '' : pc.dim(` (${places.join(', ')})`);
}
