import { contentToText } from "@haft/core";
import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { createExecTools, type ExecToolsOptions } from "../../src/index.ts";

async function tools(options: Partial<ExecToolsOptions> = {}) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "haft-exec-tools-")));
  const made = createExecTools({ root, ...options });
  onTestFinished(async () => {
    await made.close();
    await rm(root, { recursive: true, force: true });
  });
  return { root, tools: made };
}

test("runs commands in the folder, and ends background commands on close", async () => {
  const { root, tools: made } = await tools({ environment: { set: { GREETING: "hello" } } });
  expect(made.all.map(({ name }) => name)).toEqual(["exec", "process", "bash"]);
  const outcome = await made.exec.call({ command: "echo $GREETING; pwd" });
  expect(outcome).toMatchObject({ kind: "ok", details: { exitCode: 0 } });
  expect(contentToText(outcome.content)).toBe(`hello\n${root}`);
  const server = "touch up; trap 'touch ended; exit' TERM; while :; do sleep 0.05; done";
  const started = await made.exec.execute("1", { command: server, background: true });
  const { sessionId } = started.details as { sessionId: string };
  await until("it runs", () => existsSync(join(root, "up")));
  expect(contentToText((await made.process.execute("1", { action: "list" })).content)).toContain(sessionId);
  await made.close();
  expect(existsSync(join(root, "ended"))).toBe(true);
  expect(await made.exec.call({ command: "touch after" })).toMatchObject({ code: "SESSION_CLOSED" });
  expect(existsSync(join(root, "after"))).toBe(false);
});

test("rejects a request that only a policy or a person can decide", async () => {
  const { root, tools: made } = await tools();
  for (const request of [
    { ask: "always" },
    { security: "allowlist" },
    { security: "deny" },
    { elevated: true },
  ] as const) {
    const outcome = await made.exec.call({ command: "touch ran", ...request });
    expect(outcome).toMatchObject({ kind: "error", receipt: "none" });
  }
  expect(existsSync(join(root, "ran"))).toBe(false);
});

test("rejects an unknown option at once, and a missing folder with the first call", async () => {
  expect(() => createExecTools({ root: "/", timeoutSecs: 1 } as { root: string })).toThrow(/timeoutSec/);
  expect(await createExecTools({ root: "/nowhere/at-all" }).exec.call({ command: "true" })).toMatchObject({
    code: "ROOT_INVALID",
  });
});

test("resolves a relative folder at the creation of the tools", async () => {
  const { root } = await tools();
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(root);
  const made = createExecTools({ root: "." });
  onTestFinished(() => made.close());
  process.chdir("/");
  const { content } = await made.exec.call({ command: "pwd" });
  expect(contentToText(content)).toContain(realpathSync(root));
});

test("closes safely after a failed opening", async () => {
  const roots = { notes: 5 } as unknown as NonNullable<ExecToolsOptions["roots"]>;
  const { tools: made } = await tools({ roots });
  expect(await made.exec.call({ command: "true" })).toMatchObject({ code: "INVALID_OPTIONS" });
  await made.close();
});

test("lets a program end while the tools are idle", async () => {
  const { root } = await tools();
  const program = `
    import { createExecTools } from ${JSON.stringify(join(import.meta.dirname, "../../src/index.ts"))};
    const outcome = await createExecTools({ root: ${JSON.stringify(root)} }).exec.call({ command: "echo ran" });
    console.log(outcome.content[0].text);
  `;
  const args = ["--conditions=@haft/source", "--no-warnings", "--input-type=module", "--eval", program];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect({ stdout, stderr, status }).toEqual({ stdout: "ran\n", stderr: "", status: 0 });
});
