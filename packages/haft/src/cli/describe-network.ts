import type { SessionFacts, ToolEffect, ToolFacts } from "@haft/core";

export const UNCONTROLLED_NETWORK =
  "its code runs in the process of the host, so a connection that it opens without context.fetch is held by nothing";

export function usesNetwork({
  builtIn = false,
  effects = [],
}: {
  builtIn?: boolean;
  effects?: readonly ToolEffect[];
}): boolean {
  return !builtIn && effects.includes("network");
}

export function describeToolNetwork(
  { pluginId, groups }: Pick<ToolFacts, "pluginId" | "groups">,
  { sandbox, containment }: SessionFacts,
): string {
  if (groups.includes("mcp")) {
    const server = pluginId.replace(/^mcp-/, "");
    return `what its MCP server ${server} reaches; haft mcp show ${server} says what that is`;
  }
  return `by context.fetch ${reach(sandbox?.network, containment?.network)}; ${UNCONTROLLED_NETWORK}`;
}

function reach(
  ofSandbox: NonNullable<SessionFacts["sandbox"]>["network"] | undefined,
  ofView: NonNullable<SessionFacts["containment"]>["network"] | undefined,
): string {
  if (ofSandbox === "none") return "nobody, since its sandbox has no network";
  if (ofSandbox === "limited") return "the hosts that its sandbox may reach";
  if (ofSandbox === "full") return "what is reached from inside its sandbox";
  if (ofView === "none") return "nobody, since the session is contained without a network";
  if (ofView !== undefined && ofView !== "full") return `only ${ofView.join(", ")}, as commands do`;
  return "the internet, and of local networks what the operator opened (network: allowPrivate)";
}
