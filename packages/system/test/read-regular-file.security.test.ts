import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { IrregularFileError, readRegularFile } from "../src/files/read-regular-file.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "haft-regular-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function reasonOf(path: string, options?: Parameters<typeof readRegularFile>[1]): string {
  try {
    readRegularFile(path, options);
  } catch (thrown) {
    if (thrown instanceof IrregularFileError) return thrown.reason;
    return (thrown as NodeJS.ErrnoException).code ?? String(thrown);
  }
  return "read";
}

it("reads a regular file, an empty one, and one of the kernel whose size is reported as 0", () => {
  const path = join(folder, "a");
  writeFileSync(path, "text");
  expect(readRegularFile(path).toString()).toBe("text");
  writeFileSync(path, "");
  expect(readRegularFile(path)).toHaveLength(0);
  if (process.platform === "linux") expect(readRegularFile("/proc/self/stat").length).toBeGreaterThan(10);
});

it("refuses a file that is larger than permitted, without reading it", () => {
  const path = join(folder, "large");
  writeFileSync(path, "12345");
  expect(reasonOf(path, { maxBytes: 4 })).toBe("size");
  expect(readRegularFile(path, { maxBytes: 5 }).toString()).toBe("12345");
  truncateSync(path, 1024 ** 4);
  expect(reasonOf(path)).toBe("size");
});

it("refuses a symbolic link, even if dangling, and follows it on request", () => {
  const [file, link, dangling] = [join(folder, "file"), join(folder, "link"), join(folder, "dangling")];
  writeFileSync(file, "text");
  symlinkSync(file, link);
  symlinkSync(join(folder, "missing"), dangling);
  expect([reasonOf(link), reasonOf(dangling)]).toEqual(["link", "link"]);
  expect(readRegularFile(link, { followLink: true }).toString()).toBe("text");
  expect(reasonOf(dangling, { followLink: true })).toBe("ENOENT");
});

it.skipIf(process.platform === "win32")(
  "does not wait for a pipe, and refuses folders, devices and sockets",
  async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const socket = join(folder, "socket");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    mkdirSync(join(folder, "folder"));
    const zero = join(folder, "zero");
    symlinkSync("/dev/zero", zero);
    try {
      expect(reasonOf(pipe)).toBe("type");
      expect(reasonOf(socket)).toBe("type");
      expect(reasonOf(join(folder, "folder"))).toBe("type");
      expect(reasonOf(zero, { followLink: true })).toBe("type");
    } finally {
      server.close();
    }
  },
);

it("lets its caller look at the file that is read, and reports the system's errors as they are", () => {
  const path = join(folder, "a");
  writeFileSync(path, "text", { mode: 0o600 });
  const refuse = ({ uid }: { uid: number }) => {
    if (uid !== -1) throw new Error("another owner");
  };
  expect(() => readRegularFile(path, { check: refuse })).toThrow("another owner");
  expect(reasonOf(join(folder, "missing"))).toBe("ENOENT");
});
