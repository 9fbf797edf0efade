import { OWN_NUMBERS } from "@haft/workspace/internal/wire";
import {
  ABSENT_CALLS,
  AIMED_CALLS,
  CHECKED_CALLS,
  CREATES,
  FILE_REQUESTS,
  NEW_NAMESPACES,
  REFUSED_CALLS,
  SETUID_SETGID,
  SOCKET_FAMILIES,
  TERMINAL_REQUESTS,
  type SystemCall,
} from "../isolation/system-calls.ts";

/** As the kernel names machines for filters; and from where on calls of another kind, x32, come with the same name. */
const MACHINES = {
  x64: { audit: 0xc000003e, otherFrom: 0x40000000 },
  arm64: { audit: 0xc00000b7, otherFrom: undefined },
};

const ALLOW = 0x7fff0000;
const ERROR = 0x00050000;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
/** -1, as a filter sees it. */
const EVERYBODY = 0xffffffff;

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
 * not known here. What is on the lists of `system-"ts"` is refused, everything else let through.
 */
export function systemCallFilter(arch: string = process.arch): Buffer | undefined {
  if (arch !== "x64" && arch !== "arm64") return undefined;
  const { audit, otherFrom } = MACHINES[arch];
  const numbers = (table: readonly SystemCall[]): number[] =>
    table.map((call) => call[arch]).filter((number) => number !== undefined);
  /** When it is this call: these instructions, which have to end with an answer. */
  const when = (call: string, body: Instruction[]): Instruction[] =>
    numbers(CHECKED_CALLS.filter(({ name }) => name === call)).flatMap((number) => [
      ifEqual(number, body.length),
      ...body,
    ]);
  const refuseBits = (call: string, argument: number, bits: number): Instruction[] =>
    when(call, [loadArgument(argument), ifAnyOf(bits, 1), fail(EPERM), answer(ALLOW)]);
  /** These requests, which are the second argument. */
  const refuseRequests = (call: string, requests: readonly number[]): Instruction[] =>
    when(call, [
      loadArgument(1),
      ...requests.flatMap((request) => [ifEqual(request, 1), fail(EPERM)]),
      answer(ALLOW),
    ]);
  /** The first process, the runner and its threads; 0 is whoever calls. */
  const keepHandsOff = [
    ifEqual(EVERYBODY, 1),
    fail(EPERM),
    ifAtLeast(OWN_NUMBERS + 1, 1),
    answer(ALLOW),
    ifEqual(0, 1),
    answer(ALLOW),
    fail(EPERM),
  ];
  const refuseCreation = (call: string, flags: number): Instruction[] =>
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
    ...refuseCreation("openat", 2),
    ...refuseCreation("open", 1),
    ...refuseRequests("ioctl", TERMINAL_REQUESTS),
    ...refuseRequests("fcntl", FILE_REQUESTS),
    ...when("socket", [
      loadArgument(0),
      ...SOCKET_FAMILIES.flatMap((family) => [ifEqual(family, 1), answer(ALLOW)]),
      fail(EAFNOSUPPORT),
    ]),
    ...AIMED_CALLS.flatMap((calls, argument) => {
      const body = [loadArgument(argument), ...keepHandsOff];
      return numbers(calls).flatMap((number) => [ifEqual(number, body.length), ...body]);
    }),
    ...refuseBits("clone", 0, NEW_NAMESPACES),
    ...refuseBits("fchmod", 1, SETUID_SETGID),
    ...refuseBits("fchmodat", 2, SETUID_SETGID),
    ...refuseBits("fchmodat2", 2, SETUID_SETGID),
    ...refuseBits("mknodat", 2, SETUID_SETGID),
    ...refuseBits("chmod", 1, SETUID_SETGID),
    ...refuseBits("creat", 1, SETUID_SETGID),
    ...refuseBits("mknod", 1, SETUID_SETGID),
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
