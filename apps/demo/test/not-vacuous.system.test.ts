import { spawn, type ChildProcess } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { ModelRequest, Script, Turn } from "../../../scripts/lib/scripted-model/script.ts";
import { runDemo } from "../src/demo.ts";
import {
  openModel,
  serveScripts,
  repairScript,
  sandboxScript,
  talkScript,
  visitorScript,
} from "../src/model.ts";
import { darkScreen } from "../src/screen.ts";
import { partNames } from "../src/usage.ts";
import { isolated } from "./run-demo.ts";

/** A live model has all conversations. */
const all: Script = (request: ModelRequest) => {
  const { prompt: task } = request;
  if (task.includes("my watches")) return visitorScript(request);
  if (task.includes("`src/server.js`")) return talkScript(request);
  return task.includes("sandbox") ? sandboxScript(request) : repairScript(request);
};

/** A model whose calls of a tool are changed. */
function changeCalls(
  name: string,
  change: (args: Record<string, unknown>) => Record<string, unknown>,
  model: Script = all,
): Script {
  const changed = (reply: Turn): Turn => ({
    ...reply,
    calls: (reply.calls ?? []).map((call) =>
      call.name === name && typeof call.arguments === "object"
        ? { name, arguments: change({ ...call.arguments }) }
        : call,
    ),
  });
  return async (request) => changed(await model(request));
}

/**
 * The demo's findings about such a model, in this process; other tests cover the command's output.
 *
 * @param parts that the script affects
 * @param started receives the folder of the copy
 */
async function failedChecks(
  script: Script,
  parts: string[],
  started: (temporary: string) => void = () => {},
): Promise<string[]> {
  const temporary = mkdtempSync(join(tmpdir(), "demo-test-"));
  using _ = { [Symbol.dispose]: () => rmSync(temporary, { recursive: true, force: true }) };
  await using endpoint = await serveScripts({ scripted: script });
  await using model = await openModel("live", {
    OPENAI_BASE_URL: endpoint.baseUrl,
    OPENAI_MODEL: "scripted",
  });
  expect(model.kind).toBe("live");
  started(temporary);
  const { signal } = new AbortController();
  const { ok, checks } = await runDemo({
    model,
    screen: darkScreen,
    parts,
    signal,
    temporary,
  });
  expect(readdirSync(temporary)).toEqual([]);
  const failed = checks.filter((check) => !check.ok).map(({ what }) => what);
  expect(ok).toBe(failed.length === 0);
  return failed;
}

const inSandbox = isolated
  ? ["the tests pass in the sandboxed copy", "the tests pass in the copy on the node"]
  : [];

// Its warnings about model settings would go to standard output.
beforeAll(() => void Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false }));

// Each run has its own folder, model and processes, and mostly waits.
describe.concurrent("verifications of the demo can fail", () => {
  test("the good model also passes with a live endpoint", async () => {
    // Models do not affect this part.
    const parts = partNames.filter((name) => name !== "contained");
    expect(await failedChecks(all, parts)).toEqual([]);
  });

  test("a model that only says it is done", async () => {
    expect(
      await failedChecks(() => ({ text: "Done, all repaired!" }), ["repair", "sandbox", "node", "formats"]),
    ).toEqual([
      "the same tests pass now",
      "the server answered the demo",
      "the agent ended the server",
      "only src and CHANGELOG.md changed",
      "the message went out once",
      ...inSandbox,
      "both formats say the same",
    ]);
  });

  test("a wrong repair", async () => {
    const wrong = changeCalls("edit", (args) => ({
      ...args,
      new_string: String(args["new_string"]).replace("setUTCDate(0)", "setUTCDate(1)"),
    }));
    expect(await failedChecks(wrong, ["repair", "sandbox", "node", "formats"])).toEqual([
      "the same tests pass now",
      "the server answered the demo",
      ...inSandbox,
    ]);
  });

  test("a model that changes the tests instead", async () => {
    const cheat: Script = (request) => {
      const content =
        'import { test } from "node:test";\nfor (let i = 0; i < 5; i++) test(`${i}`, () => {});\n';
      const message = { channel: "team", text: "Everything passes now." };
      const calls = [
        { name: "write", arguments: { path: "test/invoice.test.js", content } },
        { name: "read", arguments: { path: "src/calendar.js" } },
        { name: "notify", arguments: message },
      ];
      const next = calls[request.results.length];
      return next ? { calls: [next] } : { text: "Done." };
    };
    expect(await failedChecks(cheat, ["repair"])).toEqual([
      "the server answered the demo",
      "the agent ended the server",
      "only src and CHANGELOG.md changed",
    ]);
  });

  test("a server that runs at the end stops with its session, which is not counted as the agent's work", async () => {
    const careless: Script = async (request) => {
      const reply = await all(request);
      return JSON.stringify(reply.calls ?? []).includes('"kill"') ? { text: "Done." } : reply;
    };
    expect(await failedChecks(careless, ["repair"])).toEqual([
      "the agent ended the server",
      "the message went out once",
    ]);
  });

  // Each of four faults fails its own check.
  test("detects a server that does not listen, two different messages, another writer to the copy, and a process left in the copy", async () => {
    let temporary = "";
    let stays: ChildProcess | undefined;
    let sent = 0;
    const copy = () => join(temporary, readdirSync(temporary)[0]!);
    const fake = changeCalls("exec", (args) =>
      args["background"]
        ? { ...args, command: "echo http://127.0.0.1:1/; sleep 0.5; echo busy; sleep 600" }
        : args,
    );
    const chatty = changeCalls(
      "notify",
      (args) => ({ ...args, text: `${String(args["text"])} (${++sent})` }),
      fake,
    );
    const meddling: Script = (request) => {
      appendFileSync(join(copy(), "neighbour", "salaries.csv"), "B. Somebody,99999\n");
      // Other systems cannot list processes by folder.
      if (process.platform === "linux") {
        stays ??= spawn("sleep", ["600"], { cwd: join(copy(), "project"), stdio: "ignore" });
      }
      return chatty(request);
    };
    const started = (folder: string) => void (temporary = folder);
    try {
      expect(await failedChecks(meddling, ["repair"], started)).toEqual([
        "the server answered the demo",
        "the message went out once",
        "nothing outside the copy changed",
        ...(process.platform === "linux" ? ["nothing is left running"] : []),
      ]);
    } finally {
      stays?.kill();
    }
  });
});
