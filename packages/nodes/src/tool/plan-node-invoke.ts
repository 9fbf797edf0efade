import type { CallPlan, ContentBlock } from "@haft/core";
import { escapeInvisible, readyArguments } from "@haft/core/internal";
import { canonicalJson } from "../contract/canonical-json.ts";
import type { DeclaredCommand } from "../contract/declaration.ts";
import type { Nodes } from "../host/nodes.ts";
import type { NodeTarget } from "../host/resolve-node.ts";

/** What the model asked for. */
export interface NodeWishes {
  readonly node?: string;
  readonly command: string;
  readonly params?: Record<string, unknown>;
}

/** What was decided about, and runs. */
export interface PlannedInvocation {
  readonly target: NodeTarget;
  /** As the schema of the command has them. */
  readonly params: Record<string, unknown>;
}

/** Names node and command, and checks the parameters: nothing is asked of the node. @throws HaftError */
export async function planInvocation(nodes: Nodes, wishes: NodeWishes): Promise<PlannedInvocation> {
  const target = nodes.resolve(wishes);
  const ready = await readyArguments(specOf(target.command), wishes.params ?? {});
  if (!ready.ok) throw ready.error;
  return { target, params: ready.args };
}

/** What rules and people are told of it. */
export function planOf(planned: PlannedInvocation): CallPlan {
  const { target, params } = planned;
  const { id, name, command, digest, effects } = target;
  return {
    subjects: { node: { id, name, command: command.name, effects } },
    // Worked out when somebody is asked, or was: most calls are not.
    get preview() {
      return [previewOf(planned)];
    },
    // Whatever the call names the node by, and however long it may take.
    get identity() {
      return canonicalJson({ node: id, command: command.name, params });
    },
    facts: { [`node ${name}`]: id, [`command ${command.name}`]: digest },
    data: planned,
  };
}

function previewOf({ target, params }: PlannedInvocation): ContentBlock {
  const { id, name, command, effects } = target;
  const does = effects.length === 0 ? "only computes" : `may ${effects.join(", ")} there`;
  const lines = [
    `${name} (${id})`,
    `${command.name}: ${command.description}`,
    `It ${does}.`,
    JSON.stringify(params, undefined, 2),
  ];
  return { type: "text", text: lines.map(escapeInvisible).join("\n") };
}

/** Compiled once for each command. */
const specs = new WeakMap<DeclaredCommand, { name: string; parameters: unknown }>();

function specOf(command: DeclaredCommand): { name: string; parameters: unknown } {
  let spec = specs.get(command);
  if (spec === undefined) specs.set(command, (spec = { name: command.name, parameters: command.parameters }));
  return spec;
}
