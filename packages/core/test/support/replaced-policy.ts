import type { Policy } from "../../src/contract/policy-port.ts";
import { createActCall, createActTool } from "./approvals.ts";
import { makeFactory, createTestPolicy, stubWorkspace, type TestSession } from "./kernel.ts";

export const allowPolicy = createTestPolicy();
export const denyPolicy = createTestPolicy({ call: () => "deny" });
export const hidePolicy = createTestPolicy({ visibility: () => "deny", call: () => "deny" });

/** A session with the tool `act`, and the factory that replaces its policy. */
export async function openWithPolicy(policy: Policy, setup: TestSession = {}) {
  const { tool, ran } = createActTool();
  const factory = makeFactory({ tools: [tool], policy, ...setup });
  const session = await factory.open({ kind: "main", workspace: stubWorkspace(), ...setup.open });
  return { factory, session, ran, act: createActCall(session) };
}
