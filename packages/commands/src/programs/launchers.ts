import { opaque, type CarrierRule } from "./carrier.ts";

/** Programs whose arguments are commands. Nothing here is looked through. */
const LAUNCHERS: Readonly<Record<string, string>> = {
  "runs what it is given as shell code":
    "eval source . trap coproc bind complete compgen fc history mapfile readarray enable hash alias unalias",
  "replaces the shell by another program": "exec",
  "is a way around functions and builtins of the shell": "command builtin",
  "builds commands from what it reads": "xargs parallel rush",
  "runs commands as somebody else or with other rights":
    "sudo sudoedit su doas pkexec runuser run0 setpriv capsh sg newgrp gosu su-exec sudo-rs please calife machinectl",
  "runs commands in another place": "chroot unshare nsenter ip bwrap firejail proot fakeroot fakechroot",
  "runs commands on another machine": "ssh slogin rsh rlogin mosh pssh autossh sshpass telnet",
  "runs commands beside this session":
    "setsid systemd-run at batch crontab screen tmux dtach abduco nohup disown daemonize start-stop-daemon",
  "starts the command it is given":
    "env nice timeout time flock stdbuf ionice taskset chrt numactl prlimit cgexec unbuffer expect script scriptlive " +
    "watch watchexec entr nodemon direnv dotenv dbus-run-session xvfb-run catchsegv strace ltrace valgrind perf gdb lldb " +
    "rr heaptrack caffeinate xcrun arch setarch linux32 linux64 run-parts hyperfine faketime eatmydata torsocks " +
    "proxychains tsocks choom lockf chpst softlimit setuidgid s6-setuidgid execlineb with-contenv tini dumb-init " +
    "xdg-open open osascript winpty wine wsl retry chronic ts-node-dev concurrently cross-env sem pee",
  "holds many programs in one, shells among them": "busybox toybox",
  "loads the program it is given": "ld.so ld-linux ld-linux-x86-64.so ld-linux-aarch64.so ld-musl-x86_64.so",
  "fetches and runs a package that its arguments name": "npx pnpx bunx uvx pipx",
};

const REASONS = new Map(
  Object.entries(LAUNCHERS).flatMap(([reason, names]) =>
    names.split(" ").map((name) => [name, reason] as const),
  ),
);

export const launcher: CarrierRule = (name) => {
  const reason =
    REASONS.get(name) ?? (/^ld-(?:linux|musl)/.test(name) ? "loads the program it is given" : undefined);
  return reason === undefined ? undefined : opaque(`${name} ${reason}`);
};
