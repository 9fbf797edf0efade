import { createPolicy } from "@haft/policy";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { link, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Difference } from "./difference.ts";

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

export const ofFiles: readonly Difference[] = [
  {
    title: "Pages of `read`",
    theirs: "A page is 2,000 lines or 50 KB, and without `limit` several pages are joined.",
    here: "There is no page of 2,000 lines. What fits is shown at once, and what does not ends with the exact `offset` to go on from.",
    why: "One bound, by size, is what a context needs; a file of many short lines is not cut for its lines.",
    async shows({ call, cwd }) {
      await writeFile(join(cwd, "short-lines.txt"), lines(5_000));
      const whole = await call("read", { path: "short-lines.txt" });
      assert.equal(whole.details["truncated"], false);
      assert.match(whole.text, /line 5000\n?$/);
      await writeFile(join(cwd, "long.txt"), lines(50_000));
      const { text, details } = await call("read", { path: "long.txt" });
      assert.equal(details["truncated"], true);
      const shown = Number(/Showing lines 1-(\d+) of 50000/.exec(text)?.[1]);
      assert.match(text, new RegExp(`Use offset=${shown + 1} to continue`));
    },
  },
  {
    title: "`workspaceOnly`",
    theirs:
      "It is off unless it is set: `write` and `edit` reach any path, and only `apply_patch` is limited.",
    here: "It is on. A path outside is refused, and further folders are named as roots. `createHostWorkspaceWriteTool` and its like take `workspaceOnly: false`.",
    why: "An agent that can write anywhere can write what starts with the machine; what is needed besides the workspace can be named.",
    async shows({ call, cwd }) {
      const outside = join("..", `${basename(cwd)}.outside`);
      const { code, details } = await call("write", { path: outside, content: "x" });
      assert.deepEqual([code, details["error"]], ["OUTSIDE_WORKSPACE", "workspace_violation"]);
      assert.equal(existsSync(join(cwd, outside)), false);
      assert.equal((await call("read", { path: outside })).code, "OUTSIDE_WORKSPACE");
    },
  },
  {
    title: "Writing what is there already",
    theirs: "`write` reports bytes written each time. Later versions of OpenClaw say `changed: false`, too.",
    here: "`changed: false`, and the file is left alone.",
    why: "A model sees that it goes round in a circle, and nothing that watches the file starts.",
    async shows({ call }) {
      const args = { path: "same.txt", content: "x" };
      assert.equal((await call("write", args)).details["changed"], true);
      assert.equal((await call("write", args)).details["changed"], false);
    },
  },
  {
    title: "An edit that was made before",
    theirs:
      "Where the edit seems to have been applied, `edit` answers that it edited the file. Later versions of OpenClaw compare bytes first.",
    here: "It answers that nothing changed, and where `newText` stands.",
    why: "Success is said of what the call did, not of what somebody did before.",
    async shows({ call, cwd }) {
      await writeFile(join(cwd, "again.txt"), "a very particular line\n");
      const args = {
        path: "again.txt",
        oldText: "a very particular line",
        newText: "another particular line",
      };
      assert.match((await call("edit", args)).text, /^Successfully edited/);
      const again = await call("edit", args);
      assert.equal(again.details["changed"], false);
      assert.match(again.text, /^No change to again\.txt/);
    },
  },
  {
    title: "Files that git runs",
    theirs: "They are files like any other.",
    here: "What is in `.git` cannot be written.",
    why: "A hook or a setting in there is a command that the next `git status` starts.",
    async shows({ call, cwd }) {
      assert.equal((await call("write", { path: ".git/hooks/pre-commit", content: "x" })).code, "READ_ONLY");
      assert.equal(existsSync(join(cwd, ".git")), false);
    },
  },
  {
    title: "Settings that start programs",
    theirs: "They are files like any other.",
    here: "`.envrc`, `.vscode/tasks.json` and their like are asked about, whatever the policy allows.",
    why: "They run when somebody opens the project, long after the call was decided.",
    async shows({ call, cwd }) {
      assert.equal((await call("write", { path: ".envrc", content: "x" })).code, "PENDING_APPROVAL");
      assert.equal(existsSync(join(cwd, ".envrc")), false);
    },
  },
  {
    title: "Files with several names (hard links)",
    theirs:
      "They are files like any other in the descriptions; OpenClaw refuses them where it is limited to the workspace.",
    here: 'They are refused. A host that has such files opens its workspace with `hardLinks: "allow"`.',
    why: "One of the names may be outside, and no path shows it.",
    async shows({ call, cwd }) {
      await writeFile(join(cwd, "one-name.txt"), "x\n");
      await link(join(cwd, "one-name.txt"), join(cwd, "other-name.txt"));
      for (const path of ["one-name.txt", "other-name.txt"])
        assert.equal((await call("read", { path })).code, "HARD_LINKED");
    },
  },
  {
    title: "Secrets in `.env`",
    theirs: "OpenClaw covers them when it shows such a file.",
    here: "`read` shows what is in the file. A policy closes it: `effect:read(path:**/.env)` under `deny`.",
    why: "A model that edits a file has to see it as it is, and what is covered in one tool is found by the next. Closing it holds for all of them.",
    async shows({ call, cwd, host }) {
      await writeFile(join(cwd, ".env"), "API_KEY=not-a-real-key-0123456789\n");
      assert.match((await call("read", { path: ".env" })).text, /not-a-real-key/);
      const tools = host.catalogue;
      const closed = createPolicy({ deny: ["effect:read(path:**/.env)"] }, { tools });
      const session = closed.forSession({ kind: "main", agentId: "", model: "", messageChannel: "" });
      const path = { access: "read", path: join(cwd, ".env"), relative: ".env" } as const;
      for (const tool of tools.filter(({ effects }) => effects.includes("read")))
        assert.equal(session.call(tool, {}, { paths: [path] }).effect, "deny");
    },
  },
  {
    title: "BMP images",
    theirs: "OpenClaw shows them.",
    here: "They are told to be binary files. PNG, JPEG, GIF and WebP are shown.",
    why: "No model's provider takes them, so they would need a decoder of Haft's own.",
    async shows({ call, cwd }) {
      await writeFile(join(cwd, "dot.bmp"), Buffer.concat([Buffer.from("BM"), Buffer.alloc(100)]));
      assert.equal((await call("read", { path: "dot.bmp" })).code, "BINARY_FILE");
    },
  },
];

const patch = (...sections: string[]) => ["*** Begin Patch", ...sections, "*** End Patch"].join("\n");

export const ofPatches: readonly Difference[] = [
  {
    title: "Add on an existing file",
    theirs: "The file is overwritten. Later versions of OpenClaw refuse it, too.",
    here: "It is refused, unless the patch deletes the file first.",
    why: "Whoever adds a file does not know that there is one; what was in it would be gone.",
    async shows({ call, cwd }) {
      await writeFile(join(cwd, "there.txt"), "mine\n");
      const { code, text } = await call("apply_patch", { input: patch("*** Add File: there.txt", "+new") });
      assert.equal(code, "PATCH_CONFLICT");
      assert.match(text, /the file already exists/);
      assert.equal(await readFile(join(cwd, "there.txt"), "utf8"), "mine\n");
      const input = patch("*** Delete File: there.txt", "*** Add File: there.txt", "+new");
      assert.equal((await call("apply_patch", { input })).code, "ok");
    },
  },
  {
    title: "A patch of which a part does not fit",
    theirs: "What stands before it was made, and stays.",
    here: "All of it or nothing.",
    why: "A project that was changed by half is the hardest to repair, for a model most of all.",
    async shows({ call, cwd }) {
      const input = patch("*** Add File: half.txt", "+half", "*** Delete File: not-there.txt");
      assert.equal((await call("apply_patch", { input })).code, "PATCH_CONFLICT");
      assert.equal(existsSync(join(cwd, "half.txt")), false);
    },
  },
  {
    title: "Who has `apply_patch`",
    theirs: "Models of OpenAI only; in later versions of OpenClaw all.",
    here: "Every session, whatever its model.",
    why: "Other models write the format as well. A policy that wants less says `models: { … }`.",
    async shows({ host }) {
      const session = await host.openSession({ kind: "main", model: { name: "acme/large" } });
      assert.ok(session.tools().some(({ name }) => name === "apply_patch"));
      await session.close();
    },
  },
  {
    title: "Headers of patches",
    theirs:
      "`Modify File` and `Move File: old -> new` in the descriptions; `Update File` and `Move to` in OpenClaw.",
    here: "Both.",
    why: "Models have seen both, and what is meant is certain.",
    async shows({ call, cwd }) {
      await writeFile(join(cwd, "m.txt"), "one\n");
      const headers = [
        ["*** Modify File: m.txt", "@@", "-one", "+two"],
        ["*** Update File: m.txt", "@@", "-two", "+three"],
        ["*** Move File: m.txt -> n.txt"],
        ["*** Update File: n.txt", "*** Move to: o.txt"],
      ];
      for (const section of headers)
        assert.equal((await call("apply_patch", { input: patch(...section) })).code, "ok");
      assert.equal(await readFile(join(cwd, "o.txt"), "utf8"), "three\n");
    },
  },
  {
    title: "Several patches in one call",
    theirs: "One description shows them behind each other; OpenClaw takes one.",
    here: "They are one patch: all of them or none.",
    why: "The line between two of them says nothing about what is wanted.",
    async shows({ call, cwd }) {
      const input = `${patch("*** Add File: p1.txt", "+1")}\n\n${patch("*** Add File: p2.txt", "+2")}`;
      assert.equal((await call("apply_patch", { input })).code, "ok");
      assert.ok(existsSync(join(cwd, "p1.txt")) && existsSync(join(cwd, "p2.txt")));
    },
  },
  {
    title: "Added files without `+`",
    theirs: "The descriptions show them so; OpenClaw wants a `+` before every line.",
    here: "Where no line of the section has one, the lines are taken as they are.",
    why: "Nothing else can be meant.",
    async shows({ call, cwd }) {
      const input = patch("*** Add File: plain.js", 'console.log("Hello");');
      assert.equal((await call("apply_patch", { input })).code, "ok");
      assert.equal(await readFile(join(cwd, "plain.js"), "utf8"), 'console.log("Hello");\n');
    },
  },
];
