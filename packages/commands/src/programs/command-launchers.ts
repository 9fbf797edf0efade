import { opaque, type LauncherRule } from "./launcher.ts";

/** Their arguments may be commands, which are not analyzed. */
const LAUNCHERS: Readonly<Record<string, string>> = {
  "runs what it is given as shell code":
    "eval source . trap coproc bind complete compgen fc history mapfile readarray enable hash alias unalias",
  "replaces the shell by another program": "exec",
  "is a way around functions and builtins of the shell": "command builtin",
  "builds commands from what it reads": "xargs parallel rush",
  "runs commands as somebody else or with other rights":
    "sudo sudoedit su doas pkexec runuser run0 setpriv capsh sg newgrp gosu su-exec sudo-rs please calife machinectl " +
    "aa-exec runcon uclampset",
  "runs commands in another place":
    "chroot unshare nsenter ip bwrap firejail proot fakeroot fakechroot schroot systemd-nspawn lxc-attach " +
    "lxc-execute runc crun distrobox toolbox virsh",
  "runs commands on another machine":
    "ssh slogin rsh rlogin mosh pssh autossh sshpass ssh-agent ssh-copy-id telnet plink pscp psftp ncftp pdsh clush " +
    "fab ansible ansible-console ansible-pull ansible-test puppet chef knife salt",
  "runs commands beside this session":
    "setsid systemd-run at batch crontab screen tmux tmate byobu dtach abduco disown daemonize start-stop-daemon " +
    "systemd-cat systemd-inhibit gpg-agent openvt agetty getty xterm uxterm urxvt x-terminal-emulator gnome-terminal konsole alacritty kitty wezterm foot",
  "writes a file beside starting the command it is given": "nohup flock lckdo logsave",
  "starts the command it is given":
    "env nice timeout time stdbuf ionice taskset chrt numactl prlimit cgexec unbuffer expect script scriptlive " +
    "watch viddy watchexec watchman entr nodemon forever pm2 supervisor direnv dotenv dbus-run-session xvfb-run " +
    "catchsegv strace ltrace uftrace bpftrace trace-cmd valgrind perf gdb lldb rr heaptrack scanmem crash " +
    "caffeinate xcrun arch setarch linux32 linux64 run-parts hyperfine multitime faketime eatmydata torsocks " +
    "proxychains tsocks choom cpulimit lockf setlock chpst softlimit setuidgid envdir envuidgid s6-setuidgid " +
    "execlineb with-contenv tini dumb-init rlwrap grc distcc ccache sccache icecc xdg-open xdg-user-dir " +
    "run-mailcap open gtk-launch gio dex osascript winpty wine wsl retry chronic concurrently cross-env env-cmd sem " +
    "pee nix-shell msgexec msgfilter debconf ldd pg_ctl pg_ctlcluster initdb",
  "has programs of the system act for it":
    "dbus-send gdbus busctl qdbus mount umount mount.fuse fusermount sshfs insmod modprobe logrotate dhclient " +
    "openvpn dnsmasq pppd rsyslogd cupsfilter",
  "holds many programs in one, shells among them": "busybox toybox",
  "loads the program it is given": "ld.so",
  "fetches and runs a package that its arguments name": "npx pnpx bunx uvx pipx",
  "has a language that can start other programs":
    "goawk gs ghostscript ginsh gimp blender latex pdflatex xelatex lualatex luatex " +
    "pdftex xetex tex etex dvips cobc postgres",
  "can be told by its input to start other programs":
    "vi vim vim.basic vim.tiny vim.nox gvim nvim view rview vimdiff rvim vipw vigr visudo ex ed red emacs emacsclient " +
    "nano pico joe mcedit micro helix hx kak less more most man info pg w3m lynx mutt mail mailx ftp lftp top htop ncdu " +
    "tig lazygit fzf sk ranger mc dc aspell ispell minicom slsh bashdb jdb sqlite duckdb psql mysql mariadb mongo mongosh " +
    "mycli pgcli litecli usql sqlplus clickhouse-client socat vimtutor perldoc instmodsh editor pager " +
    "sensible-editor sensible-pager sensible-browser sensible-terminal",
};

/** Splitting the texts would be slower than all look-ups of a line. */
function reasonOf(name: string): string | undefined {
  if (name.includes(" ")) return undefined;
  return Object.keys(LAUNCHERS).find((reason) => ` ${LAUNCHERS[reason]} `.includes(` ${name} `));
}

export const launcher: LauncherRule = (name) => {
  const reason =
    reasonOf(name) ??
    (/^(?:ld-(?:linux|musl)|qemu-|busybox|toybox|g?vim\.|emacs-)/.test(name)
      ? "runs the program it is given"
      : undefined);
  return reason === undefined ? undefined : opaque(`${name} ${reason}`);
};
