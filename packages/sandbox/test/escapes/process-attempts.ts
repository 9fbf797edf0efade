import { attempt, type EscapeAttempt } from "./escape-attempt.ts";

/** Against other processes: those of the host, and the runner, which serves all commands. */
export const processAttempts: readonly EscapeAttempt[] = [
  attempt(
    "host-processes",
    "see or signal processes of the host",
    `
kill -0 "$HOST_PID" 2>/dev/null && escaped "signalled process $HOST_PID of the host"
printf '%s%s' "$PROCESS_MARK_1" "$PROCESS_MARK_2" >/tmp/mark
cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -q -F -f /tmp/mark &&
  escaped "saw a process of the host"
kept "only processes of the sandbox are there: $(ls -d /proc/[0-9]* | wc -l)"`,
  ),
  attempt(
    "ptrace-outside",
    "trace the first process and processes of others",
    `
command -v python3 >/dev/null || skipped "no python3 to try it with"
python3 - <<'PY' || kept "nothing outside can be traced"
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
host = int(os.environ["HOST_PID"])
sys.exit(0 if libc.ptrace(16, host, 0, 0) == 0 else 1)
PY
escaped "attached to a process of the host"`,
  ),
  attempt(
    "runner-memory",
    "open the memory, environment or files of the runner and its parents",
    // To read and write, which waits for nobody; and then neither is done.
    `
p=$PPID
while :; do
  for f in environ maps auxv; do { read -r line <"/proc/$p/$f" && escaped "read /proc/$p/$f"; } 2>/dev/null; done
  for f in "/proc/$p/mem" "/proc/$p/fd/0" "/proc/$p/fd/1" "/proc/$p/fd/2" "/proc/$p"/fd/*; do
    { command : <>"$f"; } 2>/dev/null && escaped "opened $f"
    readlink "$f" >/dev/null 2>&1 && escaped "saw what $f is"
  done
  [ "$p" = 1 ] && break
  parent=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$p/status")
  # The first process serves all, also those that were started from outside.
  [ "\${parent:-0}" -gt 0 ] && p=$parent || p=1
done
kept "all of them are closed"`,
  ),
  attempt(
    "runner-signals",
    "signal the runner or one of its threads, change its limits or its priority",
    `
for t in "$PPID" $(ls "/proc/$PPID/task"); do
  for p in "$t" -1; do kill -URG "$p" 2>/dev/null && escaped "signalled $p"; done
  command -v prlimit >/dev/null && prlimit --pid "$t" --core=0 2>/dev/null && escaped "set a limit of $t"
  command -v renice >/dev/null && renice -n 1 -p "$t" >/dev/null 2>&1 && escaped "set the priority of $t"
done
kept "none of its tasks: $(ls "/proc/$PPID/task" | wc -l)"`,
  ),
  attempt(
    "runner-debugger",
    "make the runner listen for a debugger (SIGUSR1)",
    `
listening() { cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -c ' 0A '; }
before=$(listening)
kill -USR1 "$PPID" 2>/dev/null || kept "the runner cannot be signalled"
for i in 1 2 3 4 5 6 7 8 9 10; do
  sleep 0.1
  [ "$(listening)" = "$before" ] || escaped "it listens"
done
kept "it does not listen"`,
  ),
];
