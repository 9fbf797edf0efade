import type { Decision, Policy, SessionKind } from "@haft/core";
import type { Registry } from "@haft/core/kernel";
import { requirePackage } from "./require-package.ts";
import type { TestSessionOptions } from "./test-options.ts";

const ALLOWED: Decision = {
  effect: "allow",
  id: "test",
  reason: "This test has no rules: everything of the plugin is allowed.",
  trace: [],
};
const OPEN: Policy = { forSession: () => ({ visibility: () => ALLOWED, call: () => ALLOWED }) };

/** Without a policy, the plugin is granted in such a session. Main sessions without a policy need no rules. */
export async function createTestPolicy(
  registry: Registry,
  { kind = "main", policy }: Pick<TestSessionOptions, "kind" | "policy">,
): Promise<Policy> {
  if (isPolicy(policy)) return policy;
  if (policy === undefined && kind === "main") return OPEN;
  const what = policy === undefined ? `A test session of kind ${kind}` : "A test session with a policy";
  const { createPolicy } = await requirePackage("@haft/policy", what);
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const tools = await registry.survey(silent);
  return createPolicy(policy ?? granted(kind, [...new Set(tools.map(({ id }) => id))]), {
    tools,
    source: "the policy of the test",
  });
}

/** Ids: a tool can have the name of a built-in tool. */
function granted(kind: SessionKind, ids: readonly string[]) {
  return ids.length === 0 ? {} : { sessions: { [kind]: { grant: ids } } };
}

function isPolicy(policy: TestSessionOptions["policy"]): policy is Policy {
  return typeof (policy as Policy | undefined)?.forSession === "function";
}
