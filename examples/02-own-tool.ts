import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import { createHost } from "haft";
// A tool of your own, contained like the built-in ones: npx tsx --conditions=@haft/source examples/02-own-tool.ts
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const countWords = defineTool({
  name: "count_words",
  description: "Counts the words of a text file.",
  parameters: Type.Object({ path: Type.String({ description: "File to count." }) }),
  effects: ["read"],
  aliases: { path: ["file"] },
  async execute(_toolCallId, { path }, signal, _onUpdate, { workspace }) {
    const { bytes } = await workspace.fs.read(path, { signal });
    const words = new TextDecoder().decode(bytes).split(/\s+/).filter(Boolean).length;
    return { content: [text(`${words} words`)], details: { path, words } };
  },
});

const workspaceDir = await mkdtemp(join(tmpdir(), "haft-example-"));
await writeFile(join(workspaceDir, "poem.txt"), "so much depends upon\n");
const plugins = [definePlugin({ id: "words", tools: [countWords] })];
const host = await createHost({ workspaceDir, plugins, stateDir: false });
const session = await host.openSession();

const counted = await session.call({ name: "count_words", arguments: { file: "poem.txt" } });
assert.equal(counted.kind, "ok");
assert.deepEqual(counted.details, { path: "poem.txt", words: 4 });

// The boundary is the workspace's, so the tool has it without a line of code.
const escaped = await session.call({ name: "count_words", arguments: { file: "/etc/passwd" } });
assert.equal(escaped.kind === "error" && escaped.code, "OUTSIDE_WORKSPACE");

await host.close();
await rm(workspaceDir, { recursive: true });
