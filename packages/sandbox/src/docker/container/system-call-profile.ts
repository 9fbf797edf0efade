import { withoutUndefined } from "@haft/core";
import {
  ABSENT_CALLS,
  CREATES,
  FILE_REQUESTS,
  FIRST_PROCESS,
  NEW_NAMESPACES,
  SETUID_SETGID,
  SOCKET_FAMILIES,
  TERMINAL_REQUESTS,
} from "../../isolation/system-calls.ts";

/** Let through whatever their arguments are. What is on no list here, or new in a kernel, is refused. */
const ALLOWED = {
  files: `access chdir chown close close_range copy_file_range dup dup2 dup3 faccessat faccessat2 fadvise64 fallocate
    fchdir fchown fchownat fdatasync fgetxattr flistxattr flock fremovexattr fsetxattr fstat fstatfs fsync
    ftruncate futimesat getcwd getdents getdents64 getxattr inotify_add_watch inotify_init inotify_init1
    inotify_rm_watch lchown lgetxattr link linkat listxattr llistxattr lremovexattr lseek lsetxattr lstat mkdir mkdirat
    newfstatat pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv removexattr
    rename renameat renameat2 rmdir sendfile setxattr splice stat statfs statx symlink symlinkat sync sync_file_range
    syncfs tee truncate umask unlink unlinkat utime utimensat utimes vmsplice write writev`,
  memory: `brk madvise map_shadow_stack membarrier memfd_create mincore mlock mlock2 mlockall mmap mprotect mremap mseal
    msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect remap_file_pages`,
  processes: `arch_prctl capget capset execve execveat exit exit_group fork get_robust_list getegid geteuid getgid
    getgroups getpgid getpgrp getpid getppid getpriority getresgid getresuid getrlimit getrusage getsid gettid getuid
    ioprio_get ioprio_set kill landlock_add_rule landlock_create_ruleset landlock_restrict_self pidfd_open
    prctl prlimit64 restart_syscall rseq sched_get_priority_max sched_get_priority_min
    sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity
    sched_setattr sched_setparam sched_setscheduler sched_yield seccomp set_robust_list set_tid_address setfsgid setfsuid
    setgid setgroups setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid setuid tgkill times tkill
    vfork wait4 waitid`,
  signals: `alarm pause rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend
    rt_sigtimedwait rt_tgsigqueueinfo sigaltstack signalfd signalfd4`,
  time: `clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep setitimer time timer_create
    timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime`,
  waiting: `epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 futex
    futex_requeue futex_wait futex_waitv futex_wake io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit
    pipe pipe2 poll ppoll pselect6 select`,
  messages: `mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd semctl
    semget semop semtimedop shmat shmctl shmdt shmget`,
  network: `accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg
    sendmsg sendto setsockopt shutdown`,
  machine: "getcpu getrandom sysinfo uname",
};

/** Personalities that change nothing about what a program may do, and the question for the present one. */
const PERSONALITIES = [0x0, 0x8, 0x20000, 0x20008, 0xffffffff];

/** Of one argument. All that matter are 32 bits wide: the others of its register are whatever was in it. */
interface Condition {
  index: number;
  op: "SCMP_CMP_MASKED_EQ";
  /** Which bits. */
  value: number;
  /** What they have to be. */
  valueTwo: number;
}

interface Rule {
  names: readonly string[];
  action: "SCMP_ACT_ALLOW" | "SCMP_ACT_ERRNO";
  args?: readonly Condition[];
  errnoRet?: number;
}

const ENOSYS = 38;
const ALL_BITS = 0xffffffff;

/**
 * The filter on system calls for containers, as the Engine takes it: a list of what is let through, without what
 * `system-calls.ts` refuses. It is narrower than that of Docker, which lets io_uring and all families of sockets
 * through. No architecture is named in it, so it is that of the machine: calls of any other end their process.
 *
 * `undefined` for machines whose calls have their arguments in another order: they keep Docker's own.
 */
export function systemCallProfile(arch: string = process.arch): string | undefined {
  if (arch !== "x64" && arch !== "arm64") return undefined;
  const allow = (names: readonly string[], args?: readonly Condition[]): Rule =>
    withoutUndefined({ names, action: "SCMP_ACT_ALLOW", args });
  /** Each condition is enough. */
  const allowIf = (names: readonly string[], conditions: readonly Condition[]): Rule[] =>
    conditions.map((one) => allow(names, [one]));
  const rules: Rule[] = [
    ...Object.values(ALLOWED).map((names) => allow(names.trim().split(/\s+/))),
    ...allowIf(["clone"], [none(NEW_NAMESPACES, 0)]),
    ...allowIf(
      ["socket", "socketpair"],
      SOCKET_FAMILIES.map((family) => equal(family, 0)),
    ),
    ...allowIf(["ioctl"], otherThan(TERMINAL_REQUESTS, 1)),
    ...allowIf(["fcntl"], otherThan(FILE_REQUESTS, 1)),
    ...allowIf(["ptrace"], otherThan([FIRST_PROCESS], 1)),
    ...allowIf(["process_vm_readv", "process_vm_writev"], otherThan([FIRST_PROCESS], 0)),
    ...allowIf(["chmod", "fchmod", "creat", "mknod"], [none(SETUID_SETGID, 1)]),
    ...allowIf(["fchmodat", "fchmodat2", "mknodat"], [none(SETUID_SETGID, 2)]),
    ...allowIf(["open"], [none(CREATES, 1), none(SETUID_SETGID, 2)]),
    ...allowIf(["openat"], [none(CREATES, 2), none(SETUID_SETGID, 3)]),
    ...allowIf(
      ["personality"],
      PERSONALITIES.map((one) => equal(one, 0)),
    ),
    { names: ABSENT_CALLS.map(({ name }) => name), action: "SCMP_ACT_ERRNO", errnoRet: ENOSYS },
  ];
  return JSON.stringify({ defaultAction: "SCMP_ACT_ERRNO", syscalls: rules });
}

function equal(wanted: number, index: number): Condition {
  return { index, op: "SCMP_CMP_MASKED_EQ", value: ALL_BITS, valueTwo: wanted };
}

function none(bits: number, index: number): Condition {
  return { index, op: "SCMP_CMP_MASKED_EQ", value: bits, valueTwo: 0 };
}

/**
 * Conditions of which one holds for every value but these. Going down from the highest bit: where none of the values
 * has the other one, everything that has it is let through.
 */
function otherThan(values: readonly number[], index: number, bit = 31, above = 0, prefix = 0): Condition[] {
  if (bit < 0) return [];
  const mask = (above | (1 << bit)) >>> 0;
  return [0, 1].flatMap((side) => {
    const wanted = (prefix | (side << bit)) >>> 0;
    const same = values.filter((value) => ((value >>> bit) & 1) === side);
    return same.length === 0
      ? [{ index, op: "SCMP_CMP_MASKED_EQ" as const, value: mask, valueTwo: wanted }]
      : otherThan(same, index, bit - 1, mask, wanted);
  });
}
