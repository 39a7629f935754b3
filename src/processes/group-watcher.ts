// Ends process groups when this process is killed, which it cannot see itself: a shell in a session of its own hears of each group through
// a pipe, and sees the end of this process as the end of that pipe. One serves all groups; it starts after the first, whose start does not
// wait for it: of the first command of a run it costs 4 ms (110 to 114 of the fastest of 30), of later ones nothing.
//   GROUP-WATCHER-1. A group whose number has become another's is left alone: its first process must have begun when ours did.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Reads lines `+ GROUP` and `- GROUP`; its argument is the folder of processes. Where the system has none, as on macOS, no group is known
 * to be another's. A first process that has ended keeps its number from others for as long as its group has members.
 */
export const watcherScript = `
set -f
begin() { start=; read -r stat <"$processes/$1/stat" && set -- \${stat##*) } && start=\${20}; }
processes=$1 left=' '
while read -r sign group; do
  case $sign$left in
    +*) begin $group; left="$left$group:$start " ;;
    -*" $group:"*) rest=\${left#*" $group:"}; left="\${left%%" $group:"*} \${rest#* }" ;;
  esac
done
for one in $left; do
  group=\${one%%:*}
  begin $group
  if [ -z "$start" ] || [ "$start" = "\${one#*:}" ]; then kill -s KILL -- -$group; fi
done`;

const groups = new Set<number>();
let watcher: ChildProcess | undefined;

/** The group is ended when this process is killed, unless what is returned has been called before. */
export function watchGroup(group: number): () => void {
  groups.add(group);
  if (watcher === undefined) startWatcher();
  else send('+', group);
  return () => {
    groups.delete(group);
    send('-', group);
  };
}

/** Where it cannot start or has been ended, the next group starts another. */
function startWatcher(): void {
  const stdio = ['pipe', 'ignore', 'ignore'] as const;
  let started: ChildProcess;
  try {
    started = spawn('/bin/sh', ['-c', watcherScript, 'sh', '/proc'], { cwd: '/', env: {}, stdio: [...stdio], detached: true });
  } catch {
    return;
  }
  watcher = started;
  const forget = (): void => {
    if (watcher === started) watcher = undefined;
  };
  started.once('error', forget).once('exit', forget).unref();
  started.stdin?.on('error', () => {});
  (started.stdin as Socket | null | undefined)?.unref();
  for (const each of groups) send('+', each);
}

function send(sign: '+' | '-', group: number): void {
  watcher?.stdin?.write(`${sign} ${group}\n`);
}
