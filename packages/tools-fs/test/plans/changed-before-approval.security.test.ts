import type {
  ApprovalAnswer,
  ApprovalDecision,
  CallSubjects,
  Decision,
  Policy,
  ToolOutcome,
} from "@haft/core";
import { createMemoryApprovals, Registry, SessionFactory } from "@haft/core/kernel";
import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFilesPlugin } from "../../src/plugin.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";

type At = (name: string) => string;

function policyOf(effect: Decision["effect"]): Policy {
  const decide = (one: Decision["effect"]): Decision => ({ effect: one, id: one, reason: one, trace: [] });
  return {
    forSession: () => ({
      visibility: () => decide("allow"),
      call: (_tool: unknown, _args: unknown, _subjects?: CallSubjects) => decide(effect),
      needsSubjects: () => true,
    }),
  };
}

/** Sessions whose calls are asked about; `meanwhile` happens between the question and the answer. */
async function place(
  meanwhile: (at: At) => void = () => {},
  answer: ApprovalDecision | ApprovalAnswer = "allow-once",
  effect: Decision["effect"] = "ask",
) {
  const { root, workspace } = await temporaryWorkspace({
    "a.txt": "one\n",
    "b.txt": "two\n",
    "big.txt": "big\n".repeat(300_000),
  });
  const at: At = (name) => join(root, name);
  symlinkSync("a.txt", at("link"));
  const plugin = createFilesPlugin();
  const registry = new Registry({ plugins: [plugin], builtIn: [plugin.id] });
  const asked: unknown[] = [];
  const ask = async (request: unknown) => {
    asked.push(request);
    meanwhile(at);
    return answer;
  };
  const approvals = createMemoryApprovals();
  const factory = new SessionFactory({ registry, policy: policyOf(effect), approver: { ask }, approvals });
  const session = await factory.open({ kind: "main", sessionKey: "s", workspace });
  let count = 0;
  const call = (name: string, args: object): Promise<ToolOutcome> =>
    session.call({ id: `c${++count}`, name, arguments: args });
  return { at, call, asked };
}

const patch = (...sections: string[]): { input: string } => ({
  input: ["*** Begin Patch", ...sections, "*** End Patch"].join("\n"),
});
const put =
  (name: string, content: string) =>
  (at: At): void =>
    writeFileSync(at(name), content);
const said = ({ content }: ToolOutcome): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("\n");

const write = { path: "a.txt", content: "new\n" };
const edit = { path: "a.txt", oldText: "one", newText: "ONE" };

describe("an approved change writes nothing if files changed since", () => {
  const CASES: [string, string, object, (at: At) => void, string][] = [
    ["write over other content", "write", write, put("a.txt", "user\n"), "a.txt"],
    ["write of what is gone", "write", write, (at) => rmSync(at("a.txt")), "a.txt"],
    ["write of a new file", "write", { path: "n.txt", content: "x\n" }, put("n.txt", "user\n"), "n.txt"],
    ["write through a link", "write", { path: "link", content: "x\n" }, put("a.txt", "user\n"), "link"],
    ["write of a large file", "write", { path: "big.txt", content: "x" }, put("big.txt", "b\n"), "big.txt"],
    [
      "write in another form",
      "write",
      { path: "n.txt", content: "x\n" },
      put(".editorconfig", "root = true\n[*]\nend_of_line = crlf\n"),
      "n.txt",
    ],
    ["edit beside the place", "edit", edit, put("a.txt", "one\nuser\n"), "a.txt"],
    ["edit of text that is gone", "edit", edit, put("a.txt", "user\n"), "a.txt"],
    ["edit of a file that is gone", "edit", edit, (at) => rmSync(at("a.txt")), "a.txt"],
    [
      "edit that failed when it was shown",
      "edit",
      { ...edit, oldText: "user" },
      put("a.txt", "user\n"),
      "a.txt",
    ],
    [
      "a patch of two files",
      "apply_patch",
      patch("*** Update File: a.txt\n@@\n-one\n+1", "*** Update File: b.txt\n@@\n-two\n+2"),
      put("b.txt", "two\nuser\n"),
      "b.txt",
    ],
    ["a patch that deletes", "apply_patch", patch("*** Delete File: a.txt"), put("a.txt", "user\n"), "a.txt"],
    ["a patch that adds", "apply_patch", patch("*** Add File: n.txt\n+x"), put("n.txt", "user\n"), "n.txt"],
    [
      "a patch that deletes a link",
      "apply_patch",
      patch("*** Delete File: link"),
      (at) => {
        rmSync(at("link"));
        symlinkSync("b.txt", at("link"));
      },
      "link",
    ],
    [
      "a patch that moves",
      "apply_patch",
      patch("*** Update File: a.txt\n*** Move to: c.txt\n@@\n-one\n+1"),
      put("a.txt", "one\nuser\n"),
      "a.txt",
    ],
    [
      "a patch that moves over a new file",
      "apply_patch",
      patch("*** Update File: a.txt\n*** Move to: c.txt\n@@\n-one\n+1"),
      put("c.txt", "user\n"),
      "c.txt",
    ],
  ];

  test.for(CASES)("%s", async ([, name, args, meanwhile, file]) => {
    const { at, call } = await place(meanwhile);
    const other = await place(meanwhile);
    meanwhile(other.at);
    const outcome = await call(name, args);
    expect(outcome).toMatchObject({ kind: "error", code: "PLAN_CHANGED", receipt: "none" });
    expect(said(outcome)).toContain(file);
    for (const one of ["a.txt", "b.txt", "n.txt", "c.txt", "big.txt", "link"]) {
      expect(existsSync(at(one))).toBe(existsSync(other.at(one)));
      if (existsSync(at(one)))
        expect(readFileSync(at(one), "utf8")).toBe(readFileSync(other.at(one), "utf8"));
    }
    expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
  });

  test("is applied if only other files changed, or equal content was written", async () => {
    const { at, call } = await place((where) => {
      put("b.txt", "user\n")(where);
      put("a.txt", "one\n")(where);
    });
    expect(await call("write", write)).toMatchObject({ kind: "ok", receipt: "committed" });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("new\n");
  });

  test("fails for the same reason as in the preview", async () => {
    const { call } = await place();
    const outcome = await call("edit", { ...edit, oldText: "nowhere" });
    expect(outcome).toMatchObject({ kind: "error" });
    expect(outcome).not.toMatchObject({ code: "PLAN_CHANGED" });
  });
});

describe("an approval with always", () => {
  test("covers only the same content of the files", async () => {
    const { at, call, asked } = await place(undefined, { decision: "allow-always", grant: "exact" });
    expect(await call("write", write)).toMatchObject({ kind: "ok" });
    writeFileSync(at("a.txt"), "one\n");
    await call("read", { path: "a.txt" });
    expect(await call("write", write)).toMatchObject({ kind: "ok" });
    const writes = () =>
      asked.filter((request) => (request as { tool: { name: string } }).tool.name === "write");
    expect(writes()).toHaveLength(1);
    writeFileSync(at("a.txt"), "user\n");
    await call("read", { path: "a.txt" });
    await call("write", write);
    expect(writes()).toHaveLength(2);
  });
});

test("applies allowed calls on one file concurrently", async () => {
  const { at, call, asked } = await place(undefined, "deny", "allow");
  const outcomes = await Promise.all([
    call("edit", edit),
    call("edit", { path: "a.txt", oldText: "\n", newText: "\nmore\n" }),
  ]);
  expect(outcomes).toMatchObject([{ kind: "ok" }, { kind: "ok" }]);
  expect(asked).toHaveLength(0);
  expect(readFileSync(at("a.txt"), "utf8")).toBe("ONE\nmore\n");
});
