import { describe, expect, test } from "vitest";
import { createDockerBackend } from "../../src/index.ts";
import { specFor } from "../spec-for.ts";
import { folder, openBy, run, useDocker } from "./support.ts";

const { daemon, socketPath, open } = await useDocker();
const limits = { memoryMb: 128, tasks: 64, cpus: 0, fileMb: 64, tmpMb: 32 };
/** Takes a megabyte after the other, up to this many. */
const taking = (mb: number): string =>
  `node -e 'const a=[];for(let i=0;i<${mb};i++)a.push(Buffer.alloc(1048576,1));console.log("took",a.length)'`;

describe.skipIf(daemon === undefined)("a limit on memory", () => {
  test.each([
    ["the command itself", taking(400)],
    ["what a shell has started", `${taking(400)}; exit $?`],
    [
      "one of many",
      `for i in 1 2 3 4 5 6; do (${taking(60)}; exit $?) & done; s=0; for j in 1 2 3 4 5 6; do wait -n 2>/dev/null || s=137; done; exit $s`,
    ],
  ])("ends a command that goes over it, and nothing else: %s", async (_what, script) => {
    const sandbox = await open({ limits });
    const before = sandbox.ref.id;
    const bystander = await sandbox.processes.start("bystander", { argv: ["cat"], stdin: "open" });
    const { info } = await run(sandbox, script, "bash");
    expect(info).toMatchObject({ state: "exited", outOfMemory: { limitMb: 128 } });
    expect(sandbox.ref.id).toBe(before);
    expect((await sandbox.fs.write("after", Buffer.from("x"))).created).toBe(true);
    expect(await run(sandbox, "echo there")).toMatchObject({ code: 0, text: "there\n" });
    expect(await sandbox.processes.info(bystander.id)).toBeDefined();
  });

  test("says nothing of memory where it was not the reason", async () => {
    const sandbox = await open({ limits });
    for (const script of ["kill -9 $$", "exit 137", "true"]) {
      expect((await run(sandbox, script)).info).not.toHaveProperty("outOfMemory");
    }
    expect((await run(sandbox, taking(20))).text).toBe("took 20\n");
  });

  test("that takes the runner with it: lost, with the reason, and opened again", async () => {
    // Its own Node can be read, so that a command may say that it is to go first.
    const byImage = createDockerBackend({ socketPath, runners: ["image-node"] });
    const sandbox = await openBy(byImage, specFor(folder(), { limits }));
    const before = sandbox.ref.id;
    const { ended } = sandbox;
    // Everything else goes before what takes the memory, once the runner has had its say about that.
    const script = `until grep -q 1000 /proc/self/oom_score_adj; do :; done
      for p in /proc/[0-9]*; do echo 1000 > $p/oom_score_adj; done 2>/dev/null
      echo 0 > /proc/self/oom_score_adj; ${taking(400)}; exit $?`;
    const { id } = await sandbox.processes.start("hog", { script });
    expect(await sandbox.processes.wait(id)).toMatchObject({ state: "lost" });
    expect(await ended).toMatchObject({ why: "it used more than 128 MiB of memory", oom: true });
    expect((await sandbox.fs.write("after", Buffer.from("x"))).created).toBe(true);
    expect(sandbox.ref.id).not.toBe(before);
  });
});
