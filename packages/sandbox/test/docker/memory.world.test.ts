import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Containers } from "../../src/docker/container/containers.ts";
import { hasTcpMemoryController, tcpMemoryLimit } from "../../src/docker/container/tcp-memory.ts";
import { Engine } from "../../src/docker/engine/engine.ts";
import { createDockerBackend } from "../../src/index.ts";
import { specFor } from "../spec-for.ts";
import { folder, openWithBackend, run, useDocker } from "./support.ts";

const { daemon, socketPath, open } = await useDocker();
const limits = { memoryMb: 128, tasks: 64, cpus: 0, fileMb: 64, tmpMb: 32 };
/** Takes a megabyte after the other, up to this many. */
const taking = (mb: number): string =>
  `node -e 'const a=[];for(let i=0;i<${mb};i++)a.push(Buffer.alloc(1048576,1));console.log("took",a.length)'`;

describe.skipIf(daemon === undefined)("a limit on memory", () => {
  test.each([
    ["the command itself", taking(400)],
    ["a child of a shell", `${taking(400)}; exit $?`],
    [
      "one of several children",
      `for i in 1 2 3 4 5 6; do (${taking(60)}; exit $?) & done; s=0; for j in 1 2 3 4 5 6; do wait -n 2>/dev/null || s=137; done; exit $s`,
    ],
  ])("ends only a command that exceeds it: %s", async (_what, script) => {
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

  test.skipIf(!hasTcpMemoryController())(
    "also limits data in TCP sockets, if that is counted separately",
    async () => {
      const sandbox = await open({ limits });
      const engine = new Engine(socketPath);
      const { id } = sandbox.ref;
      const pid = await new Containers(engine).mainProcess(id);
      const limit = 128 * 1024 * 1024;
      expect(tcpMemoryLimit({ id, pid })).toBe(limit);
      const fill = `const net = require("net"), all = [];
      const server = net.createServer((one) => all.push(one.pause())).listen(0, "127.0.0.1", () => {
        for (let i = 0; i < 60; i++) {
          const one = net.connect(server.address().port, "127.0.0.1");
          one.on("error", () => {}).on("connect", () => { for (let j = 0; j < 8; j++) one.write(Buffer.alloc(1 << 20)); });
        }
        setTimeout(() => { console.log("full"); process.exit(); }, 1500);
      });`;
      const groups = readFileSync(`/proc/${pid}/cgroup`, "utf8");
      const [, path = ""] = /^\d+:memory:(.*)$/m.exec(groups) ?? [];
      const most = `/sys/fs/cgroup/memory${path}/memory.kmem.tcp.max_usage_in_bytes`;
      // Whether all of it goes or the sockets wait: no more than the limit is ever held.
      await run(sandbox, `node -e '${fill}'`);
      expect(Number(readFileSync(most, "utf8"))).toBeLessThan(1.2 * limit);
      const { details } = await createDockerBackend({ socketPath }).probe();
      expect(details["limit memoryMb"]).toContain("again for data in TCP sockets");
    },
  );

  test("is not reported if a command ends for another reason", async () => {
    const sandbox = await open({ limits });
    for (const script of ["kill -9 $$", "exit 137", "true"]) {
      expect((await run(sandbox, script)).info).not.toHaveProperty("outOfMemory");
    }
    expect((await run(sandbox, taking(20))).text).toBe("took 20\n");
  });

  test.each(["tethered" as const, { idleMs: 60_000, maxAgeMs: 600_000 }])(
    "returns an error and leaves no container if it is too small for the runner",
    async (lifetime) => {
      const backend = createDockerBackend({ socketPath, runners: ["image-node"] });
      const opening = backend.open(specFor(folder(), { limits: { ...limits, memoryMb: 8 }, lifetime }));
      await expect(opening).rejects.toMatchObject({
        code: "SANDBOX_START_FAILED",
        message: expect.stringContaining("its memory limit is too small"),
      });
    },
  );

  test("reports a lost runner with the reason, and the next call opens another sandbox", async () => {
    // Its own Node can be read, so that a command may say that it is to go first.
    const byImage = createDockerBackend({ socketPath, runners: ["image-node"] });
    const sandbox = await openWithBackend(byImage, specFor(folder(), { limits }));
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
