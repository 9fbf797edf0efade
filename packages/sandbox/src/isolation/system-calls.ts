/**
 * Refuses calls that agents do not need and that had holes: mounting, namespaces, keyrings, bpf, perf, io_uring, modules. Also:
 *
 * - setuid and setgid bits: the file would run with its owner's rights on the host;
 * - socket families other than unix, IPv4, IPv6 and netlink: for example, `vsock` ignores network namespaces;
 * - typing into a terminal (TIOCSTI, TIOCLINUX);
 * - disk space beyond the end of a file or in its middle, which the file limit does not cover;
 * - asynchronous files (`io_setup`): one command could use up the machine's number;
 * - leases and signals about folders: the owner of a read-only file could block programs that open it;
 * - access to the first process and the runner: commands of the same user could stop them;
 * - calls of another architecture, whose numbers have other meanings.
 */

const REFUSED = `
  keyctl 250 219, add_key 248 217, request_key 249 218, bpf 321 280, userfaultfd 323 282, perf_event_open 298 241,
  kexec_load 246 104, kexec_file_load 320 294, init_module 175 105, finit_module 313 273, delete_module 176 106,
  mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, open_tree 428 428, move_mount 429 429,
  fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433, mount_setattr 442 442, open_tree_attr 467 467,
  unshare 272 97, setns 308 268, open_by_handle_at 304 265, name_to_handle_at 303 264, fanotify_init 300 262,
  acct 163 89, swapon 167 224, swapoff 168 225, reboot 169 142, quotactl 179 60, quotactl_fd 443 443,
  syslog 103 116, vhangup 153 58, kcmp 312 272, pidfd_getfd 438 438, iopl 172 -, ioperm 173 -, uselib 134 -,
  io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427
`;
/** Programs work without these. Their arguments are in memory or files, so a filter cannot check them. */
const ABSENT = `
  clone3 435 435, openat2 437 437, pidfd_send_signal 424 424, io_setup 206 0, io_destroy 207 1, io_submit 209 2,
  io_cancel 210 3, io_getevents 208 4, io_pgetevents 333 292, get_mempolicy 239 236, set_mempolicy 238 237,
  mbind 237 235, process_madvise 440 440, memfd_secret 447 447, cachestat 451 451, set_mempolicy_home_node 450 450
`;

/** The filters check their arguments. */
const CHECKED = `
  clone 56 220, socket 41 198, socketpair 53 199, personality 135 92, fallocate 285 47, fcntl 72 25, ioctl 16 29, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, openat 257 56,
  mknodat 259 33, chmod 90 -, open 2 -, creat 85 -, mknod 133 -
`;

/** The first argument, or the second, is a process id. The kernel only checks the user. */
const AIMED = `
  kill 62 129, tkill 200 130, tgkill 234 131, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240, process_vm_readv 310 270,
  process_vm_writev 311 271, prlimit64 302 261, sched_setscheduler 144 119, sched_setparam 142 118, sched_setattr 314 274,
  sched_setaffinity 203 122
`;
const AIMED_BY_SECOND = "ptrace 101 117, setpriority 141 140, ioprio_set 251 30";

export interface SystemCall {
  name: string;
  x64: number | undefined;
  arm64: number | undefined;
}

export const REFUSED_CALLS: readonly SystemCall[] = parseSystemCalls(REFUSED);
export const ABSENT_CALLS: readonly SystemCall[] = parseSystemCalls(ABSENT);

export const CHECKED_CALLS: readonly SystemCall[] = parseSystemCalls(CHECKED);
export const PID_TARGETED_CALLS = [parseSystemCalls(AIMED), parseSystemCalls(AIMED_BY_SECOND)] as const;

export const SETUID_SETGID = 0o6000;
/** O_CREAT and O_TMPFILE; otherwise the mode argument is undefined. */
export const OPEN_CREATE_FLAGS = 0o20000100;
/** Unix, IPv4, IPv6, netlink. */
export const SOCKET_FAMILIES = [1, 2, 10, 16] as const;
/** TIOCSTI, TIOCLINUX; FS_IOC_RESVSP, FS_IOC_RESVSP64 and FS_IOC_ZERO_RANGE, older names for `fallocate`. */
export const DEVICE_REQUESTS = [0x5412, 0x541c, 0x40305828, 0x4030582a, 0x40305839] as const;
export const [KEEP_SIZE, PUNCH_HOLE, INSERT_RANGE] = [0x01, 0x02, 0x20] as const;
/** Without effect on rights; includes fixed addresses for debuggers, and the query. */
export const PERSONALITIES = [0x0, 0x8, 0x20000, 0x20008, 0x40000, 0xffffffff] as const;
/** F_SETLEASE, F_NOTIFY, and F_SETSIG, whose signal can reach any process. */
export const FILE_REQUESTS = [1024, 1026, 10] as const;
/** `clone` flags: mount, cgroup, uts, ipc, user, pid and network namespaces. */
export const NEW_NAMESPACES = 0x7e020000;
export const FIRST_PROCESS = 1;

export function parseSystemCalls(table: string): SystemCall[] {
  return table.split(",").map((line) => {
    const [name = "", x64 = "-", arm64 = "-"] = line.trim().split(" ");
    const number = (text: string): number | undefined => (text === "-" ? undefined : Number(text));
    return { name, x64: number(x64), arm64: number(arm64) };
  });
}
