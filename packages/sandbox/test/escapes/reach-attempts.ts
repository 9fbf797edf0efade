import { attempt, type EscapeAttempt } from "./escape-attempt.ts";

/** `connects` takes what Python's `socket.connect` does. */
const CONNECT = `
command -v python3 >/dev/null || skipped "no python3 to try it with"
connects() {
  python3 - "$@" <<'PY'
import socket, sys
kind, where = sys.argv[1], sys.argv[2]
s = socket.socket(socket.AF_UNIX if kind == "unix" else socket.AF_INET, socket.SOCK_STREAM)
s.settimeout(2)
s.connect(where.replace("@", "\\0", 1) if kind == "unix" else (where.rsplit(":", 1)[0], int(where.rsplit(":", 1)[1])))
PY
}
`;

export const reachAttempts: readonly EscapeAttempt[] = [
  attempt(
    "host-loopback",
    "connect to services on the host's loopback and addresses",
    `${CONNECT}
try connects inet "127.0.0.1:$SERVICE_PORT"
for a in $SERVICE_ADDRESSES; do try connects inet "$a:$SERVICE_PORT"; done
kept "nobody answers"`,
    { promise: "no-network", check: "nobody-connected" },
  ),
  attempt(
    "dev-tcp",
    "connect with only bash (/dev/tcp)",
    `
command -v bash >/dev/null || skipped "no bash to try it with"
try bash -c "exec 3<>/dev/tcp/127.0.0.1/$SERVICE_PORT"
kept "nobody answers"`,
    { promise: "no-network", check: "nobody-connected" },
  ),
  attempt(
    "metadata-service",
    "reach the cloud's metadata and the internet",
    `${CONNECT}
try connects inet 169.254.169.254:80; try connects inet 192.0.2.1:80; try connects inet 100.100.100.200:80
ls /sys/class/net 2>/dev/null | grep -qv '^lo$' && escaped "there is a network interface"
n=$(tail -n +3 /proc/net/dev | grep -cv '^ *lo:'); [ "$n" = 0 ] || escaped "$n network interfaces besides lo"
kept "there is no interface but lo"`,
    { promise: "no-network" },
  ),
  attempt(
    "docker-socket",
    "reach the Docker socket and other sockets of the system",
    `
for s in /var/run/docker.sock /run/docker.sock /run/containerd/containerd.sock /run/dbus/system_bus_socket \\
  /run/systemd/private /run/user/*/bus "$SOCKET_PATH"; do
  [ -S "$s" ] && escaped "$s is there"
done
kept "none is there"`,
  ),
  attempt(
    "doors-in-folders",
    "reach servers and readers of the host by sockets and FIFOs in the workspace and in read-only folders",
    `${CONNECT}
for f in . "$READ_ONLY_INSIDE"; do
  for s in server.sock moved.sock; do try connects unix "$f/$s"; rm -f "$f/$s"; done
  [ -p "$f/fifo" ] && { echo hello >"$f/fifo"; } 2>/dev/null
done
kept "nobody answers or listens"`,
    { promise: "no-network", check: "nobody-connected" },
  ),
  attempt(
    "abstract-socket",
    "connect to abstract unix sockets of the host",
    `${CONNECT}
try connects unix "@$ABSTRACT_NAME"
grep -q -F "$ABSTRACT_NAME" /proc/net/unix && escaped "saw it"
kept "it is not there"`,
    { promise: "no-network", check: "nobody-connected" },
  ),
  attempt(
    "vsock",
    "reach the host of a virtual machine by a socket family without network namespaces",
    `
command -v python3 >/dev/null || skipped "no python3 to try it with"
python3 - <<'PY' || kept "the family is refused"
import socket
socket.socket(40, socket.SOCK_STREAM)
PY
escaped "such a socket can be made"`,
    { promise: "few-kernel-calls" },
  ),
  attempt(
    "fork-bomb",
    "start more processes than the limit",
    `
i=0; max=$((TASKS * 2)); : >/tmp/forked
(while [ $i -lt $max ]; do sleep 600 >/dev/null 2>&1 & echo $! >>/tmp/forked; i=$((i + 1)); done) 2>/tmp/complaint
n=0; while read -r pid; do kill -9 "$pid" 2>/dev/null && n=$((n + 1)); done </tmp/forked
[ "$n" -ge $((TASKS + 16)) ] && escaped "$n processes with a limit of $TASKS"
kept "it ended at $n of $TASKS"`,
    { promise: "tasks", mayDie: true },
  ),
  attempt(
    "memory-bomb",
    "use more memory than the limit",
    `
n=$( (head -c "$((MEMORY_MB * 3 / 2))M" /dev/zero | tail | wc -c) 2>/dev/null); n=\${n:-0}
[ "$n" -gt "$((MEMORY_MB * 1024 * 1024))" ] && escaped "$n bytes with a limit of $MEMORY_MB MiB"
kept "it was ended after $n bytes"`,
    { promise: "memory", mayDie: true },
  ),
  attempt(
    "disk-filling",
    "fill the memory-backed folders",
    `
for d in /tmp /dev/shm /dev /run / /var/tmp /opt /etc /home; do
  [ -d "$d" ] || continue
  head -c "$((TMP_MB + 8))M" /dev/zero >"$d/fill" 2>/dev/null
  n=$( (wc -c <"$d/fill") 2>/dev/null); n=\${n:-0}; rm -f "$d/fill"
  [ "$n" -gt "$((TMP_MB * 1024 * 1024))" ] && escaped "$n bytes in $d"
done 2>/dev/null
kept "no folder takes more than $TMP_MB MiB"`,
    { promise: "disk", mayDie: true },
  ),
  attempt(
    "large-file",
    "write a file larger than the limit",
    `
(head -c "$((FILE_MB + 4))M" /dev/zero >large) 2>/dev/null
n=$( (wc -c <large) 2>/dev/null); n=\${n:-0}; rm -f large
[ "$n" -gt "$((FILE_MB * 1024 * 1024))" ] && escaped "$n bytes with a limit of $FILE_MB MiB"
ulimit -f unlimited 2>/dev/null && escaped "the limit can be raised"
kept "it ended at $n bytes"`,
    { promise: "file-size", mayDie: true },
  ),
  attempt(
    "preallocated-file",
    "use more disk for a file than the limit: fallocate beyond its end or in its middle, and older names for it",
    `
command -v python3 >/dev/null || skipped "no python3 to try it with"
python3 - <<'PY'
import ctypes, fcntl, os, platform, struct
limit = int(os.environ["FILE_MB"]) << 20
name = "preallocated"
fd = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
call = {"x86_64": 285, "aarch64": 47}.get(platform.machine())
libc = ctypes.CDLL(None, use_errno=True)
def fallocate(mode, start, length):
    libc.syscall(ctypes.c_long(call), ctypes.c_long(fd), ctypes.c_long(mode), ctypes.c_long(start), ctypes.c_long(length))
def taken(how):
    found = os.fstat(fd)
    if found.st_blocks * 512 > limit or found.st_size > limit:
        print("ESCAPED %d bytes of disk, size %d, with a limit of %d, by %s" % (found.st_blocks * 512, found.st_size, limit, how))
        raise SystemExit
try:
    if call:
        for mode in (0x01, 0x11, 0x41):
            fallocate(mode, 0, limit + (4 << 20)); taken("fallocate %d" % mode)
    for request in (0x40305828, 0x4030582a, 0x40305839):
        try: fcntl.ioctl(fd, request, struct.pack("hhxxxxqqiI16x", 0, 0, 0, limit + (4 << 20), 0, 0))
        except OSError: pass
        taken("ioctl %x" % request)
    if call:
        os.ftruncate(fd, limit - (1 << 20)); fallocate(0x20, 0, 4 << 20); taken("fallocate 32")
    print("KEPT no more than the limit")
finally:
    os.unlink(name)
PY`,
    { promise: "file-size", mayDie: true },
  ),
];
