import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { addToLists } from "../src/learn/add-to-lists.ts";
import { applicableDiff } from "../src/learn/applicable-diff.ts";

const list = ["exec", "allow"];
const ODD = ["a: b # c", "x \\* 'y z'", '"q"'];

describe("adding entries to a list", () => {
  it.each([
    ["an alias", "x: { a: &x [b] }\nexec: { allow: *x }\n", "exec.allow is not a plain list"],
    ["a text", "exec: { allow: x }\n", "exec.allow is not a plain list"],
    ["nothing to put it in", "deny: []\n", "exec is not a plain map"],
    ["a map behind an anchor on its line", "exec: &a\n  ? {}\n  : b\n", ""],
  ])("returns a reason if there is %s", async (_what, text, why) => {
    const found = await addToLists(text, [{ list, entries: ["ls"] }]);
    expect(found).toHaveProperty("why", expect.stringContaining(why));
  });

  it.each([
    ["a list of lines", "exec:\n  allow: # these\n  - a # one\n\n  # two\n  - b   # three\ndeny: [x]\n"],
    ["the same without an end", "exec:\n    allow:\n        - a"],
    ["the same with the ends of Windows", "exec:\r\n  allow:\r\n    - a\r\n    - b # c\r\nask: []\r\n"],
    ["a text of several lines", "exec:\n  allow:\n    - >-\n      a\n      b\n    # c\nask: []\n"],
    ["brackets", 'exec: { preset: careful, allow: ["a", b ] } # c\n'],
    ["brackets over lines", "exec:\n  allow: [\n    a, # one\n    b, # two\n  ]\n"],
    ["JSON", '{\n  "exec": {\n    "allow": [\n      "a"\n    ]\n  }\n}\n'],
    ["JSON in one line", '{"exec":{"allow":["a"]},"ask":[]}'],
    ["JSON without the list", '{"exec":{"preset":"careful"}}'],
    ["a map of lines without the list", "# top\nexec:\n  # why\n  preset: careful # c\ndeny: []\n"],
  ])("changes nothing else: %s", async (_what, text) => {
    const found = await addToLists(text, [{ list, entries: ODD }]);
    if ("why" in found) throw new Error(found.why);
    const was = parse(text) as { exec: { allow?: string[] } };
    expect(parse(found.text)).toEqual({
      ...was,
      exec: { ...was.exec, allow: [...(was.exec.allow ?? []), ...ODD] },
    });
    // All that was there is there, in its order.
    let at = 0;
    for (const char of text) {
      at = found.text.indexOf(char, at) + 1;
      expect(at).toBeGreaterThan(0);
    }
    const folder = await temporaryFolder();
    writeFileSync(join(folder, "rules.yaml"), text);
    for (const program of [
      ["git", "apply", "x.diff"],
      ["patch", "-p1", "--dry-run", "-i", "x.diff"],
    ]) {
      writeFileSync(join(folder, "rules.yaml"), text);
      writeFileSync(join(folder, "x.diff"), applicableDiff("rules.yaml", text, found.text));
      const [name = "", ...words] = program;
      const { status, stderr, error } = spawnSync(name, words, { cwd: folder, encoding: "utf8" });
      // What is not here cannot be tried.
      if (error !== undefined && name === "patch") continue;
      expect([status, stderr]).toEqual([0, ""]);
      if (name === "git") expect(readFileSync(join(folder, "rules.yaml"), "utf8")).toBe(found.text);
    }
  });
});
