/**
 * A filter on system calls, as the bytes that `bwrap --seccomp` takes. It forbids what no command of an agent needs
 * and what kernel holes have come through: mounting, namespaces, keyrings, bpf, perf, io_uring, modules. Besides:
 *
 * - no file may become setuid or setgid: it would stay in the workspace, and run with its owner's rights on the host;
 * - no socket families but unix, IPv4, IPv6 and netlink: `vsock` for one knows no network namespaces;
 * - no typing into a terminal (TIOCSTI, TIOCLINUX);
 * - no hand on the first process, which is bubblewrap's and ends everything when the host does: a command of the same
 *   user could make it stay;
 * - no system calls of another architecture, which would be read with the wrong numbers.
 */

/** Numbers on x86-64 and on arm64; `-` where there is none. */
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
/** Their arguments lie in memory, where a filter cannot look. Programs do without them when they are not there. */
const ABSENT = "clone3 435 435, openat2 437 437";

interface Machine {
  /** As the kernel names it for filters. */
  audit: number;
  column: 0 | 1;
  /** Calls of another kind that come with the same name: x32. */
  otherFrom?: number;
  calls: Record<
    | "clone"
    | "socket"
    | "ioctl"
    | "fchmod"
    | "fchmodat"
    | "openat"
    | "mknodat"
    | "ptrace"
    | "readMemory"
    | "writeMemory",
    number
  >;
  /** What newer machines have left out. */
  old?: Record<"chmod" | "open" | "creat" | "mknod", number>;
}

const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    column: 0,
    otherFrom: 0x40000000,
    calls: {
      clone: 56,
      socket: 41,
      ioctl: 16,
      fchmod: 91,
      fchmodat: 268,
      openat: 257,
      mknodat: 259,
      ptrace: 101,
      readMemory: 310,
      writeMemory: 311,
    },
    old: { chmod: 90, open: 2, creat: 85, mknod: 133 },
  },
  arm64: {
    audit: 0xc00000b7,
    column: 1,
    calls: {
      clone: 220,
      socket: 198,
      ioctl: 29,
      fchmod: 52,
      fchmodat: 53,
      openat: 56,
      mknodat: 33,
      ptrace: 117,
      readMemory: 270,
      writeMemory: 271,
    },
  },
};
const FCHMODAT2 = 452;

const ALLOW = 0x7fff0000;
const ERROR = 0x00050000;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
const SETUID_SETGID = 0o6000;
/** O_CREAT and O_TMPFILE: without them the mode of an open is whatever was in the register. */
const CREATES = 0o20000100;
const FAMILIES = [1, 2, 10, 16];
const TERMINAL_REQUESTS = [0x5412, 0x541c];
/** Mount, cgroup, uts, ipc, user, pid and network namespaces. */
const NEW_NAMESPACES = 0x7e020000;

/** Instructions, as `[code, jump if true, jump if false, operand]`. */
type Instruction = readonly [number, number, number, number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const loadArgument = (index: number): Instruction => load(16 + 8 * index);
/** Else skips so many. */
const ifEqual = (value: number, otherwise: number): Instruction => [0x15, 0, otherwise, value];
const ifAnyOf = (bits: number, otherwise: number): Instruction => [0x45, 0, otherwise, bits];
const ifAtLeast = (value: number, otherwise: number): Instruction => [0x35, 0, otherwise, value];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const fail = (errno: number): Instruction => answer(ERROR | errno);

/** The filter for a machine; `undefined` for those whose system calls are not known here. */
export function systemCallFilter(arch: string = process.arch): Buffer | undefined {
  const machine = MACHINES[arch];
  if (machine === undefined) return undefined;
  const { audit, column, otherFrom, calls, old } = machine;
  /** When it is this call: these instructions, which have to end with an answer. */
  const when = (call: number | undefined, body: Instruction[]): Instruction[] =>
    call === undefined ? [] : [ifEqual(call, body.length), ...body];
  const refuseBits = (call: number | undefined, argument: number, bits: number): Instruction[] =>
    when(call, [loadArgument(argument), ifAnyOf(bits, 1), fail(EPERM), answer(ALLOW)]);
  const refuseFirst = (call: number, pid: number): Instruction[] =>
    when(call, [loadArgument(pid), ifEqual(1, 1), fail(EPERM), answer(ALLOW)]);
  const refuseCreation = (call: number | undefined, flags: number): Instruction[] =>
    when(call, [
      loadArgument(flags),
      ifAnyOf(CREATES, 3),
      loadArgument(flags + 1),
      ifAnyOf(SETUID_SETGID, 1),
      fail(EPERM),
      answer(ALLOW),
    ]);
  return assemble([
    load(4),
    // Any other architecture.
    [0x15, 1, 0, audit],
    fail(ENOSYS),
    load(0),
    ...(otherFrom === undefined ? [] : [ifAtLeast(otherFrom, 1), fail(ENOSYS)]),
    ...refuseCreation(calls.openat, 2),
    ...refuseCreation(old?.open, 1),
    ...when(calls.ioctl, [
      loadArgument(1),
      ...TERMINAL_REQUESTS.flatMap((request) => [ifEqual(request, 1), fail(EPERM)]),
      answer(ALLOW),
    ]),
    ...when(calls.socket, [
      loadArgument(0),
      ...FAMILIES.flatMap((family) => [ifEqual(family, 1), answer(ALLOW)]),
      fail(EAFNOSUPPORT),
    ]),
    ...refuseFirst(calls.ptrace, 1),
    ...refuseFirst(calls.readMemory, 0),
    ...refuseFirst(calls.writeMemory, 0),
    ...refuseBits(calls.clone, 0, NEW_NAMESPACES),
    ...refuseBits(calls.fchmod, 1, SETUID_SETGID),
    ...refuseBits(calls.fchmodat, 2, SETUID_SETGID),
    ...refuseBits(FCHMODAT2, 2, SETUID_SETGID),
    ...refuseBits(calls.mknodat, 2, SETUID_SETGID),
    ...refuseBits(old?.chmod, 1, SETUID_SETGID),
    ...refuseBits(old?.creat, 1, SETUID_SETGID),
    ...refuseBits(old?.mknod, 1, SETUID_SETGID),
    ...numbers(ABSENT, column).flatMap((call) => [ifEqual(call, 1), fail(ENOSYS)]),
    ...numbers(REFUSED, column).flatMap((call) => [ifEqual(call, 1), fail(EPERM)]),
    answer(ALLOW),
  ]);
}

function numbers(table: string, column: 0 | 1): number[] {
  return table
    .split(",")
    .map((line) => line.trim().split(" ")[column + 1] ?? "-")
    .filter((number) => number !== "-")
    .map(Number);
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, yes, no, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(yes, at * 8 + 2);
    bytes.writeUInt8(no, at * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, at * 8 + 4);
  }
  return bytes;
}
