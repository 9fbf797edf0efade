import {
  ABSENT_CALLS,
  CREATES,
  FILE_REQUESTS,
  FIRST_PROCESS,
  NEW_NAMESPACES,
  REFUSED_CALLS,
  SETUID_SETGID,
  SOCKET_FAMILIES,
  TERMINAL_REQUESTS,
  type SystemCall,
} from "../isolation/system-calls.ts";

interface Machine {
  /** As the kernel names it for filters. */
  audit: number;
  /** Calls of another kind that come with the same name: x32. */
  otherFrom?: number;
  calls: Record<
    | "clone"
    | "socket"
    | "fcntl"
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
    otherFrom: 0x40000000,
    calls: {
      clone: 56,
      socket: 41,
      fcntl: 72,
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
    calls: {
      clone: 220,
      socket: 198,
      fcntl: 25,
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

/**
 * The filter on system calls that `bwrap --seccomp` takes, as bytes; `undefined` for machines whose system calls are
 * not known here. What is on the lists of `system-calls.ts` is refused, everything else let through.
 */
export function systemCallFilter(arch: string = process.arch): Buffer | undefined {
  const machine = MACHINES[arch];
  if (machine === undefined) return undefined;
  const { audit, otherFrom, calls, old } = machine;
  const numbers = (table: readonly SystemCall[]): number[] =>
    table.map((call) => call[arch as "x64" | "arm64"]).filter((number) => number !== undefined);
  /** When it is this call: these instructions, which have to end with an answer. */
  const when = (call: number | undefined, body: Instruction[]): Instruction[] =>
    call === undefined ? [] : [ifEqual(call, body.length), ...body];
  const refuseBits = (call: number | undefined, argument: number, bits: number): Instruction[] =>
    when(call, [loadArgument(argument), ifAnyOf(bits, 1), fail(EPERM), answer(ALLOW)]);
  /** These requests, which are the second argument. */
  const refuseRequests = (call: number, requests: readonly number[]): Instruction[] =>
    when(call, [
      loadArgument(1),
      ...requests.flatMap((request) => [ifEqual(request, 1), fail(EPERM)]),
      answer(ALLOW),
    ]);
  const refuseFirst = (call: number, pid: number): Instruction[] =>
    when(call, [loadArgument(pid), ifEqual(FIRST_PROCESS, 1), fail(EPERM), answer(ALLOW)]);
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
    ...refuseRequests(calls.ioctl, TERMINAL_REQUESTS),
    ...refuseRequests(calls.fcntl, FILE_REQUESTS),
    ...when(calls.socket, [
      loadArgument(0),
      ...SOCKET_FAMILIES.flatMap((family) => [ifEqual(family, 1), answer(ALLOW)]),
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
    ...numbers(ABSENT_CALLS).flatMap((call) => [ifEqual(call, 1), fail(ENOSYS)]),
    ...numbers(REFUSED_CALLS).flatMap((call) => [ifEqual(call, 1), fail(EPERM)]),
    answer(ALLOW),
  ]);
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
