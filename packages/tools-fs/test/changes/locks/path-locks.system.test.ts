import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { conditions } from "../../../../../test/support/build-under-test.ts";
import { withPathLocks } from "../../../src/changes/locks/path-locks.ts";
import { temporaryFolder } from "../../support/tool-context.ts";

const child = fileURLToPath(new URL("../../support/lock-child.ts", import.meta.url));

async function bench() {
  const folder = temporaryFolder();
  const locks = join(folder, "locks");
  const file = join(folder, "counter");
  await writeFile(file, "0");
  const start = (times: number, mode = "") =>
    spawn(process.execPath, [...conditions, child, file, String(times), locks, mode], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  return { locks, file, target: { path: "counter", real: file }, start };
}

describe("locks of files across processes", () => {
  test("prevent two processes from changing one file at once, and leave nothing behind", async () => {
    const { locks, file, start } = await bench();
    await Promise.all([start(60), start(60), start(60)].map((process) => once(process, "exit")));
    expect(await readFile(file, "utf8")).toBe("180");
    expect(await readdir(locks)).toEqual([]);
  });

  test("report a process that holds a file after a bounded wait", async () => {
    const { locks, target, start } = await bench();
    const holder = start(1, "hang");
    onTestFinished(() => void holder.kill("SIGKILL"));
    await once(holder.stdout, "data");
    const work = withPathLocks([target], async () => "done", { folder: locks, waitMs: 50 });
    await expect(work).rejects.toMatchObject({
      code: "FILE_BUSY",
      receipt: "none",
      message: expect.stringContaining("counter") as string,
      details: { pid: holder.pid },
    });
    const exited = once(holder, "exit");
    holder.kill("SIGKILL");
    await exited;
    // It died with the lock in its hands.
    expect(await withPathLocks([target], async () => "done", { folder: locks, waitMs: 5_000 })).toBe("done");
    expect(await readdir(locks)).toEqual([]);
  });

  test("are exclusive even if many processes find an abandoned lock", async () => {
    const { locks, file, start, target } = await bench();
    await withPathLocks(
      [target],
      async () => {
        const [name = ""] = await readdir(locks);
        await rm(join(locks, name));
        await symlink("2147483646:1:gone:1", join(locks, name));
        await symlink("2147483646:1:gone:2", join(locks, `${name}~`));
      },
      { folder: locks },
    );
    // Letting go took the dead lock away with it: put it back.
    const name = (await readdir(locks))[0]?.slice(0, -1) ?? "";
    await symlink("2147483646:1:gone:3", join(locks, name));
    await Promise.all([start(20), start(20), start(20)].map((process) => once(process, "exit")));
    expect(await readFile(file, "utf8")).toBe("60");
    expect(await readdir(locks)).toEqual([]);
  });

  test("are not used in a folder that others can write to", async () => {
    const { locks, target } = await bench();
    await withPathLocks([target], async () => undefined, { folder: locks });
    await chmod(locks, 0o777);
    const other = `${locks}-open`;
    await symlink(locks, other);
    const seen = await withPathLocks([target], () => readdir(locks), { folder: other });
    expect(seen).toEqual([]);
  });

  test("do not affect the result if the folder was cleaned up", async () => {
    const { locks, target } = await bench();
    const work = async (): Promise<string> => {
      await rm(locks, { recursive: true });
      return "done";
    };
    expect(await withPathLocks([target], work, { folder: locks })).toBe("done");
    expect(await withPathLocks([target], () => readdir(locks), { folder: locks })).toHaveLength(1);
  });

  test("stop waiting after an abort", async () => {
    const { locks, target } = await bench();
    const controller = new AbortController();
    const inner = (): Promise<string> => {
      setTimeout(() => controller.abort(), 20);
      return withPathLocks([target], async () => "done", { folder: locks, signal: controller.signal });
    };
    await expect(withPathLocks([target], inner, { folder: locks })).rejects.toMatchObject({
      code: "ABORTED",
    });
  });
});
