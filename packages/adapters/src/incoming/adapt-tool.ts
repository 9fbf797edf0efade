import { type AnyTool, type CallPlan, text, type Tool } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import { adapterError } from "../errors.ts";
import { resolveToolSchema } from "../schema/resolve-tool-schema.ts";
import type { BridgeOptions } from "./bridge-options.ts";
import { resolveEffects, type ResolvedEffects } from "./effects.ts";
import type { ForeignTool } from "./foreign-tool.ts";
import { runTool } from "./run-tool.ts";

/** Precedes the preview of a call for a person. */
const WHERE =
  "This tool was made for another framework: it runs in the process of the host, with all its rights, in no sandbox and in no workspace.";

/**
 * Converts a tool of another framework to a tool of Haft.
 *
 * @throws `BRIDGE_TOOL_REFUSED`
 */
export async function adaptTool(
  foreign: ForeignTool,
  name: string,
  options: Pick<BridgeOptions, "effects" | "hints" | "toJsonSchema">,
): Promise<AnyTool> {
  const { description, label, needsApproval, refused } = foreign;
  if (refused !== undefined) throw adapterError("BRIDGE_TOOL_REFUSED", `${foreign.name} ${refused}`);
  const known = resolveEffects(foreign.name, options, foreign.hints);
  const parameters = await resolveToolSchema(foreign.name, foreign.schema, options.toJsonSchema);
  return withoutUndefined<Tool>({
    name,
    label: typeof label === "string" ? label : undefined,
    description: (typeof description === "string" && description.trim()) || `The tool ${foreign.name}.`,
    parameters: parameters as unknown as Tool["parameters"],
    effects: known.effects,
    groups: groupsOf(known),
    otherNames: name === foreign.name ? undefined : { [foreign.name]: {} },
    // The effect `message` is only a guess then, and no reason to block a repeated call.
    progress: known.source === "operator" ? undefined : { identicalRepeat: "run" },
    wantsPlan: needsApproval && (async (params) => Boolean(await needsApproval(argsOf(params)))),
    plan: (params) => planOf(foreign, name, argsOf(params)),
    execute: (toolCallId, params, signal, onUpdate, context) =>
      runTool(foreign, toolCallId, argsOf(params), signal, onUpdate, context),
  });
}

/** Groups for policies: all tools of bridges, and tools with unverified effects. */
function groupsOf({ source }: ResolvedEffects): string[] {
  if (source === "operator") return ["bridged"];
  return ["bridged", source === "hint" ? "hinted-effects" : "unknown-effects"];
}

/** Files, hosts and commands are unknown, so rules about them stay strict. */
async function planOf(foreign: ForeignTool, name: string, args: Record<string, unknown>): Promise<CallPlan> {
  const preview = [text(WHERE), text(`${name} ${JSON.stringify(args, undefined, 2)}`)];
  if (foreign.needsApproval === undefined || !(await foreign.needsApproval(args))) return { preview };
  const reason = `The author of ${name} wants somebody asked about this call.`;
  return { preview, consent: [{ place: `call of ${name}`, reason }] };
}

function argsOf(params: unknown): Record<string, unknown> {
  return params as Record<string, unknown>;
}
