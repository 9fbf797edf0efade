import type { SessionFacts, ToolEffect, ToolFacts } from "@haft/core";
import type { MissingTool } from "@haft/core/kernel";
import type { MeansKind } from "@haft/inspector";
import type { AnswerRange } from "@haft/policy";
import type { Host } from "../../host/host.ts";

export interface AbleTool extends AnswerRange {
  facts: ToolFacts;
  name: string;
  kind: Exclude<MeansKind, "leaving">;
}

export interface RangeOptions {
  facts: SessionFacts;
  /** The page is about any such session: every channel, group, model and sender that rules name counts. */
  open: boolean;
  missing: readonly MissingTool[];
  granted: ReadonlySet<string>;
  askingRefuses: boolean;
}

/** Of a kind of session it is not known which a plugin leaves its tools out of. */
const OUT_OF_ANY: ReadonlySet<string> = new Set(["TOOL_REPLACED"]);
const BY_POLICY: ReadonlySet<string> = new Set(["POLICY_DENIED"]);

export function ableTools({ policy, catalogue }: Host, options: RangeOptions): AbleTool[] {
  const { facts, open, missing, granted, askingRefuses } = options;
  const absent = new Set(
    missing.filter(({ code }) => (open ? OUT_OF_ANY.has(code) : !BY_POLICY.has(code))).map(({ id }) => id),
  );
  return catalogue.flatMap((tool): AbleTool[] => {
    if (absent.has(tool.id)) return [];
    const { mildest, strictest, leaving, reason } = policy.answerRange(facts, tool, { open });
    const said = (word: AnswerRange["mildest"]) => (word === "ask" && askingRefuses ? "deny" : word);
    // What was allowed for good is not asked about again.
    const remembered = granted.has(tool.id) && mildest === "ask";
    return [
      {
        facts: tool,
        name: tool.builtIn ? tool.name : tool.id,
        kind: kindOfTool(tool),
        mildest: remembered ? "allow" : said(mildest),
        strictest: said(strictest),
        leaving: granted.has(tool.id) && leaving === "ask" ? "allow" : said(leaving),
        reason: remembered ? `Some of its calls were allowed for good. ${reason}` : reason,
      },
    ];
  });
}

export function can(tool: Pick<ToolFacts, "effects">, effect: ToolEffect): boolean {
  return tool.effects.includes(effect);
}

function kindOfTool(tool: ToolFacts): AbleTool["kind"] {
  if (!tool.builtIn) return "plugins";
  if (tool.name === "process") return "process";
  if (tool.name === "node_invoke") return "nodes";
  return can(tool, "execute") ? "commands" : "files";
}
