import type { SessionFacts, ToolEffect, ToolFacts } from "@haft/core";
import type { MissingTool } from "@haft/core/internal";
import type { Host } from "@haft/host";
import type { ExplainingPolicy } from "@haft/policy";
import type { AccessMethodKind } from "../../wire/api.ts";

type AnswerRange = ReturnType<ExplainingPolicy["answerRange"]>;

export interface CapabilityTool extends AnswerRange {
  facts: ToolFacts;
  name: string;
  kind: Exclude<AccessMethodKind, "leaving">;
}

export interface RangeOptions {
  facts: SessionFacts;
  /** For any session: rules count for all channels, groups, models and senders. */
  open: boolean;
  missing: readonly MissingTool[];
  granted: ReadonlySet<string>;
  askingRefuses: boolean;
}

/** The session decides which tools a plugin omits. */
const OUT_OF_ANY: ReadonlySet<string> = new Set(["TOOL_REPLACED"]);
const BY_POLICY: ReadonlySet<string> = new Set(["POLICY_DENIED"]);

export function listCapabilityTools({ policy, catalogue }: Host, options: RangeOptions): CapabilityTool[] {
  const { facts, open, missing, granted, askingRefuses } = options;
  const absent = new Set(
    missing.filter(({ code }) => (open ? OUT_OF_ANY.has(code) : !BY_POLICY.has(code))).map(({ id }) => id),
  );
  return catalogue.flatMap((tool): CapabilityTool[] => {
    if (absent.has(tool.id)) return [];
    const { mildest, strictest, outside, reason } = policy.answerRange(facts, tool, { open });
    const effective = (word: AnswerRange["mildest"]) => (word === "ask" && askingRefuses ? "deny" : word);
    // A granted tool needs no question.
    const remembered = granted.has(tool.id) && mildest === "ask";
    return [
      {
        facts: tool,
        name: tool.builtIn ? tool.name : tool.id,
        kind: kindOfTool(tool),
        mildest: remembered ? "allow" : effective(mildest),
        strictest: effective(strictest),
        outside: granted.has(tool.id) && outside === "ask" ? "allow" : effective(outside),
        reason: remembered ? `Some of its calls have a grant. ${reason}` : reason,
      },
    ];
  });
}

export function hasEffect(tool: Pick<ToolFacts, "effects">, effect: ToolEffect): boolean {
  return tool.effects.includes(effect);
}

function kindOfTool(tool: ToolFacts): CapabilityTool["kind"] {
  if (!tool.builtIn) return "plugins";
  if (tool.name === "process") return "process";
  if (tool.name === "node_invoke") return "nodes";
  return hasEffect(tool, "execute") ? "commands" : "files";
}
