import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { readdirSync, readFileSync } from "node:fs";
import { expect, onTestFinished } from "vitest";
import { openView } from "../../src/internal.ts";
import { attempts } from "../escapes/attempts.ts";
import { tempFolder } from "../support.ts";
import { aView, ranIn, specOf, testContained } from "./support.ts";

/** The runner of the view that works with this folder, as the host counts: the second process there. */
function runnerOf(stateFolder: string): number {
  const found = readdirSync("/proc").filter((name) => {
    try {
      const ofIt = readFileSync(`/proc/${name}/cmdline`, "utf8").includes(stateFolder);
      return ofIt && /^NSpid:.*\s2$/m.test(readFileSync(`/proc/${name}/status`, "utf8"));
    } catch {
      return false;
    }
  });
  expect(found).toHaveLength(1);
  return Number(found[0]);
}

testContained(
  "a runner that answers nothing any more: the view is ended, the call says so, and the next one works",
  async () => {
    const [root, stateFolder] = [tempFolder("view"), tempFolder("runs")];
    const view = openView(specOf({ writable: [root] }));
    const processes = createHostProcesses({
      workspace: createHostWorkspace({ root }),
      view: { ...view.launch, answerMs: 1000 },
      stateFolder,
    });
    onTestFinished(async () => {
      await processes.close({ graceMs: 0 });
      await view.close();
    });
    expect((await ranIn(processes, "echo before")).output).toBe("before\n");
    const { id } = await processes.start("left", { script: "sleep 600" });
    process.kill(runnerOf(stateFolder), "SIGSTOP");
    await expect(processes.start("hangs", { script: "echo hangs" })).rejects.toMatchObject({
      code: "RUNNER_LOST",
      message: expect.stringContaining("not answered"),
    });
    expect(await processes.info(id)).toMatchObject({ state: "lost" });
    expect((await ranIn(processes, "echo after")).output).toBe("after\n");
  },
);

testContained("the runner's memory, environment and open files are closed, of its threads, too", async () => {
  const { run } = await aView();
  const { script } = attempts.find(({ name }) => name === "runner-memory")!;
  expect((await run(script)).output).toMatch(/^KEPT/m);
  const threads = `for f in /proc/2/task/*/mem /proc/2/task/*/environ; do { command : <"$f"; } 2>/dev/null && echo "opened $f"; done; ls -d /proc/2/task/*`;
  const { output } = await run(threads);
  expect(output).not.toContain("opened");
  expect(output.split("\n").length).toBeGreaterThan(3);
});
