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
    theirs: "A page has 2,000 lines or 50 KB. Without `limit`, several pages are joined.",
    here: "There is no limit of lines, only one of size. A longer file ends with the exact `offset` of the next page.",
    why: "The size decides how much context a text needs. A file with many short lines is not cut.",
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
    theirs: "Off by default: `write` and `edit` reach any path. Only `apply_patch` is limited.",
    here: "On by default. A path outside is rejected; a host can add further folders as roots. `createHostWorkspaceWriteTool` and similar functions accept `workspaceOnly: false`.",
    why: "An agent that writes anywhere can write files that start with the machine. A host can name the folders that the agent needs.",
    async shows({ call, cwd }) {
      const outside = join("..", `${basename(cwd)}.outside`);
      const { code, details } = await call("write", { path: outside, content: "x" });
      assert.deepEqual([code, details["error"]], ["OUTSIDE_WORKSPACE", "workspace_violation"]);
      assert.equal(existsSync(join(cwd, outside)), false);
      assert.equal((await call("read", { path: outside })).code, "OUTSIDE_WORKSPACE");
    },
  },
  {
    title: "`write` with the present content",
    theirs:
      "`write` reports the bytes written each time. Later versions of OpenClaw also return `changed: false`.",
    here: "It returns `changed: false` and does not touch the file.",
    why: "The model notices that it repeats itself, and programs that watch the file do not start.",
    async shows({ call }) {
      const args = { path: "same.txt", content: "x" };
      assert.equal((await call("write", args)).details["changed"], true);
      assert.equal((await call("write", args)).details["changed"], false);
    },
  },
  {
    title: "An edit that was already made",
    theirs:
      "If the edit seems to be applied already, `edit` reports success. Later versions of OpenClaw compare the bytes first.",
    here: "It answers that nothing changed, and names the place of `newText`.",
    why: "A success describes this call, not an earlier one.",
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
    title: "Files in `.git`",
    theirs: "They are files like all others.",
    here: "File tools cannot write in `.git`.",
    why: "A hook or a setting there is a command that the next `git status` can start.",
    async shows({ call, cwd }) {
      assert.equal((await call("write", { path: ".git/hooks/pre-commit", content: "x" })).code, "READ_ONLY");
      assert.equal(existsSync(join(cwd, ".git")), false);
    },
  },
  {
    title: "Settings that start programs",
    theirs: "They are files like all others.",
    here: "A change of `.envrc`, `.vscode/tasks.json` and similar files needs approval, whatever the policy allows.",
    why: "They run when somebody opens the project, long after the decision about the call.",
    async shows({ call, cwd }) {
      assert.equal((await call("write", { path: ".envrc", content: "x" })).code, "PENDING_APPROVAL");
      assert.equal(existsSync(join(cwd, ".envrc")), false);
    },
  },
  {
    title: "Files with several names (hard links)",
    theirs:
      "They are files like all others in the descriptions. OpenClaw rejects them if it is limited to the workspace.",
    here: 'They are rejected. A host that has such files sets `hardLinks: "allow"` for its workspace.',
    why: "One of the names can be outside of the workspace, and no path shows it.",
    async shows({ call, cwd }) {
      await writeFile(join(cwd, "one-name.txt"), "x\n");
      await link(join(cwd, "one-name.txt"), join(cwd, "other-name.txt"));
      for (const path of ["one-name.txt", "other-name.txt"])
        assert.equal((await call("read", { path })).code, "HARD_LINKED");
    },
  },
  {
    title: "Secrets in `.env`",
    theirs: "OpenClaw masks them when it shows such a file.",
    here: "`read` returns the content of the file. A policy can deny it: `effect:read(path:**/.env)` under `deny`.",
    why: "A model needs the exact text of a file to edit it. A value that one tool masks can be read with another; a denied path is denied for all tools.",
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
    here: "They are reported as binary files. PNG, JPEG, GIF and WebP are shown.",
    why: "No model provider accepts BMP, so Haft would need a decoder of its own.",
    async shows({ call, cwd }) {
      await writeFile(join(cwd, "dot.bmp"), Buffer.concat([Buffer.from("BM"), Buffer.alloc(100)]));
      assert.equal((await call("read", { path: "dot.bmp" })).code, "BINARY_FILE");
    },
  },
];

const patch = (...sections: string[]) => ["*** Begin Patch", ...sections, "*** End Patch"].join("\n");

export const ofPatches: readonly Difference[] = [
  {
    title: "Add File for an existing file",
    theirs: "The file is overwritten. Later versions of OpenClaw reject it.",
    here: "It is rejected, unless the patch deletes the file first.",
    why: "The author of the patch does not know the file. Its content would be lost.",
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
    title: "A patch with a part that does not fit",
    theirs: "The parts before it are applied, and stay.",
    here: "Nothing is applied.",
    why: "A project with half of a change is hard to repair, above all for a model.",
    async shows({ call, cwd }) {
      const input = patch("*** Add File: half.txt", "+half", "*** Delete File: not-there.txt");
      assert.equal((await call("apply_patch", { input })).code, "PATCH_CONFLICT");
      assert.equal(existsSync(join(cwd, "half.txt")), false);
    },
  },
  {
    title: "Sessions with `apply_patch`",
    theirs: "Sessions with models of OpenAI; in later versions of OpenClaw all sessions.",
    here: "All sessions, with any model.",
    why: "Other models write the format as well. A policy can limit it: `models: { … }`.",
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
    here: "Both forms.",
    why: "Models have learned both, and their meaning is certain.",
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
    theirs: "One description shows several patches in one call. OpenClaw accepts one.",
    here: "They are applied as one patch: completely or not at all.",
    why: "The line between two patches has no meaning of its own.",
    async shows({ call, cwd }) {
      const input = `${patch("*** Add File: p1.txt", "+1")}\n\n${patch("*** Add File: p2.txt", "+2")}`;
      assert.equal((await call("apply_patch", { input })).code, "ok");
      assert.ok(existsSync(join(cwd, "p1.txt")) && existsSync(join(cwd, "p2.txt")));
    },
  },
  {
    title: "Added files without `+`",
    theirs: "The descriptions show added files without `+`. OpenClaw requires a `+` before every line.",
    here: "If no line of the section has a `+`, the lines are taken as they are.",
    why: "There is no other meaning.",
    async shows({ call, cwd }) {
      const input = patch("*** Add File: plain.js", 'console.log("Hello");');
      assert.equal((await call("apply_patch", { input })).code, "ok");
      assert.equal(await readFile(join(cwd, "plain.js"), "utf8"), 'console.log("Hello");\n');
    },
  },
];
