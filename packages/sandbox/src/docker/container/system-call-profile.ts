import { withoutUndefined, sha256 } from "@haft/utils";
import { randomBytes } from "node:crypto";
import { lstat, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dockerError } from "../../errors.ts";
import { ALLOWED_CALLS } from "../../isolation/allowed-calls.ts";
import {
  ABSENT_CALLS,
  PID_TARGETED_CALLS,
  OPEN_CREATE_FLAGS,
  DEVICE_REQUESTS,
  FILE_REQUESTS,
  FIRST_PROCESS,
  INSERT_RANGE,
  KEEP_SIZE,
  NEW_NAMESPACES,
  PERSONALITIES,
  PUNCH_HOLE,
  SETUID_SETGID,
  SOCKET_FAMILIES,
} from "../../isolation/system-calls.ts";
import { makeProgramFolder } from "../../programs/execute-only-copy.ts";

/** Only the low 32 bits matter; the others are undefined. */
interface Condition {
  index: number;
  op: "SCMP_CMP_MASKED_EQ";
  value: number;
  valueTwo: number;
}

interface Rule {
  names: readonly string[];
  action: "SCMP_ACT_ALLOW" | "SCMP_ACT_ERRNO";
  args?: readonly Condition[];
  errnoRet?: number;
}

const [ENOSYS, EOPNOTSUPP] = [38, 95];
/** Refused for process 1; other process ids are unknown here. */
const TRACING = ["ptrace", "process_vm_readv", "process_vm_writev"];
const ALL_BITS = 0xffffffff;
/** A hole frees disk space and keeps the size. */
const PRESERVING = KEEP_SIZE | PUNCH_HOLE;

/** Narrower than Docker's default. Calls of other architectures end the process. `undefined`: machines with another order of arguments. */
export function systemCallProfile(arch: string = process.arch): string | undefined {
  if (arch !== "x64" && arch !== "arm64") return undefined;
  const allow = (names: readonly string[], args?: readonly Condition[]): Rule =>
    withoutUndefined({ names, action: "SCMP_ACT_ALLOW", args });
  const allowIf = (names: readonly string[], conditions: readonly Condition[]): Rule[] =>
    conditions.map((one) => allow(names, [one]));
  const rules: Rule[] = [
    allow([
      ...ALLOWED_CALLS.map(({ name }) => name),
      ...PID_TARGETED_CALLS.flat()
        .map(({ name }) => name)
        .filter((name) => !TRACING.includes(name)),
    ]),
    ...allowIf(["clone"], [none(NEW_NAMESPACES, 0)]),
    ...allowIf(
      ["socket", "socketpair"],
      SOCKET_FAMILIES.map((family) => equal(family, 0)),
    ),
    ...allowIf(["ioctl"], otherThan(DEVICE_REQUESTS, 1)),
    ...allowIf(["fcntl"], otherThan(FILE_REQUESTS, 1)),
    ...allowIf(
      ["fallocate"],
      [none(KEEP_SIZE | INSERT_RANGE, 1), masked(PRESERVING | INSERT_RANGE, PRESERVING, 1)],
    ),
    ...[masked(PRESERVING, KEEP_SIZE, 1), masked(INSERT_RANGE, INSERT_RANGE, 1)].map((one): Rule => ({
      names: ["fallocate"],
      action: "SCMP_ACT_ERRNO",
      args: [one],
      errnoRet: EOPNOTSUPP,
    })),
    ...allowIf(["ptrace"], otherThan([FIRST_PROCESS], 1)),
    ...allowIf(["process_vm_readv", "process_vm_writev"], otherThan([FIRST_PROCESS], 0)),
    ...allowIf(["chmod", "fchmod", "creat", "mknod"], [none(SETUID_SETGID, 1)]),
    ...allowIf(["fchmodat", "fchmodat2", "mknodat"], [none(SETUID_SETGID, 2)]),
    ...allowIf(["open"], [none(OPEN_CREATE_FLAGS, 1), none(SETUID_SETGID, 2)]),
    ...allowIf(["openat"], [none(OPEN_CREATE_FLAGS, 2), none(SETUID_SETGID, 3)]),
    ...allowIf(
      ["personality"],
      PERSONALITIES.map((one) => equal(one, 0)),
    ),
    { names: ABSENT_CALLS.map(({ name }) => name), action: "SCMP_ACT_ERRNO", errnoRet: ENOSYS },
  ];
  return JSON.stringify({ defaultAction: "SCMP_ACT_ERRNO", syscalls: rules });
}

function masked(bits: number, wanted: number, index: number): Condition {
  return { index, op: "SCMP_CMP_MASKED_EQ", value: bits, valueTwo: wanted };
}

function equal(wanted: number, index: number): Condition {
  return masked(ALL_BITS, wanted, index);
}

function none(bits: number, index: number): Condition {
  return masked(bits, 0, index);
}

/** Builds conditions that match all except these values, from the highest bit down. */
function otherThan(values: readonly number[], index: number, bit = 31, above = 0, prefix = 0): Condition[] {
  if (bit < 0) return [];
  const mask = (above | (1 << bit)) >>> 0;
  return [0, 1].flatMap((side) => {
    const wanted = (prefix | (side << bit)) >>> 0;
    const same = values.filter((value) => ((value >>> bit) & 1) === side);
    return same.length === 0 ? [masked(mask, wanted, index)] : otherThan(same, index, bit - 1, mask, wanted);
  });
}

/** For Podman. `folder` must be private. */
export async function profileFile(profile: string, folder: string): Promise<string> {
  try {
    await makeProgramFolder(folder);
    const hash = sha256(profile).slice(0, 16);
    const path = join(folder, `system-calls-${hash}.json`);
    const found = await lstat(path).catch(() => undefined);
    const isOurs = found?.isFile() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
    if (isOurs && (await readFile(path, "utf8")) === profile) return path;
    const temporary = `${path}.${randomBytes(4).toString("hex")}`;
    try {
      await writeFile(temporary, profile, { mode: 0o444, flag: "wx" });
      await rename(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
    return path;
  } catch (thrown) {
    throw dockerError(
      "SANDBOX_START_FAILED",
      `Podman reads the list of system calls from a file, which could not be written: ${(thrown as Error).message}`,
      "Name a `cacheFolder` that belongs to you and that no other user may write to.",
      { cause: thrown },
    );
  }
}
