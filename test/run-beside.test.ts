import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { runBeside } from "../scripts/lib/guarded/run-beside.ts";
import { run } from "../scripts/lib/workspace.ts";
import { until } from "./support/until.ts";

/** A script in an empty folder, in which it may write who goes on. */
function place() {
  const cwd = mkdtempSync(join(tmpdir(), "haft-beside-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const told = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => told.mockRestore());
  const sh = (script: string) => ({ args: ["-c", script], ready: /ready/ });
  const pid = () => Number(readFileSync(join(cwd, "pid"), "utf8"));
  const isGone = () => {
    // Nobody may be there who takes note of its end.
    const stat = existsSync(`/proc/${pid()}/stat`) ? readFileSync(`/proc/${pid()}/stat`, "utf8") : "Z";
    return /^Z$|\) Z /.test(stat);
  };
  return { cwd, sh, told, isGone, env: { PATH: process.env["PATH"]! } };
}

/** Leaves the group of its parent, and keeps the output of that open. */
const LEAVES = `setsid sh -c 'echo $$ > pid; exec sleep 1000' & while [ ! -s pid ]; do sleep 0.01; done;`;

test.skipIf(process.platform !== "linux").each([
  ["that runs on", `${LEAVES} echo ready; exec sleep 1000`],
  ["that has ended by itself", `${LEAVES} echo ready`],
])("of a program %s nothing is left, also what left its group with its output", async (_, script) => {
  const { cwd, sh, told, isGone, env } = place();
  const beside = await runBeside("sh", sh(script), { cwd, env });
  expect(isGone()).toBe(false);
  await beside[Symbol.asyncDispose]();
  await until("it is gone", isGone);
  expect(told.mock.calls.flat()).toEqual([expect.stringContaining("left 1 of what it started")]);
});

test("one that cannot be started, and one that ends before it is ready, say so", async () => {
  const { cwd, sh, env } = place();
  await expect(runBeside("./nowhere", sh(""), { cwd, env })).rejects.toThrow("ENOENT");
  await expect(runBeside("sh", sh("echo no luck"), { cwd, env })).rejects.toThrow(
    /did not become ready:\nno luck/,
  );
  await expect(runBeside("sh", sh("kill -9 $$"), { cwd, env })).rejects.toThrow("did not become ready");
});

test.skipIf(process.platform !== "linux")(
  "a command is given up in its time though something holds its output",
  async () => {
    const { cwd, isGone, env } = place();
    const command = run("sh", ["-c", `${LEAVES} sleep 1000`], { cwd, env, limitMs: 300 });
    await expect(command).rejects.toThrow("ended with SIGKILL");
    expect(isGone()).toBe(false);
    process.kill(Number(readFileSync(join(cwd, "pid"), "utf8")), "SIGKILL");
  },
);
