import { describe, expect, test } from "vitest";
import type { ChatMessage } from "../src/scripted/chat.ts";
import { repairScript } from "../src/scripted/repair-script.ts";

const MANIFEST = `{ "scripts": { "test": "run-tests", "start": "serve" } }`;
const FAILING = "✖ later\n\ntest at spec/when.test.js:3:1\n✖ later\n\n(Command exited with code 1)";
const ADDRESS = "http://127.0.0.1:4321/?when=now";
const TEST = 'import { later } from "../lib/when.js";\n';
const WHEN = 'import { shift } from "./deep/shift.js";\nexport const later = shift;\n';
const SHIFT = `export function shift(start, count) {
    const end = new Date(start);
    end.setUTCMonth(end.getUTCMonth() + count);
    return end;
}
`;

/** Plays the conversation on: the script speaks, `tools` answer, until it has nothing more to call. */
function play(tools: (name: string, args: Record<string, unknown>) => string) {
  const messages: ChatMessage[] = [{ role: "user", content: "Repair it." }];
  const calls: { name: string; args: Record<string, unknown> }[] = [];
  for (let turn = 0; turn < 30; turn++) {
    const { text = "", calls: [call] = [] } = repairScript({ model: "m", messages });
    if (!call) return { calls, last: text };
    const args = { ...(call.arguments as Record<string, unknown>) };
    const called = { name: call.name, arguments: JSON.stringify(args) };
    const id = `c${turn}`;
    messages.push({
      role: "assistant",
      content: text,
      tool_calls: [{ id, type: "function", function: called }],
    });
    messages.push({ role: "tool", tool_call_id: id, content: tools(call.name, args) });
    calls.push({ name: call.name, args });
  }
  throw new Error("It never ends.");
}

/** Tools over a few files in memory, with tests that pass once something was edited, and a server. */
function toolsOver(files: Record<string, string>, serverSays: readonly string[] = ["", ADDRESS]) {
  let repaired = false;
  const output = [...serverSays];
  return (name: string, args: Record<string, unknown>): string => {
    const path = String(args["file_path"]);
    const content = path === "package.json" ? MANIFEST : files[path];
    if (name === "edit" && content !== undefined) {
      files[path] = content.replace(String(args["old_string"]), String(args["new_string"]));
      repaired = true;
    }
    if (name === "exec" && args["background"]) return "Command still running (session odd-fox, pid 7).";
    if (args["command"] === "run-tests") return repaired ? "✔ later" : FAILING;
    if (args["action"] === "poll") return output.shift() ?? "(no new output)";
    if (name !== "read") return "Done.";
    return content ?? `Error: There is no file ${path}.`;
  };
}

function project(): Record<string, string> {
  return { "spec/when.test.js": TEST, "lib/when.js": WHEN, "lib/deep/shift.js": SHIFT };
}

describe("the scripted model goes by what it is told", () => {
  test("it finds the bug in a project it has never seen, and tries its server", () => {
    const files = project();
    const { calls, last } = play(toolsOver(files));
    expect(
      calls.map(({ name, args }) => [name, args["file_path"] ?? args["command"] ?? args["action"]]),
    ).toEqual([
      ["read", "package.json"],
      ["exec", "run-tests"],
      ["read", "spec/when.test.js"],
      ["read", "lib/when.js"],
      ["read", "lib/deep/shift.js"],
      ["edit", "lib/deep/shift.js"],
      ["exec", "run-tests"],
      ["exec", "serve"],
      ["process", "poll"],
      ["process", "poll"],
      ["exec", expect.stringContaining(`'${ADDRESS}'`)],
      ["process", "poll"],
      ["process", "kill"],
      ["write", "CHANGELOG.md"],
      ["notify", undefined],
      ["notify", undefined],
    ]);
    const ids = calls.filter(({ name }) => name === "process").map(({ args }) => args["sessionId"]);
    expect(new Set(ids)).toEqual(new Set(["odd-fox"]));
    expect(files["lib/deep/shift.js"]).toContain(
      "if (end.getUTCDate() !== start.getUTCDate()) end.setUTCDate(0);",
    );
    expect(last).not.toContain("stopped");
  });

  test("it says so when a message was stopped", () => {
    const tools = toolsOver(project());
    let sent = 0;
    const { last } = play((name, args) =>
      name === "notify" && ++sent > 1 ? "Blocked: sent already." : tools(name, args),
    );
    expect(last).toContain("The second message was stopped");
  });

  test("it gives up when a file cannot be read", () => {
    const { calls, last } = play(toolsOver({ "spec/when.test.js": TEST }));
    expect(calls).toHaveLength(4);
    expect(last).toContain("There is no file lib/when.js");
  });

  test("it gives up when there is nothing it knows how to repair", () => {
    const files = { ...project(), "lib/deep/shift.js": "export const shift = 1;\n" };
    const { calls, last } = play(toolsOver(files));
    expect(calls.map(({ name }) => name)).toEqual(["read", "exec", "read", "read", "read"]);
    expect(last).toContain("I do not see the cause");
  });

  test("it gives up when the edit is refused, and when the tests fail all the same", () => {
    const tools = toolsOver(project());
    const refused = play((name, args) => (name === "edit" ? "Blocked: not here." : tools(name, args)));
    expect(refused.last).toContain("I stop here, because edit failed: Blocked: not here.");
    const lost = play((name, args) => (name === "edit" ? "Done." : tools(name, args)));
    expect(lost.last).toBe("The tests still fail.");
  });

  test("it needs tests it can run, and one that fails", () => {
    expect(play(() => "{}").last).toBe("package.json does not say how the tests are run.");
    const fine = play((name) => (name === "read" ? MANIFEST : "✔ later"));
    expect(fine.calls).toHaveLength(2);
    expect(fine.last).toContain("nothing to repair");
  });

  test("it does not wait for a silent server for ever, nor run what a server wrote", () => {
    const silent = play(toolsOver(project(), []));
    expect(silent.calls.filter(({ name }) => name === "process")).toHaveLength(3);
    expect(silent.last).toBe("The server does not say where it listens.");
    const sly = play(toolsOver(project(), [`${ADDRESS}');require('child_process').exec('x')//`]));
    expect(sly.calls.some(({ args }) => String(args["command"]).includes("require"))).toBe(false);
  });
});
