import { RESERVED_PIDS } from "@haft/workspace/internal/wire";
import { ALLOWED_CALLS } from "../isolation/allowed-calls.ts";
import {
  ABSENT_CALLS,
  PID_TARGETED_CALLS,
  CHECKED_CALLS,
  OPEN_CREATE_FLAGS,
  DEVICE_REQUESTS,
  FILE_REQUESTS,
  INSERT_RANGE,
  KEEP_SIZE,
  NEW_NAMESPACES,
  PERSONALITIES,
  PUNCH_HOLE,
  REFUSED_CALLS,
  SETUID_SETGID,
  SOCKET_FAMILIES,
  type SystemCall,
} from "../isolation/system-calls.ts";

const MACHINES = {
  x64: { audit: 0xc000003e, otherFrom: 0x40000000 },
  arm64: { audit: 0xc00000b7, otherFrom: undefined },
};

const ALLOW = 0x7fff0000;
const ERROR = 0x00050000;
const [EPERM, ENOSYS, EOPNOTSUPP, EAFNOSUPPORT] = [1, 38, 95, 97];
const EVERYBODY = 0xffffffff;

type Instruction = readonly [number, number, number, number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const loadArgument = (index: number): Instruction => load(16 + 8 * index);
/** Skips `otherwise` instructions if not equal. */
const ifEqual = (value: number, otherwise: number): Instruction => [0x15, 0, otherwise, value];
const ifAnyOf = (bits: number, otherwise: number): Instruction => [0x45, 0, otherwise, bits];
const ifAtLeast = (value: number, otherwise: number): Instruction => [0x35, 0, otherwise, value];
/** Skips `skipped` instructions if at least `value`. */
const unlessAtLeast = (value: number, skipped: number): Instruction => [0x35, skipped, 0, value];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const fail = (errno: number): Instruction => answer(ERROR | errno);

/** Returns the filter for `bwrap --seccomp`; `undefined` for unknown machines. Newer calls fail with `ENOSYS`. */
export function systemCallFilter(arch: string = process.arch): Buffer | undefined {
  if (arch !== "x64" && arch !== "arm64") return undefined;
  const { audit, otherFrom } = MACHINES[arch];
  const numbers = (table: readonly SystemCall[]): number[] =>
    table.map((call) => call[arch]).filter((number) => number !== undefined);
  /** `body` must end with an answer. */
  const when = (call: string, body: Instruction[]): Instruction[] =>
    numbers(CHECKED_CALLS.filter(({ name }) => name === call)).flatMap((number) => [
      ifEqual(number, body.length),
      ...body,
    ]);
  const refuseBits = (call: string, argument: number, bits: number): Instruction[] =>
    when(call, [loadArgument(argument), ifAnyOf(bits, 1), fail(EPERM), answer(ALLOW)]);
  const refuseRequests = (call: string, requests: readonly number[]): Instruction[] =>
    when(call, [
      loadArgument(1),
      ...requests.flatMap((request) => [ifEqual(request, 1), fail(EPERM)]),
      answer(ALLOW),
    ]);
  /** Refuses signals to process 1, the runner, its threads, and 0 (the calling process). */
  const keepHandsOff = [
    ifEqual(EVERYBODY, 1),
    fail(EPERM),
    ifAtLeast(RESERVED_PIDS + 1, 1),
    answer(ALLOW),
    ifEqual(0, 1),
    answer(ALLOW),
    fail(EPERM),
  ];
  const onlyFamilies = (call: string): Instruction[] =>
    when(call, [
      loadArgument(0),
      ...SOCKET_FAMILIES.flatMap((family) => [ifEqual(family, 1), answer(ALLOW)]),
      fail(EAFNOSUPPORT),
    ]);
  const allowed = numbers(ALLOWED_CALLS);
  const refuseCreation = (call: string, flags: number): Instruction[] =>
    when(call, [
      loadArgument(flags),
      ifAnyOf(OPEN_CREATE_FLAGS, 3),
      loadArgument(flags + 1),
      ifAnyOf(SETUID_SETGID, 1),
      fail(EPERM),
      answer(ALLOW),
    ]);
  return assemble([
    load(4),
    // Refuses other architectures.
    [0x15, 1, 0, audit],
    fail(ENOSYS),
    load(0),
    ...(otherFrom === undefined ? [] : [ifAtLeast(otherFrom, 1), fail(ENOSYS)]),
    ...refuseCreation("openat", 2),
    ...refuseCreation("open", 1),
    ...refuseRequests("ioctl", DEVICE_REQUESTS),
    ...refuseRequests("fcntl", FILE_REQUESTS),
    ...onlyFamilies("socket"),
    ...onlyFamilies("socketpair"),
    ...when("personality", [
      loadArgument(0),
      ...PERSONALITIES.flatMap((one) => [ifEqual(one, 1), answer(ALLOW)]),
      fail(EPERM),
    ]),
    ...when("fallocate", [
      loadArgument(1),
      ifAnyOf(INSERT_RANGE, 1),
      fail(EOPNOTSUPP),
      ifAnyOf(KEEP_SIZE, 3),
      ifAnyOf(PUNCH_HOLE, 1),
      answer(ALLOW),
      fail(EOPNOTSUPP),
      answer(ALLOW),
    ]),
    ...PID_TARGETED_CALLS.flatMap((calls, argument) => {
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
    ...rangesOf(allowed).flatMap(([first, last]) => [
      ifAtLeast(first, 2),
      unlessAtLeast(last + 1, 1),
      answer(ALLOW),
    ]),
    ifAtLeast(Math.max(...allowed), 1),
    fail(ENOSYS),
    fail(EPERM),
  ]);
}

function rangesOf(numbers: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
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
