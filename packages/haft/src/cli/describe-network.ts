import type { SessionFacts, ToolEffect, ToolFacts } from "@haft/core";

export const UNCONTROLLED_NETWORK =
  "its code runs in the process of the host, so nothing restricts a connection that it opens without context.fetch";

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
    return `the network of its MCP server ${server}; see haft mcp show ${server}`;
  }
  return `by context.fetch ${reach(sandbox?.network, containment?.network)}; ${UNCONTROLLED_NETWORK}`;
}

function reach(
  ofSandbox: NonNullable<SessionFacts["sandbox"]>["network"] | undefined,
  ofView: NonNullable<SessionFacts["containment"]>["network"] | undefined,
): string {
  if (ofSandbox === "none") return "no hosts, because its sandbox has no network";
  if (ofSandbox === "limited") return "the hosts that its sandbox may reach";
  if (ofSandbox === "full") return "the network of its sandbox";
  if (ofView === "none") return "no hosts, because the session is contained without a network";
  if (ofView !== undefined && ofView !== "full") return `only ${ofView.join(", ")}, like commands`;
  return "the internet, and local networks that the operator allowed (network: allowPrivate)";
}
