import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { view } from "../../../../../test/support/view.ts";
import { haftHere } from "../../support/haft.ts";
import { bash, chat, exec, NO_KEYS, hostOptions, openScriptedChat } from "./scripted-chat.ts";

const SECRET = "AKIAIOSFODNN7EXAMPLE";
describe("one answer", () => {
  test.skipIf(!view.available)("goes to standard output, and everything else to standard error", async () => {
    const cwd = await temporaryFolder();
    const turns = [{ text: "I look.", calls: [exec("echo hello")] }, { text: "It says hello." }];
    const run = await chat(cwd, turns, ["-p", "Look."]);
    expect(run).toMatchObject({ code: 0, stdout: "I look.\nIt says hello.\n" });
    expect(run.stderr).toMatch(
      /^● exec echo hello\nhaft: 2 answers of the model: .*\nhaft: To continue: haft chat --resume 0\S+ --model/,
    );
  });

  test("limits writes of commands to the workspace without rules", async () => {
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

  test.skipIf(!view.available)("prints events in order as lines of JSON", async () => {
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

  test("reads the prompt from standard input without a terminal", async () => {
    const cwd = await temporaryFolder();
    const { endpoint, options } = await openScriptedChat([]);
    const run = await haftHere(["chat", ...options], { cwd, input: "From a file.\n" });
    expect(run).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(endpoint.requests[0]?.prompt).toBe("From a file.\n");
    expect(await haftHere(["chat", ...options], { cwd, input: "\n" })).toMatchObject({ code: 2, stdout: "" });
  });

  test("reports pending calls by its exit code, and tells the next chat their outcome", async () => {
    const cwd = await temporaryFolder();
    const first = await chat(
      cwd,
      [{ calls: [bash("touch done")] }, { text: "It waits." }],
      ["-p", "Go.", ...hostOptions(cwd)],
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
      ["--resume", "-p", "And now?", ...hostOptions(cwd)],
    );
    expect(next).toMatchObject({ code: 0, stdout: "Heard: And now?\n" });
    expect(existsSync(join(cwd, "done"))).toBe(true);
    expect(seen).toMatch(/^The call waited for approval\. It was decided and ended:/);
  });

  test("denies calls with --approvals deny", async () => {
    const cwd = await temporaryFolder();
    const run = await chat(
      cwd,
      [{ calls: [bash("touch done")] }, { text: "No." }],
      ["-p", "Go.", "--approvals", "deny", ...hostOptions(cwd)],
    );
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining("APPROVAL_UNAVAILABLE") });
    expect(existsSync(join(cwd, "done"))).toBe(false);
  });
});

describe("errors of the model", () => {
  test("name the missing settings, without requests and stored files", async () => {
    const cwd = await temporaryFolder();
    const run = await haftHere(["chat", "-p", "Hello"], { cwd, env: { ...NO_KEYS, HOME: cwd } });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(
      /ANTHROPIC_API_KEY=…[^]*OPENAI_API_KEY=…[^]*GEMINI_API_KEY=…[^]*--base-url[^]*\[MODEL_SETTINGS\]/,
    );
    expect(existsSync(join(getStateFolder(cwd), "chats"))).toBe(false);
  });

  test.each([
    [["--model", "gpt-5"], /provider\/model/],
    [["--model", "nowhere/x"], /provider "nowhere" is unknown/],
    [["--model", "openai/x"], /OPENAI_API_KEY is not set/],
    [["--model", "openai/x", "--base-url", "ftp://127.0.0.1"], /https: or http:/],
    [["--model", "openai/x", "--base-url", "http://me:secret@127.0.0.1"], /which belong in a variable/],
    [
      ["--model", "openai/x", "--base-url", "http://127.0.0.1:1", "--key-env", "NO_SUCH"],
      /NO_SUCH is not set/,
    ],
    [["--model", "openai/x", "--base-url", "http://model.example", "--key-env", "SOME_KEY"], /unencrypted/],
    [["--base-url", "http://127.0.0.1:1"], /Set the model with --model/],
  ])("%j", async (args, pattern) => {
    const cwd = await temporaryFolder();
    const run = await haftHere(["chat", "-p", "Hello", ...args], {
      cwd,
      env: { ...NO_KEYS, SOME_KEY: SECRET },
    });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(pattern);
    expect(run.stderr).not.toMatch(new RegExp(`secret@|${SECRET}`));
  });

  test("exit with code 1 and the message of the endpoint, also as JSON", async () => {
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

  test("send a key only to its own endpoint", async () => {
    const cwd = await temporaryFolder();
    const keys = { OPENAI_API_KEY: "sk-of-the-service", MINE: "sk-of-mine" };
    const without = await chat(cwd, [], ["-p", "Hello"], keys);
    expect(JSON.stringify(without.endpoint.requests[0]?.headers)).not.toContain("sk-of");
    const named = await chat(cwd, [], ["-p", "Hello", "--key-env", "MINE"], keys);
    expect(named.endpoint.requests[0]?.headers["authorization"]).toBe("Bearer sk-of-mine");
    const { endpoint } = await openScriptedChat([]);
    const env = { ...NO_KEYS, ...keys, OPENAI_BASE_URL: `${endpoint.url}/v1` };
    expect((await haftHere(["chat", "-p", "Hello", "--model", "openai/x"], { cwd, env })).code).toBe(0);
    expect(endpoint.requests[0]?.headers["authorization"]).toBe("Bearer sk-of-the-service");
  });

  test("accept a provider of the configuration, but not of the workspace", async () => {
    const cwd = await temporaryFolder();
    const { endpoint } = await openScriptedChat([]);
    const config = (model: string) =>
      `chat:\n  model: ${model}\n  providers:\n    mine: { api: anthropic, baseUrl: "${endpoint.url}", key: { env: MINE } }\n`;
    const file = join(getStateFolder(cwd), "..", `${cwd.split("/").at(-1)}.yaml`);
    writeFileSync(file, config("mine/some"));
    const env = { ...NO_KEYS, MINE: "sk-of-mine" };
    const run = await haftHere(["chat", "-p", "Hello", "--config", file], { cwd, env });
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
