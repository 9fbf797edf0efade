import { createFileTools } from "@haft/tools-fs";
// A consumer: the file tools of one package, without a host: npx tsx --conditions=@haft/source examples/04-one-package.ts
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = await mkdtemp(join(tmpdir(), "haft-example-"));
await writeFile(join(root, "todo.md"), "- write\n- test\n");

// Two lines: an import, and the tools of a folder. Each is called by itself, with an object or with a model's text.
const tools = createFileTools({ root });

const page = await tools.read.call({ path: "todo.md", limit: 1 });
assert.equal(page.kind, "ok");

const changed = await tools.edit.call(
  '{"file_path":"todo.md","old_string":"- test","new_string":"- test twice"}',
);
assert.equal(changed.kind === "ok" && changed.details.replacements, 1);
assert.equal(await readFile(join(root, "todo.md"), "utf8"), "- write\n- test twice\n");

// Nothing is thrown: what went wrong, and what to do about it, is in the outcome.
const missing = await tools.read.call({ path: "todos.md" });
assert.equal(missing.kind === "error" && missing.code, "FILE_NOT_FOUND");
const outside = await tools.write.call({ path: "../todo.md", content: "gone" });
assert.equal(outside.kind === "error" && outside.code, "OUTSIDE_WORKSPACE");

await rm(root, { recursive: true });
