// Two calls that wait for somebody, one of which is answered, beside a watcher that never ends.
import type { Decision, Workspace } from "@haft/core";
import { Registry, SessionFactory } from "@haft/core/kernel";

const decide = (effect: "allow" | "ask"): Decision => ({ effect, id: "x", reason: effect, trace: [] });
const tool = {
  name: "act",
  description: "Acts.",
  parameters: { type: "object", properties: {} },
  effects: [],
  execute: () => "ran" as never,
};
const factory = new SessionFactory({
  registry: new Registry({ plugins: [{ id: "t", tools: [{ factory: () => tool, names: ["act"] }] }] }),
  policy: { forSession: () => ({ visibility: () => decide("allow"), call: () => decide("ask") }) },
  hooks: [{ name: "watcher", afterToolCall: () => new Promise(() => {}) }],
});
const workspace: Workspace = {
  fs: undefined as never,
  describe: () => ({ target: "host", cwd: "/", mounts: [], boundary: "none" }),
};
const session = await factory.open({ kind: "main", workspace });
process.stdout.write(`${(await session.call({ name: "act" })).kind}\n`);
const other = await factory.open({ kind: "main", workspace });
const pending = await other.call({ name: "act" });
if (pending.kind === "pending")
  process.stdout.write(`${(await other.resolveApproval(pending.approvalId, "allow-once")).kind}\n`);
