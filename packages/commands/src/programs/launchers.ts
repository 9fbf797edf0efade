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
  "runs commands on another machine":
    "ssh slogin rsh rlogin mosh pssh autossh sshpass ssh-agent ssh-copy-id telnet ansible",
  "runs commands beside this session":
    "setsid systemd-run at batch crontab screen tmux dtach abduco nohup disown daemonize start-stop-daemon xterm " +
    "gnome-terminal konsole alacritty kitty wezterm",
  "starts the command it is given":
    "env nice timeout time flock stdbuf ionice taskset chrt numactl prlimit cgexec unbuffer expect script scriptlive " +
    "watch watchexec entr nodemon direnv dotenv dbus-run-session xvfb-run catchsegv strace ltrace valgrind perf gdb lldb " +
    "rr heaptrack caffeinate xcrun arch setarch linux32 linux64 run-parts hyperfine faketime eatmydata torsocks " +
    "proxychains tsocks choom lockf chpst softlimit setuidgid s6-setuidgid execlineb with-contenv tini dumb-init " +
    "xdg-open open osascript winpty wine wsl retry chronic concurrently cross-env sem pee nix-shell",
  "holds many programs in one, shells among them": "busybox toybox",
  "loads the program it is given": "ld.so",
  "fetches and runs a package that its arguments name": "npx pnpx bunx uvx pipx",
  "has a language that can start other programs": "awk gawk mawk nawk original-awk",
  "can be told by its input to start other programs":
    "vi vim vim.basic vim.tiny vim.nox nvim view vimdiff rvim ex ed red emacs emacsclient nano pico joe mcedit micro helix hx kak less more most man " +
    "info pg w3m lynx mutt mail mailx ftp lftp top htop tig lazygit fzf sk ranger mc dc sqlite duckdb psql mysql mariadb " +
    "mongo mongosh socat",
};

const REASONS = new Map(
  Object.entries(LAUNCHERS).flatMap(([reason, names]) =>
    names.split(" ").map((name) => [name, reason] as const),
  ),
);

export const launcher: CarrierRule = (name) => {
  const reason =
    REASONS.get(name) ??
    (/^(?:ld-(?:linux|musl)|qemu-|busybox|toybox)/.test(name) ? "runs the program it is given" : undefined);
  return reason === undefined ? undefined : opaque(`${name} ${reason}`);
};
