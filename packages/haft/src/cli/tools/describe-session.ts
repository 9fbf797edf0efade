import type { Decision } from "@haft/core";
import type { SessionPreview } from "@haft/core/kernel";
import type { SessionContainment } from "@haft/host/internal/contained";
import { effectsByKind } from "@haft/policy";
import { describeView } from "../describe-view.ts";
import { firstSentence } from "../write-out.ts";

export async function describeSession(
  session: SessionPreview,
  containment: SessionContainment,
): Promise<string> {
  const tools = session.tools();
  const missing = session.missing();
  const width = Math.max(...[...tools, ...missing].map(({ name }) => name.length));
  const lines = [`Tools of a ${session.facts.kind} session:`];
  for (const { name, description } of tools) {
    const { call } = await session.explain(name);
    lines.push(`  ${name.padEnd(width)}  ${firstSentence(description)}${call ? howCalled(call) : ""}`);
  }
  if (tools.length === 0) lines.push("  none");
  const runsCommands = tools.some(({ name }) => name === "exec" || name === "bash");
  if (runsCommands && session.facts.sandbox === undefined)
    lines.push("", `Commands are ${describeView(containment)}`);
  if (missing.length > 0) lines.push("", "Missing:");
  for (const { name, reason, fix } of missing) {
    lines.push(`  ${name.padEnd(width)}  ${reason}`);
    if (fix !== undefined) lines.push(`  ${" ".repeat(width)}  To have it: ${fix}`);
  }
  return lines.join("\n");
}

function howCalled({ effect, trace }: Pick<Decision, "effect" | "trace">): string {
  const { toSome, toOthers } = effectsByKind(trace);
  if (toSome === undefined) {
    return { allow: "", ask: " (needs approval)", deny: " (every call is denied)" }[effect];
  }
  if (toSome === "ask") return " (some calls need approval)";
  return toOthers === "ask" ? " (needs approval; some calls are denied)" : " (some calls are denied)";
}
