import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { systemCallFilter } from "../../src/bubblewrap/seccomp.ts";
import { ALLOWED_CALLS } from "../../src/isolation/allowed-calls.ts";

const X64 = 0xc000003e;
const ARM64 = 0xc00000b7;
const [EPERM, ENOSYS, EOPNOTSUPP, EAFNOSUPPORT] = [1, 38, 95, 97];

/** What the kernel does with a filter: the instructions this one uses. */
function decide(filter: Buffer, arch: number, call: number, args: number[] = []): "allowed" | number {
  const words = new Map<number, number>([
    [0, call],
    [4, arch],
    ...args.map((value, index) => [16 + 8 * index, value >>> 0] as const),
  ]);
  let held = 0;
  for (let at = 0; at * 8 < filter.length; at++) {
    const code = filter.readUInt16LE(at * 8);
    const [yes, no] = [filter.readUInt8(at * 8 + 2), filter.readUInt8(at * 8 + 3)];
    const operand = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x20) held = words.get(operand) ?? 0;
    else if (code === 0x15) at += held === operand ? yes : no;
    else if (code === 0x35) at += held >= operand ? yes : no;
    else if (code === 0x45) at += (held & operand) !== 0 ? yes : no;
    else if (code === 0x06) return operand === 0x7fff0000 ? "allowed" : operand & 0xffff;
    else throw new Error(`instruction ${code}`);
  }
  throw new Error("it ran past the end");
}

describe.each([
  {
    arch: "x64",
    audit: X64,
    mount: 165,
    bpf: 321,
    socket: 41,
    fcntl: 72,
    ioctl: 16,
    openat: 257,
    fchmodat: 268,
    clone: 56,
    read: 0,
    socketpair: 53,
    fallocate: 285,
    personality: 135,
    io_setup: 206,
    others: [154, 159, 163],
  },
  {
    arch: "arm64",
    audit: ARM64,
    mount: 40,
    bpf: 280,
    socket: 198,
    fcntl: 25,
    ioctl: 29,
    openat: 56,
    fchmodat: 53,
    clone: 220,
    read: 63,
    socketpair: 199,
    fallocate: 47,
    personality: 92,
    io_setup: 0,
    others: [170, 171, 89],
  },
])(
  "the filter for $arch",
  ({ arch, audit, mount, bpf, socket, fcntl, ioctl, openat, fchmodat, clone, read, ...more }) => {
    const filter = systemCallFilter(arch)!;
    const ask = (call: number, ...args: number[]) => decide(filter, audit, call, args);

    test("refuses unneeded and unnamed calls", () => {
      for (const call of [mount, bpf, 425, 429]) expect(ask(call)).toBe(EPERM);
      for (const call of [424, 435, 437]) expect(ask(call)).toBe(ENOSYS);
      expect(ask(read)).toBe("allowed");
      for (const call of more.others) expect(ask(call)).toBe(EPERM);
      // As on a kernel that does not know them yet.
      for (const call of [463, 500, 999]) expect(ask(call)).toBe(ENOSYS);
    });

    test("allows the same calls as the filter for containers", () => {
      const numbers = ALLOWED_CALLS.flatMap((call) => call[arch as "x64"] ?? []);
      expect(numbers.length).toBeGreaterThan(200);
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(numbers.filter((call) => ask(call) !== "allowed")).toEqual([]);
    });

    test("refuses asynchronous files, whose number is shared by the machine", () => {
      expect(ask(more.io_setup, 65_536)).toBe(ENOSYS);
    });

    test("refuses disk space beyond the end of a file or in its middle", () => {
      const [keep, punch, zero, insert] = [1, 2, 0x10, 0x20];
      for (const mode of [0, keep | punch, zero]) expect(ask(more.fallocate, 3, mode)).toBe("allowed");
      for (const mode of [keep, keep | zero, insert, insert | keep | punch])
        expect(ask(more.fallocate, 3, mode)).toBe(EOPNOTSUPP);
      for (const older of [0x40305828, 0x4030582a, 0x40305839]) expect(ask(ioctl, 3, older)).toBe(EPERM);
    });

    test("allows personalities without effect", () => {
      for (const one of [0, 0x40000, 0xffffffff]) expect(ask(more.personality, one)).toBe("allowed");
      for (const one of [0x400000, 0x0100000, 4]) expect(ask(more.personality, one)).toBe(EPERM);
    });

    test("allows only socket families that respect network namespaces", () => {
      for (const call of [socket, more.socketpair]) {
        for (const family of [1, 2, 10, 16]) expect(ask(call, family)).toBe("allowed");
        for (const family of [0, 17, 38, 40, 44]) expect(ask(call, family)).toBe(EAFNOSUPPORT);
      }
    });

    test("refuses signals to the first process, the runner and its threads only", () => {
      const aimed = (first: number[], second: number[], pid: number) => [
        ...first.map((call) => ask(call, pid)),
        ...second.map((call) => ask(call, 16, pid)),
      ];
      const calls: [number[], number[]] =
        arch === "x64"
          ? [
              [62, 200, 234, 129, 297, 310, 311, 302, 144, 142, 314, 203],
              [101, 141, 251],
            ]
          : [
              [129, 130, 131, 138, 240, 270, 271, 261, 119, 118, 274, 122],
              [117, 140, 30],
            ];
      for (const pid of [-1, 1, 2, 3, 15]) expect(new Set(aimed(...calls, pid))).toEqual(new Set([EPERM]));
      for (const pid of [0, 16, 25, -25]) expect(new Set(aimed(...calls, pid))).toEqual(new Set(["allowed"]));
    });

    test("refuses typing into a terminal", () => {
      for (const request of [0x5412, 0x541c]) expect(ask(ioctl, 0, request)).toBe(EPERM);
      expect(ask(ioctl, 0, 0x5401)).toBe("allowed");
    });

    test("refuses leases, signals about folders and signals of files", () => {
      for (const request of [10, 1024, 1026]) expect(ask(fcntl, 0, request)).toBe(EPERM);
      for (const request of [0, 2, 4, 1025, 1030]) expect(ask(fcntl, 0, request)).toBe("allowed");
    });

    test("allows threads and processes, but no namespaces", () => {
      expect(ask(clone, 0x003d0f00)).toBe("allowed");
      expect(ask(clone, 0x01200011)).toBe("allowed");
      for (const flag of [0x20000, 0x02000000, 0x10000000, 0x40000000]) expect(ask(clone, flag)).toBe(EPERM);
    });

    property.prop([fc.nat(0o7777)])("refuses only modes with setuid or setgid", (mode) => {
      const wanted = (mode & 0o6000) === 0 ? "allowed" : EPERM;
      expect(ask(fchmodat, 3, 0, mode)).toBe(wanted);
      expect(ask(452, 3, 0, mode)).toBe(wanted);
      expect(ask(openat, 3, 0, 0o101, mode)).toBe(wanted);
      // Without O_CREAT the mode is whatever was in the register.
      expect(ask(openat, 3, 0, 0o2, mode)).toBe("allowed");
    });

    property.prop([fc.nat(0xffffffff), fc.nat(600)])("refuses other architectures", (other, call) => {
      if (other === audit) return;
      expect(decide(filter, other, call)).toBe(ENOSYS);
    });

    property.prop([fc.nat(0xffff), fc.array(fc.nat(0xffffffff), { minLength: 6, maxLength: 6 })])(
      "answers every call",
      (call, args) => {
        expect(["allowed", EPERM, ENOSYS, EOPNOTSUPP, EAFNOSUPPORT]).toContain(
          decide(filter, audit, call, args),
        );
      },
    );
  },
);

test("refuses the second numbering of calls on x64", () => {
  expect(decide(systemCallFilter("x64")!, X64, 0x40000000 | 165)).toBe(ENOSYS);
});

test("returns no filter for machines with unknown calls", () => {
  expect(systemCallFilter("riscv64")).toBeUndefined();
});
