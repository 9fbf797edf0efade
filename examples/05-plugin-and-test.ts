import { definePlugin, defineTool, HaftError, text, Type } from "@haft/plugin-sdk";
import { createTestSession, testPlugin } from "@haft/plugin-sdk/testing";
// An author: a plugin, and its test: npx tsx --conditions=@haft/source examples/05-plugin-and-test.ts
import assert from "node:assert/strict";

const addNote = defineTool({
  name: "add_note",
  description: "Adds a line to the notes of this conversation.",
  parameters: Type.Object({
    line: Type.String({ minLength: 1, maxLength: 200, description: "What to note: one line." }),
  }),
  effects: ["write"],
  async execute(_toolCallId, { line }, _signal, _onUpdate, { workspace }) {
    if (/[\r\n]/.test(line)) {
      throw new HaftError("NOT_ONE_LINE", "A note is one line.", {
        category: "input",
        fix: "Note the lines one by one.",
      });
    }
    await workspace.fs.append("notes.txt", new TextEncoder().encode(`${line}\n`));
    return { content: [text(`Noted: ${line}`)], details: { line } };
  },
});
const notes = definePlugin({ id: "notes", version: "1.0.0", tools: [addNote] });

// In each kind of session: over files in memory, by the rules that operators have.
for (const kind of ["main", "group", "sandboxed"] as const) {
  const policy = { sessions: { [kind]: { grant: ["add_note"] } } };
  const session = await createTestSession(notes, {
    kind,
    workspace: "memory",
    policy: kind === "main" ? {} : policy,
    files: { "notes.txt": "first\n" },
  });
  const noted = await session.call("add_note", { line: "second" });
  assert.equal(noted.kind, "ok", JSON.stringify(noted));
  assert.equal(await session.files.read("notes.txt"), "first\nsecond\n");
  const refused = await session.call("add_note", { line: "a\nb" });
  assert.equal(refused.kind === "error" && refused.code, "NOT_ONE_LINE");
  await session.close();
}

// Not granted, a group does not have it, and the model is told why.
const group = await createTestSession(notes, { kind: "group", workspace: "memory", policy: {} });
const denied = await group.call("add_note", { line: "second" });
assert.equal(denied.kind, "blocked", JSON.stringify(denied));
await group.close();

// Arguments made from the schema, abort, output, effects: what users would find otherwise.
const report = await testPlugin(notes, { seed: 1, runs: 20, sandbox: false });
assert.deepEqual(report.problems, [], report.text);
