// Shell completion: a script for each shell, made from the commands' own definitions. Only ids of the project are asked for while typing.
import type { Argument, Command, Option } from 'commander';
import { reporterNames } from './reporter-list.js';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];
/** What `drillyard complete` lists. */
export const listedKinds = ['drills', 'suites', 'targets', 'tags', 'library', 'runs'] as const;
/** Of those, what can as well be a folder. */
const orFolders: ReadonlySet<ListedKind> = new Set(['library', 'runs']);
export type ListedKind = (typeof listedKinds)[number];

/** What may stand in a place. */
type Fill =
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'listed'; list: ListedKind }
  | { kind: 'files' }
  | { kind: 'folders' }
  | { kind: 'free' };
interface OptionFill {
  names: string[];
  description: string;
  /** Absent: it takes no value. */
  value?: Fill;
}
interface Place {
  /** `report verify`; empty for the program itself. */
  path: string;
  commands: { name: string; description: string }[];
  options: OptionFill[];
  argument: Fill;
}

const listed: { [name: string]: ListedKind } = {
  '--suite': 'suites',
  '--tag': 'tags',
  drills: 'drills',
  package: 'library',
  report: 'runs',
  run: 'runs',
  reports: 'runs',
  left: 'runs',
};

export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, '');
  return shell === 'fish' ? fishScript(places) : caseScript(places, shell);
}

function placesOf(command: Command, path: string): Place[] {
  const visible = command
    .createHelp()
    .visibleCommands(command)
    .filter((sub) => sub.name() !== 'help');
  const options = command.createHelp().visibleOptions(command).map(optionOf);
  const first = command.registeredArguments[0];
  const place: Place = {
    path,
    commands: visible.map((sub) => ({ name: sub.name(), description: sub.description() })),
    options,
    argument: first === undefined ? { kind: 'free' } : argumentFill(first),
  };
  return [place, ...visible.flatMap((sub) => placesOf(sub, path === '' ? sub.name() : `${path} ${sub.name()}`))];
}

function optionOf(option: Option): OptionFill {
  const names = [option.long, option.short].filter((name) => name !== undefined && name !== null) as string[];
  const takes = option.required || option.optional;
  return { names, description: option.description, ...(takes ? { value: optionFill(option) } : {}) };
}

function optionFill({ long, flags, argChoices }: Option): Fill {
  if (argChoices !== undefined) return { kind: 'words', words: argChoices };
  if (long === '--reporter') return { kind: 'words', words: reporterNames };
  const list = listed[long ?? ''];
  if (list !== undefined) return { kind: 'listed', list };
  return /<folder>/.test(flags) ? { kind: 'folders' } : /<file>/.test(flags) ? { kind: 'files' } : { kind: 'free' };
}

function argumentFill(argument: Argument): Fill {
  if (argument.argChoices !== undefined) return { kind: 'words', words: argument.argChoices };
  const list = listed[argument.name()];
  if (list !== undefined) return { kind: 'listed', list };
  return argument.name() === 'folder' ? { kind: 'folders' } : { kind: 'free' };
}

/** bash and zsh differ in how words are numbered and candidates are given; the rest is one script. */
function caseScript(places: readonly Place[], shell: 'bash' | 'zsh'): string {
  const steps = places.filter(({ path }) => path !== '').map(({ path }) => quote(stepOf(path)));
  const values = places.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) =>
      value === undefined ? [] : [`    ${names.map((name) => quote(`${path}:${name}`)).join('|')}) ${fill(value)}; return ;;`],
    ),
  );
  const flags = places.map(
    ({ path, options }) => `      ${quote(path)}) _drillyard_words ${quote(options.flatMap(({ names }) => names).join(' '))} ;;`,
  );
  const words = places.map(({ path, commands, argument }) => {
    const names = commands.map(({ name }) => name);
    const subs = names.length === 0 ? '' : `_drillyard_words ${quote(names.join(' '))}; `;
    // `drillyard first-ticket` is `drillyard run first-ticket`.
    return `      ${quote(path)}) ${subs}${path === '' ? fill({ kind: 'listed', list: 'drills' }) : fill(argument)} ;;`;
  });
  return `${heads[shell]}
_drillyard_list() { _drillyard_words "$(drillyard complete "$1" --root "\${root/#\\~/$HOME}" \${config:+--config} \${config:+"\${config/#\\~/$HOME}"} 2>/dev/null)"; }
_drillyard() {
  local place='' root=. config='' word before='' index
${locals[shell]}
  for ((index = 1; index < count; index++)); do
    word="\${line[index + ${shell === 'zsh' ? 1 : 0}]}"
    case "$place $word" in
      ${steps.join('|')}) place="\${place:+$place }$word" ;;
    esac
    case "$before" in
      --root) root="$word" ;;
      --config) config="$word" ;;
    esac
    case "$word" in
      --root=*) root="\${word#*=}" ;;
      --config=*) config="\${word#*=}" ;;
    esac
    # bash takes --root=folder for three words.
    [[ "$word" == = ]] || before="$word"
  done
  case "$place:$previous" in
${values.join('\n')}
  esac
  if [[ "$current" == -* ]]; then
    case "$place" in
${flags.join('\n')}
    esac
  else
    case "$place" in
${words.join('\n')}
    esac
  fi
}
${ends[shell]}
`;
}

const heads = {
  bash: `# bash completion of drillyard. In ~/.bashrc: eval "$(drillyard completion bash)"
_drillyard_words() { COMPREPLY+=($(compgen -W "$1" -- "$current")); }
# As the other shells do: hidden ones only where a dot was typed.
_drillyard_paths() {
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do
    [[ "\${path##*/}" == .* && "\${current##*/}" != .* ]] || COMPREPLY+=("$path")
  done < <(compgen "$1" -- "$current")
}
_drillyard_folders() { _drillyard_paths -d; }
_drillyard_files() { _drillyard_paths -f; }`,
  zsh: `#compdef drillyard
# zsh completion of drillyard. In ~/.zshrc, after compinit: eval "$(drillyard completion zsh)"
_drillyard_words() { local -a candidates; candidates=(\${=1}); compadd -- $candidates; }
_drillyard_folders() { _files -/; }
_drillyard_files() { _files; }`,
};
const locals = {
  bash: `  local -a line=("\${COMP_WORDS[@]}")
  local count=$COMP_CWORD current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  [[ "$previous" == = ]] && previous="\${COMP_WORDS[COMP_CWORD - 2]}"
  [[ "$current" == = ]] && current=''
  COMPREPLY=()`,
  zsh: `  local -a line=("\${words[@]}")
  local count=$((CURRENT - 1)) current="\${words[CURRENT]}" previous="\${words[CURRENT - 1]}"
  if [[ "$current" == --*=* ]]; then
    previous="\${current%%=*}" current="\${current#*=}"
    compset -P '*='
  fi`,
};
const ends = { bash: 'complete -F _drillyard drillyard', zsh: 'compdef _drillyard drillyard' };

/** How the script meets a place: where it was, a space, the word. */
function stepOf(path: string): string {
  return path.includes(' ') ? path : ` ${path}`;
}

function fill(value: Fill): string {
  switch (value.kind) {
    case 'words':
      return `_drillyard_words ${quote(value.words.join(' '))}`;
    case 'listed':
      return `_drillyard_list ${value.list}${orFolders.has(value.list) ? '; _drillyard_folders' : ''}`;
    case 'folders':
      return '_drillyard_folders';
    case 'files':
      return '_drillyard_files';
    case 'free':
      return ':';
    default:
      return value satisfies never;
  }
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options, argument }) => {
    const here = `-n ${quote(`test (__drillyard_place) = "${path}"`)}`;
    return [
      ...commands.map(({ name, description }) => `complete -c drillyard -f ${here} -a ${name} -d ${quote(description)}`),
      ...options.map(({ names, description, value }) => {
        const spelled = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(' ');
        return `complete -c drillyard ${here} ${spelled}${value === undefined ? '' : ` -r ${fishFill(value)}`} -d ${quote(description)}`;
      }),
      `complete -c drillyard ${here} ${fishFill(path === '' ? { kind: 'listed', list: 'drills' } : argument)}`,
    ];
  });
  const steps = places.filter(({ path }) => path !== '').map(({ path }) => quote(stepOf(path)));
  return `# fish completion of drillyard. In ~/.config/fish/config.fish: drillyard completion fish | source
function __drillyard_place
    set -l place ''
    for word in (commandline -opc)[2..]
        switch "$place $word"
            case ${steps.join(' ')}
                set place (string trim "$place $word")
        end
    end
    echo $place
end
function __drillyard_list
    set -l place
    set -l before ''
    for word in (commandline -opc)
        switch $before
            case --root --config
                set place $place $before (string replace -r '^~' $HOME -- $word)
        end
        if string match -qr '^--(root|config)=' -- $word
            set place $place (string replace -r '=~' =$HOME -- $word)
        end
        set before $word
    end
    drillyard complete $argv[1] $place 2>/dev/null
end
${lines.join('\n')}
`;
}

function fishFill(value: Fill): string {
  if (value.kind === 'words') return `-f -a ${quote(value.words.join(' '))}`;
  if (value.kind === 'listed') {
    const folders = orFolders.has(value.list) ? '; __fish_complete_directories' : '';
    return `-f -a '(__drillyard_list ${value.list}${folders})'`;
  }
  if (value.kind === 'folders') return "-f -a '(__fish_complete_directories)'";
  return value.kind === 'files' ? '' : '-f';
}

/** As one word of any of the three shells; descriptions of ours hold no newline. */
function quote(text: string): string {
  return `'${text.replaceAll("'", '’').replaceAll('\\', '')}'`;
}
