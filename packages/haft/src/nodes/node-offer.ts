import type { SessionKind, ToolFacts } from "@haft/core";
import { didYouMean, nearestNames } from "@haft/core/internal";
import type { MissingTool, ToolDefinition } from "@haft/core/kernel";
import type { OfferedTool } from "@haft/nodes";
import { hostError } from "../errors.ts";

/** A tool that is named, and that the sessions of hosts may not call. */
export interface WithheldTool {
  name: string;
  reason: string;
  fix?: string;
}

interface Seen {
  kind: SessionKind;
  catalogue: readonly ToolFacts[];
  tools: readonly ToolDefinition[];
  missing: readonly MissingTool[];
}

/**
 * The tools that are offered, as sessions have them. What the node's own rules deny to every session of that kind is not offered.
 *
 * @throws HaftError `CONFIG_INVALID` for a name of no tool, and where nothing is left
 */
export function offeredTools(
  names: readonly string[],
  { kind, catalogue, tools, missing }: Seen,
): { offered: OfferedTool[]; withheld: WithheldTool[] } {
  const offered: OfferedTool[] = [];
  const withheld: WithheldTool[] = [];
  for (const name of new Set(names)) {
    const facts = catalogue.find((each) => each.name === name);
    const definition = tools.find((each) => each.name === name);
    const why = missing.find((each) => each.name === name);
    if (facts !== undefined && definition !== undefined)
      offered.push({ ...definition, effects: facts.effects });
    else if (facts !== undefined || why !== undefined) {
      const { reason = "No such session has it.", fix } = why ?? {};
      withheld.push({ name, reason, ...(fix !== undefined && { fix }) });
    } else {
      const near = didYouMean(
        nearestNames(
          name,
          catalogue.map((each) => each.name),
        ),
      );
      throw hostError("CONFIG_INVALID", `node.offer: there is no tool ${JSON.stringify(name)}.${near}`, {
        fix: "Correct `node.offer`, or the rules; `haft nodes offer` says what is offered.",
      });
    }
  }
  if (offered.length > 0 || names.length === 0) return { offered, withheld };
  const reasons = withheld.map(({ name, reason }) => `${name}: ${reason}`).join(" ");
  throw hostError("CONFIG_INVALID", `A ${kind} session may call none of what is to be offered. ${reasons}`, {
    fix: withheld.find(({ fix }) => fix !== undefined)?.fix ?? "Offer other tools.",
    details: { withheld },
  });
}
