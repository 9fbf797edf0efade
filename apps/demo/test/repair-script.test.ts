import { describe, expect, test } from "vitest";
import type { ChatMessage } from "../src/scripted/chat.ts";
import { repairScript } from "../src/scripted/repair-script.ts";

const TASK = "Repair it.\n  location: 'spec/when.test.js:3:1'\n";
const TEST = 'import { later } from "../lib/when.js";\n';
const WHEN = 'import { shift } from "./deep/shift.js";\nexport const later = shift;\n';
const SHIFT = `export function shift(start, count) {
    const end = new Date(start);
    end.setUTCMonth(end.getUTCMonth() + count);
    return end;
}
`;

/** Plays the conversation on: the script speaks, `tools` answer, until it has nothing more to call. */
function play(tools: (name: string, args: Record<string, unknown>) => string, task = TASK) {
  const messages: ChatMessage[] = [{ role: "user", content: task }];
  const calls: { name: string; args: Record<string, unknown> }[] = [];
  for (let turn = 0; turn < 20; turn++) {
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

/** Tools over a few files in memory. */
function filesOf(files: Record<string, string>) {
  return (name: string, args: Record<string, unknown>): string => {
    const path = String(args["file_path"]);
    const content = files[path];
    if (name === "edit" && content !== undefined) {
      files[path] = content.replace(String(args["old_string"]), String(args["new_string"]));
    }
    if (name !== "read") return "Done.";
    return content ?? `Error: There is no file ${path}.`;
  };
}

describe("the scripted model goes by what it is told", () => {
  test("it finds the bug in a project it has never seen", () => {
    const files = { "spec/when.test.js": TEST, "lib/when.js": WHEN, "lib/deep/shift.js": SHIFT };
    const { calls, last } = play(filesOf(files));
    expect(calls.map(({ name, args }) => [name, args["file_path"]])).toEqual([
      ["read", "spec/when.test.js"],
      ["read", "lib/when.js"],
      ["read", "lib/deep/shift.js"],
      ["edit", "lib/deep/shift.js"],
      ["read", "lib/deep/shift.js"],
      ["write", "CHANGELOG.md"],
      ["notify", undefined],
      ["notify", undefined],
    ]);
    expect(files["lib/deep/shift.js"]).toContain(
      "if (end.getUTCDate() !== start.getUTCDate()) end.setUTCDate(0);",
    );
    expect(last).not.toContain("stopped");
  });

  test("it says so when a message was stopped", () => {
    const tools = filesOf({ "spec/when.test.js": TEST, "lib/when.js": WHEN, "lib/deep/shift.js": SHIFT });
    let sent = 0;
    const { last } = play((name, args) =>
      name === "notify" && ++sent > 1 ? "Blocked: sent already." : tools(name, args),
    );
    expect(last).toContain("The second message was stopped");
  });

  test("it gives up when a file cannot be read", () => {
    const { calls, last } = play(filesOf({ "spec/when.test.js": TEST }));
    expect(calls).toHaveLength(2);
    expect(last).toContain("There is no file lib/when.js");
  });

  test("it gives up when there is nothing it knows how to repair", () => {
    const files = {
      "spec/when.test.js": TEST,
      "lib/when.js": WHEN,
      "lib/deep/shift.js": "export const shift = 1;\n",
    };
    const { calls, last } = play(filesOf(files));
    expect(calls.map(({ name }) => name)).toEqual(["read", "read", "read"]);
    expect(last).toContain("I do not see the cause");
  });

  test("it gives up when the edit is refused, and when it did not reach the file", () => {
    const files = { "spec/when.test.js": TEST, "lib/when.js": WHEN, "lib/deep/shift.js": SHIFT };
    const tools = filesOf(files);
    const refused = play((name, args) => (name === "edit" ? "Blocked: not here." : tools(name, args)));
    expect(refused.last).toContain("I stop here, because edit failed: Blocked: not here.");
    const lost = play((name, args) => (name === "edit" ? "Done." : tools(name, args)));
    expect(lost.last).toBe("The file does not have my change.");
  });

  test("it needs a failing test to begin with", () => {
    expect(play(() => "", "All is well.").calls).toEqual([]);
  });
});
