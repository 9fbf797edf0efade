import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { until } from "../../../../../test/support/until.ts";
import { haftHere, start } from "../../support/haft.ts";
import { chat, createEndlessCommand, exec, openScriptedChat, write } from "./scripted-chat.ts";

test.each(["SIGINT", "SIGTERM"] as const)("ends the chat and its commands at %s", async (signal) => {
  const cwd = await temporaryFolder();
  const { command, hasEnded } = createEndlessCommand();
  const { options } = await openScriptedChat([{ calls: [exec(command)] }]);
  const child = start(["chat", ...options, "-p", "Go.", "--json"], cwd);
  const output = text(child.stdout);
  await until("the command runs", () => existsSync(join(cwd, "begun")));
  child.kill(signal);
  expect(await once(child, "exit")).toEqual([signal === "SIGINT" ? 130 : 143, null]);
  await until("the command has ended", hasEnded);
  const lines = (await output)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; ended?: string });
  expect(lines.at(-1)).toMatchObject({ type: "end", ended: "aborted" });
});

test("ends if its reader closes the output", async () => {
  const cwd = await temporaryFolder();
  const { options } = await openScriptedChat(() => ({ text: "x".repeat(100_000), calls: [exec("true")] }));
  const child = start(["chat", ...options, "-p", "Go."], cwd);
  child.stdout.once("data", () => child.stdout.destroy());
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(1);
});

test("reports a killed call to the model of the next chat", async () => {
  const cwd = await temporaryFolder();
  const { options } = await openScriptedChat([
    { calls: [write("a.txt", "a"), exec(createEndlessCommand().command)] },
  ]);
  const child = start(["chat", ...options, "-p", "Go."], cwd);
  await until("the command runs", () => existsSync(join(cwd, "begun")));
  child.kill("SIGKILL");
  await once(child, "exit");
  const [, runId = ""] =
    /"runId":"(\w+)"/.exec((await haftHere(["ledger", "list", "--json"], { cwd })).stdout) ?? [];
  const next = await chat(cwd, ({ prompt }) => ({ text: prompt }), ["--resume", runId, "-p", "Go on."]);
  expect(next.code).toBe(0);
  expect(next.stdout).toMatch(
    /^\(You were interrupted\.[^]*write .*: ok\nexec .*unknown effects[^]*Go on\.\n$/,
  );
});

test("prints the install command if the package is missing", async () => {
  const cwd = await temporaryFolder();
  // A loader that knows nothing of it stands for a folder in which it is not installed.
  const hide = `import { registerHooks } from "node:module"; registerHooks({ resolve(name, context, next) { if (name === "@haft/chat") throw Object.assign(new Error("Cannot find package '@haft/chat' imported from here"), { code: "ERR_MODULE_NOT_FOUND" }); return next(name, context); } });`;
  const child = start(["chat", "-p", "x"], cwd, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hide)}`,
  });
  child.stdin.end();
  const [stderr] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(child.exitCode).toBe(1);
  expect(stderr).toMatch(/haft chat needs @haft\/chat[^]*npm install @haft\/chat@\d/);
});
