import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claudeRead, getOverallEffect, payloads } from "../support.ts";

const rules = { deny: ["read(path:secrets/**)", "read(path:/home/ann/keys/**)"] };
const piRead = (path: string): object => ({ ...payloads["pi"]!["read"], args: { path } });

describe("a path in the notation of an agent", () => {
  it.each([
    "@secrets/key",
    "@./secrets/key",
    "~/keys/a",
    "@~/keys/a",
    "~/shop/secrets/key",
    "file:///home/ann/keys/a",
    "file:///home/ann/k%65ys/a",
    "@file:///home/ann/keys/a",
    "secrets%2Fkey",
    "@/secrets/key",
    "sec\0rets/key",
  ])("is denied by the rule about its file: %s", async (path) => {
    expect(await getOverallEffect("pi", piRead(path), rules)).toBe("deny");
    expect(await getOverallEffect("claude", claudeRead(path), rules)).toBe("deny");
  });

  it("is denied for a name with other blanks", async () => {
    const blank = { deny: ["read(path:my keys/**)"] };
    expect(await getOverallEffect("pi", piRead("my\u00A0keys/a"), blank)).toBe("deny");
  });

  it("is denied for protected files", async () => {
    const sent = { ...payloads["pi"]!["write"], args: { path: "@~/.claude/settings.json", content: "" } };
    expect(await getOverallEffect("pi", sent, {})).toBe("deny");
    const patch = "*** Begin Patch\n*** Add File: ~/.claude/settings.json\n+x\n*** End Patch";
    const patched = { ...payloads["codex"]!["edit"], tool_input: { command: patch } };
    expect(await getOverallEffect("codex", patched, {})).toBe("deny");
  });

  it.each(["README.md", "a%b", "src/@types/a.ts", "a~/b", "~ann/x"])("stays allowed: %s", async (path) => {
    expect(await getOverallEffect("pi", piRead(path), rules)).toBe("allow");
    expect(await getOverallEffect("pi", piRead(path), { allow: ["read(path:**)"] })).toBe("allow");
  });
});

describe("files that an agent finds itself", () => {
  let root = "";
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "guard-notation-")));
    mkdirSync(join(root, "secrets"));
    mkdirSync(join(root, ".claude"));
    for (const name of ["secrets/key", "secrets/it\u2019s", ".claude/settings.json", "a.txt"])
      writeFileSync(join(root, name), "");
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it("are denied if pi changes the name of a missing file", async () => {
    const sent = { ...piRead("secrets/../secrets/it's"), cwd: root };
    const exact = { deny: ["read(path:secrets/it\u2019s)"] };
    expect(await getOverallEffect("pi", sent, exact, { root })).toBe("deny");
  });

  it("are denied if Gemini CLI edits a file with the same end of its path", async () => {
    const edit = (path: string): object => ({
      ...payloads["gemini"]!["edit"],
      tool_name: "replace",
      cwd: root,
      tool_input: { file_path: path, old_string: "a", new_string: "b" },
    });
    const editing = { deny: ["edit(path:secrets/**)"] };
    expect(await getOverallEffect("gemini", edit("key"), editing, { root })).toBe("deny");
    expect(await getOverallEffect("gemini", edit("settings.json"), {}, { root })).toBe("deny");
    expect(await getOverallEffect("gemini", edit("a.txt"), editing, { root })).toBe("allow");
    expect(await getOverallEffect("gemini", edit("new.txt"), editing, { root })).toBe("allow");
  });

  it("need approval if Gemini CLI reads files of a pattern", async () => {
    const many = (include: string[]): object => ({
      ...payloads["gemini"]!["read"],
      tool_name: "read_many_files",
      cwd: root,
      tool_input: { include },
    });
    const reading = { deny: ["read(path:secrets/**)"] };
    expect(await getOverallEffect("gemini", many(["**/k*"]), reading, { root })).toBe("ask");
    expect(await getOverallEffect("gemini", many(["a.txt"]), reading, { root })).toBe("allow");
  });
});
