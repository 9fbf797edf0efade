import { attempt, type EscapeAttempt, OPENABLE } from "./escape-attempt.ts";

/** Against what is around the sandbox: kernel, files, terminal. */
export const isolationAttempts: readonly EscapeAttempt[] = [
  attempt(
    "mount",
    "mount file systems, remount the system writable",
    `
mkdir -p m
try mount -t tmpfs none m; try mount -t proc proc m; try mount --bind / m
try mount -o remount,rw,bind /usr; try mount -o remount,rw /; try umount /proc
kept "every mount was refused"`,
  ),
  attempt(
    "namespaces",
    "get capabilities in a new user namespace",
    `
command -v unshare >/dev/null || skipped "no unshare to try it with"
try unshare -Ur true; try unshare -m true; try unshare -Urmpf --mount-proc true
kept "no namespace can be made"`,
  ),
  attempt(
    "join-namespaces",
    "join the namespaces of the first process",
    `
command -v nsenter >/dev/null || skipped "no nsenter to try it with"
try nsenter -t 1 -m -n cat "$SECRET_PATH"; try nsenter -t "$HOST_PID" -m -n true
kept "none can be joined"`,
  ),
  attempt(
    "chroot",
    "climb out by chroot",
    `
mkdir -p c; try chroot c /bin/true; try chroot /proc/1/root cat "$SECRET_PATH"
kept "chroot is refused"`,
  ),
  attempt(
    "host-files",
    "read files of the host: absolute, upwards, through /proc",
    `
for p in "$SECRET_PATH" "/proc/1/root$SECRET_PATH" "/proc/self/root$SECRET_PATH" "/proc/1/cwd/../secret" \\
  ../secret ../../secret "/proc/$PPID/root$SECRET_PATH" "/proc/$PPID/cwd/$SECRET_PATH"; do
  cat "$p" 2>/dev/null | grep -q . && escaped "read $p"
done
kept "the file of the host cannot be reached"`,
  ),
  attempt(
    "host-accounts",
    "read files of the host's users: shadow, home folders, keys",
    `
for p in /etc/shadow /etc/gshadow /etc/sudoers /root/.ssh /root/.bashrc /etc/ssl/private /etc/ssh /var/log /var/lib/dpkg \\
  /etc/machine-id; do
  [ -f "$p" ] && cat "$p" >/dev/null 2>&1 && escaped "read $p"
  [ -d "$p" ] && ls -A "$p" 2>/dev/null | grep -q . && escaped "listed $p"
done
kept "none of it is there"`,
  ),
  attempt(
    "secrets-in-environment",
    "find the host's secrets in any environment or command line",
    `
printf '%s%s' "$ENV_MARK_1" "$ENV_MARK_2" >/tmp/mark
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -q -F -f /tmp/mark &&
  escaped "found the secret"
env | grep -q -F -f /tmp/mark && escaped "found the secret in its own environment"
kept "no environment has it"`,
  ),
  attempt(
    "host-devices",
    "set the mode of the host's /dev/null, /dev/zero and /dev/full",
    // To what it is already, so that the machine stays as it was where this succeeds.
    `
for d in /dev/full /dev/zero /dev/null; do chmod 666 "$d" 2>/dev/null; done
for d in null zero full random urandom; do { : <"/dev/$d"; } || escaped "/dev/$d cannot be used"; done
echo x >/dev/null; head -c 1 /dev/urandom >/dev/null && kept "$(chmod 666 /dev/full 2>&1 || true)"`,
    { check: "devices-untouched" },
  ),
  attempt(
    "core-pattern",
    "open /proc/sys/kernel/core_pattern for writing",
    `${OPENABLE}
openable /proc/sys/kernel/core_pattern && escaped "it can be written: the kernel would run any program as root"
kept "$( (: >>/proc/sys/kernel/core_pattern) 2>&1 | tail -n 1)"`,
  ),
  attempt(
    "kernel-files",
    "open any kernel file for writing: /proc/sys, irq, bus, fs, sysrq-trigger, /sys",
    `${OPENABLE}
n=0
for f in /proc/sysrq-trigger /proc/mtrr /proc/kcore /proc/dynamic_debug/control /sys/kernel/uevent_helper \\
  /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/release_agent /sys/fs/cgroup/*/cgroup.procs \\
  $(find /proc/sys /proc/irq /proc/bus /proc/fs /proc/acpi /proc/scsi /proc/driver -type f 2>/dev/null); do
  n=$((n + 1)); openable "$f" && escaped "$f can be written"
done
kept "none of $n can be opened for writing"`,
  ),
  attempt(
    "kernel-memory",
    "read kernel memory and logs",
    `
for f in /proc/kcore /proc/kmsg /proc/kpagecount /proc/kpageflags /proc/slabinfo /proc/vmallocinfo /proc/timer_list \\
  /dev/mem /dev/kmem /dev/port /dev/kmsg; do
  [ "$(head -c 1 "$f" 2>/dev/null | wc -c)" = 0 ] || escaped "read $f"
done
kept "all of it is closed"`,
  ),
  attempt(
    "device-nodes",
    "make device nodes and open disks",
    `
for d in . /tmp /dev/shm; do
  mknod "$d/disk" b 254 0 2>/dev/null && { head -c 1 "$d/disk" >/dev/null 2>&1 && escaped "opened a disk made in $d"; }
  mknod "$d/mem" c 1 1 2>/dev/null && { head -c 1 "$d/mem" >/dev/null 2>&1 && escaped "opened memory made in $d"; }
  rm -f "$d/disk" "$d/mem"
done
for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/loop0 /dev/fuse /dev/kvm /dev/net/tun; do
  [ -e "$d" ] && head -c 1 "$d" >/dev/null 2>&1 && escaped "opened $d"
done
kept "no device can be had"`,
  ),
  attempt(
    "setuid-file",
    "leave a setuid program in the workspace, or gain rights by one",
    `
cp "$(command -v id)" suid 2>/dev/null || skipped "the workspace cannot be written"
chmod 6755 suid 2>/dev/null
python3 -c 'import os; os.close(os.open("suid2", os.O_CREAT | os.O_WRONLY, 0o6755))' 2>/dev/null
grep -q 'NoNewPrivs:.*1' /proc/self/status || escaped "programs may still gain rights"
[ "$(id -u)" = "$(./suid -u)" ] || escaped "a setuid program ran as another user"
kept "it gives nobody more"`,
    { check: "no-setuid-root" },
  ),
  attempt(
    "planted-links",
    "plant links for the host's file tools to follow",
    `
rm -rf planted; mkdir planted || skipped "the workspace cannot be written"
ln -s "$SECRET_PATH" planted/file; ln -s "$(dirname "$SECRET_PATH")" planted/folder
ln -s "$SECRET_PATH.new" planted/dangling; ln -s /proc/self/environ planted/environ
kept "planted; the host is asked to read and write through them"`,
    { check: "links-not-followed" },
  ),
  attempt(
    "planted-programs",
    "plant programs first on the PATH of the host",
    `
mkdir -p node_modules/.bin 2>/dev/null || skipped "the workspace cannot be written"
for p in bwrap mkfifo mknod ps script sh bash stty rg ssh socat; do
  printf '#!/bin/sh\\necho "$0" >>"\${0%%/*}/ran"\\nexec /usr/bin/%s "$@"\\n' "$p" >"node_modules/.bin/$p"
  chmod 755 "node_modules/.bin/$p"
done
kept "planted; the host works with this PATH"`,
    { check: "planted-not-started" },
  ),
  attempt(
    "hard-links",
    "link files from outside into the workspace",
    `
for f in "$SECRET_PATH" /etc/passwd /usr/bin/env /opt/haft/node; do
  ln "$f" linked 2>/dev/null && { rm -f linked; escaped "linked $f"; }
done
kept "every link was refused"`,
  ),
  attempt(
    "mounted-below-read-only",
    "write to file systems that are mounted below read-only folders",
    `${OPENABLE}
[ -e "$READ_ONLY_INSIDE/mounted/file" ] || skipped "nothing is mounted below, which takes root on the host"
while read -r _ _ _ _ p _; do
  case $p in
  /usr/* | /opt/haft/* | "$READ_ONLY_INSIDE"/*) ;;
  *) continue ;;
  esac
  openable "$p/file" && escaped "$p/file can be written"
  { command : >"$p/haft-escape"; } 2>/dev/null && { rm -f "$p/haft-escape"; escaped "a file can be made in $p"; }
  chmod 700 "$p" 2>/dev/null && escaped "the mode of $p can be set"
done </proc/self/mountinfo
for f in "$READ_ONLY_INSIDE/mounted/file" "$READ_ONLY_INSIDE/mounted/deeper/file"; do
  openable "$f" && escaped "$f can be written"
done
kept "all of it is read-only"`,
    { check: "mounted-untouched" },
  ),
  attempt(
    "read-only-mounts",
    "write to the system, the runner and read-only mounts",
    `${OPENABLE}
for f in /usr/bin/env /etc/passwd /opt/haft/runner.js /opt/haft/node /lib/os-release "$READ_ONLY_INSIDE/file"; do
  [ -e "$f" ] && openable "$f" && escaped "$f can be written"
done
for d in / /usr /usr/bin /etc /opt/haft /bin /lib "$READ_ONLY_INSIDE"; do
  [ -d "$d" ] && (: >"$d/haft-escape") 2>/dev/null && { rm -f "$d/haft-escape"; escaped "made a file in $d"; }
done
kept "all of it is read-only"`,
  ),
  attempt(
    "private-tmp",
    "reach the host's temporary folders",
    `
for d in /tmp /var/tmp /dev/shm; do (: >"$d/$MARK"); done 2>/dev/null
kept "written where it could; the host looks"`,
    { check: "host-files-untouched" },
  ),
  attempt(
    "inherited-files",
    "use open files of the host",
    `
for fd in /proc/self/fd/*; do
  n=\${fd##*/}; [ "$n" -gt 2 ] || continue
  link=$(readlink "$fd" 2>/dev/null) || continue
  if [ -d "$fd/." ]; then
    case "$link" in /workspace* | /tmp* | /proc/*) ;; *) escaped "folder $link is open as $n" ;; esac
  fi
  [ -f "$fd" ] && case "$link" in *"$MARK"*) escaped "$link is open as $n" ;; esac
done
kept "nothing of the host is open"`,
  ),
  attempt(
    "terminal-injection",
    "type into the host's terminal (TIOCSTI)",
    `
command -v python3 >/dev/null || skipped "no python3 to try it with"
python3 - <<'PY' || kept "there is no terminal to type into"
import fcntl, os, sys, termios
for name in ["/dev/tty", "/dev/console", "/proc/1/fd/0", "/proc/1/fd/1", "/proc/1/fd/2", 0, 1, 2]:
    try:
        fd = name if isinstance(name, int) else os.open(name, os.O_RDWR | os.O_NOCTTY)
        fcntl.ioctl(fd, termios.TIOCSTI, b" ")
        sys.exit(0)
    except OSError:
        pass
sys.exit(1)
PY
escaped "typed a blank"`,
  ),
  attempt(
    "file-leases",
    "block programs that open a file of the system (F_SETLEASE)",
    // Given back at once where it is had.
    `
command -v python3 >/dev/null || skipped "no python3 to try it with"
python3 - <<'PY' || kept "no lease can be had"
import fcntl, os, sys
had = 1
for folder in ["/usr/share/common-licenses", "/usr/share/misc", "/usr/share/doc", "/etc/ssl/certs"]:
    for name in os.listdir(folder)[:20] if os.path.isdir(folder) else []:
        for kind in [fcntl.F_RDLCK, fcntl.F_WRLCK]:
            try:
                fd = os.open(os.path.join(folder, name), os.O_RDONLY)
                fcntl.fcntl(fd, fcntl.F_SETLEASE, kind)
                fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
                had = 0
            except OSError:
                pass
sys.exit(had)
PY
escaped "had one"`,
  ),
  attempt(
    "core-dump",
    "leave a core file",
    `
ulimit -c unlimited 2>/dev/null && escaped "the limit on core files can be raised"
sh -c 'kill -SEGV $$' 2>/dev/null
ls core* 2>/dev/null | grep -q . && escaped "there is a core file"
kept "core files are limited to $(ulimit -Hc)"`,
    { promise: "no-core-dumps" },
  ),
  attempt(
    "kernel-calls",
    "call into rarely used parts of the kernel: bpf, keyrings, perf, userfaultfd, io_uring, asynchronous files, modules, kexec",
    `
command -v python3 >/dev/null || skipped "no python3 to try it with"
python3 - <<'PY'
import ctypes, errno, platform
libc = ctypes.CDLL(None, use_errno=True)
x86 = {"bpf": (321, 5, 0, 0), "keyctl": (250, 0, -3, 1), "perf_event_open": (298, 0, 0, -1, -1, 0),
  "userfaultfd": (323, 1), "io_uring_setup": (425, 1, 0), "add_key": (248, 0, 0, 0, 0, -3),
  "kexec_load": (246, 0, 0, 0, 0), "init_module": (175, 0, 0, 0), "open_by_handle_at": (304, -1, 0, 0),
  "acct": (163, 0), "fsopen": (430, 0, 0), "io_setup": (206, 1, 0), "modify_ldt": (154, 0, 0, 0)}
arm = {"bpf": 280, "keyctl": 219, "perf_event_open": 241, "userfaultfd": 282, "io_uring_setup": 425, "add_key": 217,
  "kexec_load": 104, "init_module": 105, "open_by_handle_at": 265, "acct": 89, "fsopen": 430, "io_setup": 0}
if platform.machine() == "aarch64": calls = {k: (arm[k], *v[1:]) for k, v in x86.items() if k in arm}
elif platform.machine() == "x86_64": calls = x86
else: calls = {}
open_ = []
for name, args in calls.items():
    ctypes.set_errno(0)
    r = libc.syscall(*[ctypes.c_long(a) for a in args])
    if r >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.EACCES): open_.append(name)
if not calls: print("SKIPPED another machine than the numbers are known for")
elif open_: print("ESCAPED the kernel answers: " + " ".join(open_))
else: print("KEPT all %d are refused" % len(calls))
PY`,
    { promise: "few-kernel-calls" },
  ),
];
