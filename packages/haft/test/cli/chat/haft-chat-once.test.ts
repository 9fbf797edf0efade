import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { until } from "../../../../../test/support/until.ts";
import { haftHere, start, stateFolderOf, temporaryFolder } from "../../support/haft.ts";
import { bash, chat, endless, exec, NO_KEYS, onHost, scripted } from "./scripted.ts";

const SECRET = "AKIAIOSFODNN7EXAMPLE";
describe("one answer", () => {
  test("the words go to standard output, and all else to standard error", async () => {
    const cwd = await temporaryFolder();
    const turns = [{ text: "I look.", calls: [exec("echo hello")] }, { text: "It says hello." }];
    const run = await chat(cwd, turns, ["-p", "Look."]);
    expect(run).toMatchObject({ code: 0, stdout: "I look.\nIt says hello.\n" });
    expect(run.stderr).toMatch(
      /^● exec echo hello\nhaft: 2 answers of the model: .*\nhaft: To continue: haft chat --resume 0\S+ --model/,
    );
  });

  test("commands write in the workspace alone, where no rules say otherwise", async () => {
    const [cwd, outside] = [await temporaryFolder(), await temporaryFolder()];
    const call = exec(`touch inside; touch ${outside}/file`);
    const turns = () => [{ calls: [call] }, { text: "Tried." }];
    await chat(cwd, turns(), ["-p", "Go."]);
    // Where nothing contains commands they are asked about.
    expect(readdirSync(outside)).toEqual([]);
    const rules = join(outside, "rules.yaml");
    writeFileSync(rules, "exec: { security: full }\n");
    await chat(cwd, turns(), ["-p", "Go.", "--policy", rules]);
    expect(readdirSync(outside).toSorted()).toEqual(["file", "rules.yaml"]);
  });

  test("as lines for programs, in the order in which it happens", async () => {
    const cwd = await temporaryFolder();
    const turns = [{ text: "I look.", calls: [exec("exit 3")] }, { text: "It fails." }];
    const run = await chat(cwd, turns, ["-p", "Look.", "--json"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const lines = run.lines();
    expect(lines.map(({ type }) => type)).toEqual(["begin", "text", "call", "result", "text", "end"]);
    expect(lines[3]).toMatchObject({ toolName: "exec", kind: "ok", details: { exitCode: 3 } });
    expect(lines.at(-1)).toMatchObject({
      ended: "done",
      text: "It fails.",
      steps: 2,
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
      runId: expect.stringMatching(/^0/),
      waiting: [],
    });
  });

  test("what is said comes from standard input where that is no terminal", async () => {
    const cwd = await temporaryFolder();
    const { endpoint, options } = await scripted([]);
    const run = await haftHere(["chat", ...options], { cwd, input: "From a file.\n" });
    expect(run).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(endpoint.requests[0]?.prompt).toBe("From a file.\n");
    expect(await haftHere(["chat", ...options], { cwd, input: "\n" })).toMatchObject({ code: 2, stdout: "" });
  });

  test("what needs approval waits: the exit code says so, and the next one hears how it ended", async () => {
    const cwd = await temporaryFolder();
    const first = await chat(
      cwd,
      [{ calls: [bash("touch done")] }, { text: "It waits." }],
      ["-p", "Go.", ...onHost(cwd)],
    );
    expect(first).toMatchObject({ code: 3, stdout: "It waits.\n" });
    const [, id = ""] = /haft approvals answer (\S+) allow-once/.exec(first.stderr) ?? [];
    const answered = await haftHere(["approvals", "answer", id, "allow-once"], { cwd });
    expect(answered.code).toBe(0);
    // What continues it is a chat, with the place of its model.
    expect(answered.stdout).toMatch(/when its session is resumed: haft chat --resume \w{18} .*--base-url /);
    expect(existsSync(join(cwd, "done"))).toBe(false);
    let seen = "";
    const next = await chat(
      cwd,
      ({ results, prompt }) => {
        seen = results[0]?.text ?? "";
        return { text: `Heard: ${prompt}` };
      },
      ["--resume", "-p", "And now?", ...onHost(cwd)],
    );
    expect(next).toMatchObject({ code: 0, stdout: "Heard: And now?\n" });
    expect(existsSync(join(cwd, "done"))).toBe(true);
    expect(seen).toMatch(/^It waited for approval, was decided, and ended:/);
  });

  test("with --approvals deny it is refused", async () => {
    const cwd = await temporaryFolder();
    const run = await chat(
      cwd,
      [{ calls: [bash("touch done")] }, { text: "No." }],
      ["-p", "Go.", "--approvals", "deny", ...onHost(cwd)],
    );
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining("APPROVAL_UNAVAILABLE") });
    expect(existsSync(join(cwd, "done"))).toBe(false);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("%s ends it, and what it started", async (signal) => {
    const cwd = await temporaryFolder();
    const { command, hasEnded } = endless();
    const { options } = await scripted([{ calls: [exec(command)] }]);
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

  test("a reader that leaves ends it", async () => {
    const cwd = await temporaryFolder();
    const { options } = await scripted(() => ({ text: "x".repeat(100_000), calls: [exec("true")] }));
    const child = start(["chat", ...options, "-p", "Go."], cwd);
    child.stdout.once("data", () => child.stdout.destroy());
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(1);
  });
});

describe("what goes wrong with the model", () => {
  test("nothing is set: what to set is said, and nothing is asked or kept", async () => {
    const cwd = await temporaryFolder();
    const run = await haftHere(["chat", "-p", "Hello"], { cwd, env: { ...NO_KEYS, HOME: cwd } });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(
      /ANTHROPIC_API_KEY=…[^]*OPENAI_API_KEY=…[^]*GEMINI_API_KEY=…[^]*--base-url[^]*\[MODEL_SETTINGS\]/,
    );
    expect(existsSync(join(stateFolderOf(cwd), "chats"))).toBe(false);
  });

  test.each([
    [["--model", "gpt-5"], /provider\/model/],
    [["--model", "nowhere/x"], /no provider "nowhere"/],
    [["--model", "openai/x"], /OPENAI_API_KEY, which is not set/],
    [["--model", "openai/x", "--base-url", "ftp://127.0.0.1"], /https: or http:/],
    [["--model", "openai/x", "--base-url", "http://me:secret@127.0.0.1"], /which belong in a variable/],
    [
      ["--model", "openai/x", "--base-url", "http://127.0.0.1:1", "--key-env", "NO_SUCH"],
      /NO_SUCH, which is not set/,
    ],
    [["--model", "openai/x", "--base-url", "http://model.example", "--key-env", "SOME_KEY"], /unencrypted/],
    [["--base-url", "http://127.0.0.1:1"], /name it with --model/],
  ])("%j", async (args, says) => {
    const cwd = await temporaryFolder();
    const run = await haftHere(["chat", "-p", "Hello", ...args], {
      cwd,
      env: { ...NO_KEYS, SOME_KEY: SECRET },
    });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(says);
    expect(run.stderr).not.toMatch(new RegExp(`secret@|${SECRET}`));
  });

  test("an endpoint that fails is exit code 1, with what it said, for programs as a line", async () => {
    const cwd = await temporaryFolder();
    const fault = { kind: "status", status: 404, message: "No such model." } as const;
    const run = await chat(cwd, [{ fault }], ["-p", "Hello", "--json"]);
    expect(run.code).toBe(1);
    expect(run.lines().at(-1)).toMatchObject({
      type: "end",
      ended: "failed",
      error: { error: "MODEL_SETTINGS" },
    });
  });

  test("a key goes to the endpoint that it is of, and to no other", async () => {
    const cwd = await temporaryFolder();
    const keys = { OPENAI_API_KEY: "sk-of-the-service", MINE: "sk-of-mine" };
    const without = await chat(cwd, [], ["-p", "Hello"], keys);
    expect(JSON.stringify(without.endpoint.requests[0]?.headers)).not.toContain("sk-of");
    const named = await chat(cwd, [], ["-p", "Hello", "--key-env", "MINE"], keys);
    expect(named.endpoint.requests[0]?.headers["authorization"]).toBe("Bearer sk-of-mine");
    const { endpoint } = await scripted([]);
    const env = { ...NO_KEYS, ...keys, OPENAI_BASE_URL: `${endpoint.url}/v1` };
    expect((await haftHere(["chat", "-p", "Hello", "--model", "openai/x"], { cwd, env })).code).toBe(0);
    expect(endpoint.requests[0]?.headers["authorization"]).toBe("Bearer sk-of-the-service");
  });

  test("a configuration names a provider of one's own; one in the workspace names nothing", async () => {
    const cwd = await temporaryFolder();
    const { endpoint } = await scripted([]);
    const config = (model: string) =>
      `chat:\n  model: ${model}\n  providers:\n    mine: { api: anthropic, baseUrl: "${endpoint.url}", key: { env: MINE } }\n`;
    const own = join(stateFolderOf(cwd), "..", `${cwd.split("/").at(-1)}.yaml`);
    writeFileSync(own, config("mine/some"));
    const env = { ...NO_KEYS, MINE: "sk-of-mine" };
    const run = await haftHere(["chat", "-p", "Hello", "--config", own], { cwd, env });
    expect(run).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(endpoint.requests[0]).toMatchObject({
      dialect: "anthropic",
      model: "some",
      headers: { "x-api-key": "sk-of-mine" },
    });
    writeFileSync(join(cwd, "haft.config.yaml"), config("mine/some"));
    const refused = await haftHere(["chat", "-p", "Hello"], { cwd, env: { ...env, HOME: cwd } });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("MODEL_SETTINGS") });
    expect(endpoint.requests).toHaveLength(1);
  });
});

test("where the package is not there, the one line that installs it is said", async () => {
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
