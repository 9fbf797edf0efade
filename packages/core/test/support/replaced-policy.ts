import type { Policy } from "../../src/contract/policy-port.ts";
import { acting, actor } from "./approvals.ts";
import { makeFactory, policyOf, stubWorkspace, type TestSession } from "./kernel.ts";

export const allowing = policyOf();
export const denying = policyOf({ call: () => "deny" });
export const hiding = policyOf({ visibility: () => "deny", call: () => "deny" });

/** A session with the tool `act`, and the factory that replaces its policy. */
export async function openUnder(policy: Policy, setup: TestSession = {}) {
  const { tool, ran } = actor();
  const factory = makeFactory({ tools: [tool], policy, ...setup });
  const session = await factory.open({ kind: "main", workspace: stubWorkspace(), ...setup.open });
  return { factory, session, ran, act: acting(session) };
}
