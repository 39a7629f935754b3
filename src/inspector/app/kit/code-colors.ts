// Enough of a lexer to color a line of TypeScript, JavaScript, JSON or YAML. Wrong at worst in color: the text is always the file's own.
import { visibleText } from '../../../text/visible-text.js';
import { tuning } from '../../tuning.js';

export interface CodePiece {
  text: string;
  kind: '' | 'comment' | 'string' | 'number' | 'word';
}

const words =
  'as|async|await|break|case|catch|class|const|continue|default|delete|do|else|export|extends|false|finally|for|from|function|if|import|in|instanceof|interface|let|new|null|of|return|satisfies|static|super|switch|this|throw|true|try|type|typeof|undefined|var|void|while|yield';
const tokens = new RegExp(
  `(\\/\\/.*$|^\\s*(?:\\/\\*|\\*).*$|^\\s*#.*$)|("(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\`)|\\b(\\d[\\d_.]*)\\b|\\b(${words})\\b`,
  'g',
);

export function colorCode(line: string): CodePiece[] {
  if (line.length > tuning.coloredLineCharsMax) return [{ text: visibleText(line), kind: '' }];
  const pieces: CodePiece[] = [];
  let from = 0;
  for (const match of line.matchAll(tokens)) {
    if (match.index > from) pieces.push({ text: visibleText(line.slice(from, match.index)), kind: '' });
    const kind = match[1] !== undefined ? 'comment' : match[2] !== undefined ? 'string' : match[3] !== undefined ? 'number' : 'word';
    pieces.push({ text: visibleText(match[0]), kind });
    from = match.index + match[0].length;
  }
  if (from < line.length) pieces.push({ text: visibleText(line.slice(from)), kind: '' });
  return pieces;
}
