import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { SLICE_BYTES } from "../../src/files/read-file.ts";
import {
  bytes,
  cannotRun,
  catchErrorCode,
  catchFailure,
  LEVELS,
  leftovers,
  open,
  readText,
  site,
} from "../support.ts";

const isRoot = process.getuid?.() === 0;

/** Runs as somebody without rights: as root, permissions would not matter. */
async function unprivileged<T>(run: () => Promise<T>): Promise<T> {
  if (!isRoot) return run();
  process.setegid!(65534);
  process.seteuid!(65534);
  try {
    return await run();
  } finally {
    process.seteuid!(0);
    process.setegid!(0);
  }
}

function succeeds(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe.each(LEVELS)("special files at level $level", (level) => {
  describe("a file that is not regular", () => {
    const codes = async (path: string, root: string) => {
      const { fs } = open(level, { root });
      expect(await fs.stat(path)).toMatchObject({ type: "other" });
      return [
        await catchErrorCode(fs.read(path)),
        await catchErrorCode(fs.write(path, bytes("x"))),
        await catchErrorCode(fs.append(path, bytes("x"))),
      ];
    };
    const refused = ["NOT_A_FILE", "NOT_A_FILE", "NOT_A_FILE"];

    it("is not opened as a pipe, so its other end is not woken", async () => {
      const s = site();
      const pipe = join(s.ws, "pipe");
      execFileSync("mkfifo", [pipe]);
      const writer = spawn("sh", ["-c", `echo x > ${JSON.stringify(pipe)}`], { stdio: "ignore" });
      onTestFinished(() => void writer.kill("SIGKILL"));
      await sleep(50);
      expect(await codes("pipe", s.ws)).toEqual(refused);
      await sleep(50);
      expect(writer.exitCode).toBeNull();
    });

    it("is rejected as a socket", async () => {
      const s = site();
      const server = createServer().listen(join(s.ws, "socket"));
      onTestFinished(() => void server.close());
      await once(server, "listening");
      expect(await codes("socket", s.ws)).toEqual(refused);
    });

    it("is rejected as a device", async (): Promise<void> => {
      const s = site();
      if (!succeeds("mknod", join(s.ws, "zero"), "c", "1", "5")) return cannotRun("devices cannot be made");
      expect(await codes("zero", s.ws)).toEqual(refused);
    });
  });

  describe("permissions", () => {
    const start = () => {
      const s = site();
      chmodSync(s.base, 0o755);
      chmodSync(s.ws, 0o777);
      return { ...s, workspace: open(level, { root: s.ws }) };
    };

    it("that are missing for a file or its folder are reported, and nothing changes", async () => {
      const { workspace, put, ws } = start();
      put("ws/locked/file", "kept");
      chmodSync(put("ws/private", "kept"), 0o000);
      chmodSync(put("ws/read-only", "kept"), 0o444);
      chmodSync(join(ws, "locked"), 0o555);
      await unprivileged(async () => {
        for (const call of [
          () => workspace.fs.read("private"),
          () => workspace.fs.append("read-only", bytes("x")),
          () => workspace.fs.write("locked/new", bytes("x")),
          () => workspace.fs.write("locked/a/b", bytes("x")),
          () => workspace.fs.mkdirp("locked/dir"),
          () => workspace.fs.remove("locked/file"),
          () => workspace.fs.rename("locked/file", "stolen"),
        ]) {
          const error = await catchFailure(call());
          expect([error.code, error.category, error.receipt]).toEqual([
            "ACCESS_DENIED",
            "operational",
            "none",
          ]);
        }
        // Passing through takes less than listing.
        expect(await readText(workspace, "locked/file")).toBe("kept");
      });
      chmodSync(join(ws, "locked"), 0o755);
      expect(readFileSync(join(ws, "read-only"), "utf8")).toBe("kept");
      expect(readdirSync(ws).toSorted()).toEqual(["locked", "private", "read-only"]);
    });

    it("that make a file read-only prevent its replacement", async () => {
      const { put, ws } = start();
      const file = put("ws/read-only", "kept");
      chmodSync(file, 0o444);
      // A process of its own: the check asks for the real user, whom nobody can change back.
      const script = `
        import { createHostWorkspace } from ${JSON.stringify(import.meta.resolve("../../src/index.ts"))};
        const { fs } = createHostWorkspace({ root: ${JSON.stringify(ws)} });
        await fs.write("read-only", new Uint8Array(1)).catch((error) => console.log(error.code));`;
      const answer = execFileSync(
        process.execPath,
        [...conditions, "--input-type=module", "--eval", script],
        { encoding: "utf8", ...(isRoot && { uid: 65534, gid: 65534 }) },
      );
      expect(answer.trim()).toBe("ACCESS_DENIED");
      expect(readFileSync(file, "utf8")).toBe("kept");
    });

    it("to search a folder suffice to pass through it", async () => {
      const { workspace, put, ws } = start();
      put("ws/passage/file", "found");
      chmodSync(join(ws, "passage"), 0o711);
      await unprivileged(async () => {
        expect(await readText(workspace, "passage/file")).toBe("found");
      });
    });

    it("keep the owner of a replaced file if the system allows it", async (): Promise<void> => {
      if (!isRoot) return cannotRun("only root can give files away");
      const { workspace, put } = start();
      const file = put("ws/theirs", "old");
      chownSync(file, 1234, 4321);
      await workspace.fs.write("theirs", bytes("new"));
      expect(statSync(file)).toMatchObject({ uid: 1234, gid: 4321 });
      chmodSync(file, 0o666);
      await unprivileged(() => workspace.fs.write("theirs", bytes("newer")));
      expect(readFileSync(file, "utf8")).toBe("newer");
    });

    it("of an immutable file also bind root", async (): Promise<void> => {
      const { workspace, put, ws } = start();
      const file = put("ws/fixed", "kept");
      if (!succeeds("chattr", "+i", file)) return cannotRun("files cannot be made immutable");
      onTestFinished(() => void succeeds("chattr", "-i", file));
      expect(await catchErrorCode(workspace.fs.write("fixed", bytes("x")))).toBe("ACCESS_DENIED");
      expect(await catchErrorCode(workspace.fs.append("fixed", bytes("x")))).toBe("ACCESS_DENIED");
      expect(await catchErrorCode(workspace.fs.remove("fixed"))).toBe("ACCESS_DENIED");
      expect(await catchErrorCode(workspace.fs.rename("fixed", "free"))).toBe("ACCESS_DENIED");
      expect(readdirSync(ws)).toEqual(["fixed"]);
    });
  });

  describe("on another file system", () => {
    const mount = (path: string, ...options: string[]): boolean => {
      mkdirSync(path, { recursive: true });
      if (!succeeds("mount", "-t", "tmpfs", "-o", ["size=256k", ...options].join(","), "tmpfs", path))
        return false;
      onTestFinished(() => void execFileSync("umount", ["--lazy", path]));
      return true;
    };

    it("leaves all files unchanged if the disk is full", async (): Promise<void> => {
      const s = site();
      if (!mount(s.ws)) return cannotRun("nothing can be mounted");
      const workspace = open(level, { root: s.ws });
      await workspace.fs.write("log", bytes("line"));
      const calls = [
        () => workspace.fs.write("log", new Uint8Array(300_000)),
        () => workspace.fs.write("new", new Uint8Array(300_000), { mode: "create" }),
        () => workspace.fs.write("a/b/c", new Uint8Array(SLICE_BYTES + 1)),
        () => workspace.fs.append("log", new Uint8Array(300_000)),
      ];
      for (const call of calls) {
        const error = await catchFailure(call());
        expect([error.code, error.receipt]).toEqual(["DISK_FULL", "none"]);
      }
      expect(await readText(workspace, "log")).toBe("line");
      expect(readdirSync(s.ws)).toEqual(["log"]);
    });

    it("reports a read-only file system", async (): Promise<void> => {
      const s = site();
      if (!mount(s.ws, "ro")) return cannotRun("nothing can be mounted");
      const workspace = open(level, { root: s.ws });
      for (const call of [() => workspace.fs.write("a/b", bytes("x")), () => workspace.fs.mkdirp("a")]) {
        expect(await catchErrorCode(call())).toBe("READ_ONLY");
      }
    });

    it("F12: copies a moved file first, and removes the original last", async (): Promise<void> => {
      const s = site();
      const other = join(s.ws, "other");
      if (!mount(other)) return cannotRun("nothing can be mounted");
      chmodSync(s.put("ws/run.sh", "echo"), 0o750);
      s.put("ws/big", "x".repeat(300_000));
      s.put("ws/dir/file");
      s.put("ws/other/taken", "kept");
      const workspace = open(level, { root: s.ws });
      await workspace.fs.rename("run.sh", "other/run.sh");
      expect(statSync(join(other, "run.sh")).mode & 0o777).toBe(0o750);
      expect(await catchErrorCode(workspace.fs.rename("big", "other/big"))).toBe("DISK_FULL");
      expect(await catchErrorCode(workspace.fs.rename("dir", "other/dir"))).toBe("FILE_SYSTEM_FAILED");
      expect(await catchErrorCode(workspace.fs.rename("big", "other/taken"))).toBe("FILE_EXISTS");
      expect(readdirSync(s.ws).toSorted()).toEqual(["big", "dir", "other"]);
      expect(readdirSync(other).toSorted()).toEqual(["run.sh", "taken"]);
      expect(leftovers(s.ws)).toEqual([]);
    });

    it("keeps the access of a root that is mounted again inside another root", async (): Promise<void> => {
      const s = site();
      s.put("outside/file", "kept");
      const alias = join(s.ws, "alias");
      mkdirSync(alias);
      mkdirSync(join(s.ws, "docs"));
      if (!succeeds("mount", "--bind", s.outside, join(s.ws, "docs")))
        return cannotRun("nothing can be mounted");
      onTestFinished(() => void execFileSync("umount", ["--lazy", join(s.ws, "docs")]));
      execFileSync("mount", ["--bind", s.outside, alias]);
      onTestFinished(() => void execFileSync("umount", ["--lazy", alias]));
      const workspace = open(level, {
        root: s.ws,
        roots: { docs: { path: join(s.ws, "docs"), access: "ro" } },
      });
      expect(await catchErrorCode(workspace.fs.write("docs/file", bytes("x")))).toBe("READ_ONLY");
      expect(await catchErrorCode(workspace.fs.write("alias/file", bytes("x")))).toBe("READ_ONLY");
      expect(readFileSync(join(s.outside, "file"), "utf8")).toBe("kept");
    });
  });
});
