import { describe, expect, test } from "vitest";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import type { CallPlan } from "../../src/contract/plan.ts";
import type { Mount, Workspace } from "../../src/contract/ports.ts";
import { createActCall, createActTool, alwaysAskPolicy } from "../support/approvals.ts";
import { openSession } from "../support/kernel.ts";

/** A workspace that lies there; only where it is matters. */
function workspaceAt(
  path: string,
  more: { name?: string; target?: "host" | "sandbox"; roots?: Mount[] } = {},
) {
  const { target = "host", roots = [], ...named } = more;
  const mounts = [{ name: "", path, access: "rw" as const }, ...roots];
  const describe = () => ({ target, cwd: path, mounts, boundary: "kernel" as const, ...named });
  return { fs: {}, describe } as unknown as Workspace;
}

/** A session that asks about everything, in one conversation, wherever it is. */
async function conversation(
  approvals: ReturnType<typeof createMemoryApprovals>,
  workspace: Workspace,
  plan: CallPlan = {},
) {
  const { tool, ran } = createActTool({ plan: async () => plan });
  const session = await openSession({
    tools: [tool],
    policy: alwaysAskPolicy,
    approvals,
    open: { workspace, sessionKey: "chat:1" },
  });
  return { session, ran, act: createActCall(session) };
}

const note = (path: string): CallPlan => ({
  subjects: { paths: [{ path, relative: "note.txt", access: "write" }] },
});

/** Whether a call that was allowed for good in the one place runs in the other without a question. */
async function isCarriedOver(
  from: { workspace: Workspace; plan?: CallPlan },
  to: { workspace: Workspace; plan?: CallPlan },
): Promise<boolean> {
  const approvals = createMemoryApprovals();
  const first = await conversation(approvals, from.workspace, from.plan);
  await first.act("a");
  await first.session.resolveApproval(first.session.pendingApprovals()[0]!.approvalId, "allow-always");
  expect(first.ran).toEqual(["a"]);
  const second = await conversation(approvals, to.workspace, to.plan);
  return (await second.act("a")).kind === "ok";
}

describe("a grant of a conversation", () => {
  test("holds in the same workspace", async () => {
    const workspace = workspaceAt("/srv/one");
    expect(await isCarriedOver({ workspace }, { workspace: workspaceAt("/srv/one") })).toBe(true);
  });

  test.for([
    ["another workspace with the same files", workspaceAt("/srv/two")],
    ["a sandbox with its folder at the same place", workspaceAt("/srv/one", { target: "sandbox" })],
    ["a workspace with a new name", workspaceAt("/srv/one", { name: "one" })],
  ] as const)("does not hold in %s", async ([, workspace]) => {
    expect(await isCarriedOver({ workspace: workspaceAt("/srv/one") }, { workspace })).toBe(false);
  });

  test("holds in a workspace of the same name elsewhere, only for the same path", async () => {
    const here = workspaceAt("/srv/one", { name: "shop" });
    const there = workspaceAt("/data/shop", { name: "shop" });
    const from = { workspace: here, plan: note("/srv/one/note.txt") };
    expect(await isCarriedOver(from, { workspace: there, plan: note("/data/shop/note.txt") })).toBe(true);
    // A link that leads elsewhere by now, and a path that only looks the same from its root.
    for (const path of ["/data/shop/other/note.txt", "/data/note.txt", "/srv/one/note.txt"])
      expect(await isCarriedOver(from, { workspace: there, plan: note(path) })).toBe(false);
    const other = workspaceAt("/data/shop", { name: "shop2" });
    expect(await isCarriedOver(from, { workspace: other, plan: note("/data/shop/note.txt") })).toBe(false);
  });

  test("does not hold in a named root whose folder changed", async () => {
    const withRoot = (path: string) =>
      workspaceAt("/srv/one", { roots: [{ name: "docs", path, access: "rw" }] });
    const from = { workspace: withRoot("/srv/docs"), plan: note("/srv/docs/note.txt") };
    expect(await isCarriedOver(from, from)).toBe(true);
    const to = { workspace: withRoot("/etc"), plan: note("/etc/note.txt") };
    expect(await isCarriedOver(from, to)).toBe(false);
  });

  test.for([
    [{ facts: { "program git": "1" } }, { facts: { "program git": "2" } }],
    [{ facts: { "program git": "1" } }, { facts: {} }],
    [{ facts: {} }, { facts: { "program git": "1" } }],
    [{ binding: "1" }, { binding: "2" }],
    [{ identity: "a" }, { identity: "b" }],
    // A fact that is called like what the kernel itself looks at.
    [
      { identity: "a", facts: {} },
      { identity: "b", facts: { arguments: "planned a" } },
    ],
  ] as [CallPlan, CallPlan][])("does not hold if the plan %j changed to %j", async ([before, now]) => {
    const workspace = workspaceAt("/srv/one");
    expect(await isCarriedOver({ workspace, plan: before }, { workspace, plan: now })).toBe(false);
  });
});
