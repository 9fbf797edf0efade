import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { systemCallProfile } from "../../../src/docker/container/system-call-profile.ts";
import { ABSENT_CALLS, REFUSED_CALLS } from "../../../src/isolation/system-calls.ts";

interface Rule {
  names: string[];
  action: string;
  args?: { index: number; op: string; value: number; valueTwo: number }[];
  errnoRet?: number;
}

const profile = JSON.parse(systemCallProfile("x64")!) as { defaultAction: string; syscalls: Rule[] };

/** As the kernel would: any rule that fits lets it through. Registers are 64 bits wide. */
function allows(name: string, ...args: (number | bigint)[]): boolean {
  return profile.syscalls.some(
    ({ names, action, args: conditions = [] }) =>
      names.includes(name) &&
      action === "SCMP_ACT_ALLOW" &&
      conditions.every(
        ({ index, value, valueTwo }) => (BigInt(args[index] ?? 0) & BigInt(value)) === BigInt(valueTwo),
      ),
  );
}

const anything = fc.bigInt({ min: 0n, max: 0xffffffffn });
/** What is in the upper half of a register makes no difference to the kernel. */
const above = anything.map((bits) => bits << 32n);

describe("the filter for containers", () => {
  test("allows listed calls, of which the other filters refuse none", () => {
    expect(profile.defaultAction).toBe("SCMP_ACT_ERRNO");
    for (const { name } of [...REFUSED_CALLS, ...ABSENT_CALLS])
      expect([name, allows(name)]).toEqual([name, false]);
    for (const name of ["read", "execve", "futex", "mmap", "wait4"]) expect(allows(name)).toBe(true);
    expect(allows("not_yet_invented")).toBe(false);
  });

  test("lists each call without a condition only once", () => {
    const names = profile.syscalls.filter(({ args }) => args === undefined).flatMap((rule) => rule.names);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    const limited = profile.syscalls.filter(({ args }) => args !== undefined).flatMap((rule) => rule.names);
    expect(names.filter((name) => limited.includes(name))).toEqual([]);
  });

  test("reports calls with unreadable arguments as missing", () => {
    const absent = profile.syscalls.find(({ names }) => names.includes("clone3"));
    expect(absent?.names).toContain("io_setup");
    expect(absent).toMatchObject({ action: "SCMP_ACT_ERRNO", errnoRet: 38 });
  });

  property.prop([fc.oneof(fc.nat(0xff).map(BigInt), anything), above])(
    "allows disk space beyond the end of a file only while freeing it, and none in its middle",
    (mode, upper) => {
      const [keep, punch, insert] = [1n, 2n, 0x20n];
      const isRefused = (mode & insert) !== 0n || ((mode & keep) !== 0n && (mode & punch) === 0n);
      expect(allows("fallocate", 3, mode | upper)).toBe(!isRefused);
    },
  );

  property.prop([anything, above])("allows sockets of four families only", (family, upper) => {
    expect(allows("socket", family | upper)).toBe([1n, 2n, 10n, 16n].includes(family));
  });

  property.prop([fc.oneof(anything, fc.constantFrom(0x5412n, 0x541cn, 0x40305828n, 0x4030582an)), above])(
    "refuses typing into a terminal and older names of fallocate",
    (request, upper) => {
      expect(allows("ioctl", 0, request | upper)).toBe(
        ![0x5412n, 0x541cn, 0x40305828n, 0x4030582an, 0x40305839n].includes(request),
      );
    },
  );

  property.prop([fc.oneof(anything, fc.constantFrom(10n, 1024n, 1026n)), above])(
    "refuses leases, signals about folders, and other signals of files",
    (request, upper) => {
      expect(allows("fcntl", 0, request | upper)).toBe(![10n, 1024n, 1026n].includes(request));
    },
  );

  property.prop([fc.oneof(anything, fc.constant(1n)), above])(
    "refuses access to the first process",
    (pid, upper) => {
      expect(allows("ptrace", 16, pid | upper)).toBe(pid !== 1n);
      expect(allows("process_vm_readv", pid | upper)).toBe(pid !== 1n);
      expect(allows("process_vm_writev", pid | upper)).toBe(pid !== 1n);
    },
  );

  property.prop([anything, anything])("refuses setuid, setgid and namespaces", (mode, flags) => {
    const plain = (mode & 0o6000n) === 0n;
    for (const name of ["chmod", "fchmod", "creat", "mknod"]) expect(allows(name, 0, mode)).toBe(plain);
    for (const name of ["fchmodat", "fchmodat2", "mknodat"]) expect(allows(name, 0, 0, mode)).toBe(plain);
    const creates = (flags & 0o20000100n) !== 0n;
    expect(allows("open", 0, flags, mode)).toBe(plain || !creates);
    expect(allows("openat", 0, 0, flags, mode)).toBe(plain || !creates);
    expect(allows("clone", flags)).toBe((flags & 0x7e020000n) === 0n);
  });
});

test("returns no profile for machines with another order of arguments", () => {
  expect(systemCallProfile("s390x")).toBeUndefined();
  expect(systemCallProfile("arm64")).toBe(systemCallProfile("x64"));
});
