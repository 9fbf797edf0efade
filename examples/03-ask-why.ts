import { createHost } from "haft";
// Who may do what, why, and what would change it: npx tsx --conditions=@haft/source examples/03-ask-why.ts
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const workspaceDir = await mkdtemp(join(tmpdir(), "haft-example-"));
const call = { name: "write", arguments: { path: "notes.txt", content: "hello\n" } };

// In a group nobody writes on the host unless the policy grants it.
const careful = await createHost({ workspaceDir, stateDir: false });
const group = await careful.openSession({ kind: "group" });
const refused = await group.call(call);
assert.equal(refused.kind, "blocked");
const { verdict, fix } = await group.explain("write");
assert.equal(verdict, "hidden");
assert.equal(fix, 'Add "write" to sessions.group.grant in the policy.');
await careful.close();

// The change it offered, and on top of it a person who is asked.
const granting = await createHost({
  workspaceDir,
  stateDir: false,
  policy: { sessions: { group: { grant: ["write"], ask: ["write"] } } },
  approver: { ask: async ({ tool }) => (tool.name === "write" ? "allow-once" : "deny") },
});
const session = await granting.openSession({ kind: "group" });
assert.equal((await session.call(call)).kind, "ok");
await granting.close();

await rm(workspaceDir, { recursive: true });
