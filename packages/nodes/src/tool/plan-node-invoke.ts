import { type CallPlan, type ContentBlock, HaftError } from "@haft/core";
import { validateArguments } from "@haft/core/internal";
import { escapeInvisible } from "@haft/utils";
import { canonicalJson } from "../contract/canonical-json.ts";
import type { DeclaredCommand } from "../contract/declaration.ts";
import type { Nodes } from "../host/nodes.ts";
import type { NodeTarget } from "../host/resolve-node.ts";

interface NodeWishes {
  readonly node?: string;
  readonly command: string;
  readonly params?: Record<string, unknown>;
}

export interface PlannedInvocation {
  readonly target: NodeTarget;
  readonly params: Record<string, unknown>;
}

/** Checks parameters without the node. @throws HaftError */
export async function planInvocation(target: NodeTarget, wishes: NodeWishes): Promise<PlannedInvocation> {
  const ready = await validateArguments(specOf(target.command), wishes.params ?? {});
  if (!ready.ok) throw explained(ready.error, target.command);
  return { target, params: ready.args };
}

/**
 * Plans a call for rules and people. If the call is impossible, only callers that may use the node learn the
 * reason.
 *
 * @throws HaftError if the node is unknown or ambiguous
 */
export async function planNodeInvoke(nodes: Nodes, wishes: NodeWishes): Promise<CallPlan> {
  let target: NodeTarget | undefined;
  try {
    target = nodes.resolve(wishes);
    return planOf(await planInvocation(target, wishes));
  } catch (thrown) {
    const node = target ?? nodeOf(thrown);
    if (!HaftError.is(thrown) || node === undefined) throw thrown;
    const { code, message: reason, fix } = thrown;
    const { id, name, effects } = node;
    const subject = { id, name, command: wishes.command, ...(effects !== undefined && { effects }) };
    return { subjects: { node: subject }, refused: { code, reason, ...(fix !== undefined && { fix }) } };
  }
}

function nodeOf(thrown: unknown): { id: string; name: string; effects?: NodeTarget["effects"] } | undefined {
  const node = HaftError.is(thrown) ? thrown.details?.["node"] : undefined;
  const { id, name } = (node ?? {}) as { id?: unknown; name?: unknown };
  return typeof id === "string" && typeof name === "string" ? { id, name } : undefined;
}

function planOf(planned: PlannedInvocation): CallPlan {
  const { target, params } = planned;
  const { id, name, command, digest, effects } = target;
  return {
    subjects: { node: { id, name, command: command.name, effects } },
    // Most calls need no approval.
    get preview() {
      return [previewOf(planned)];
    },
    // The node's spelling and the timeout do not matter.
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

const MAX_SCHEMA_LENGTH = 2_000;

/** Nothing was sent; the failure tells the model the parameters. */
function explained(
  { code, message, category, details, fix }: HaftError,
  { name, parameters }: DeclaredCommand,
) {
  const schema = JSON.stringify(parameters);
  const takes = schema.length > MAX_SCHEMA_LENGTH ? "" : ` ${name} takes, as JSON Schema: ${schema}`;
  return new HaftError(code, message, {
    category,
    receipt: "none",
    ...(details !== undefined && { details }),
    fix: `${fix ?? "Correct params."}${takes}`,
  });
}

const specs = new WeakMap<DeclaredCommand, { name: string; parameters: unknown }>();

function specOf(command: DeclaredCommand): { name: string; parameters: unknown } {
  let spec = specs.get(command);
  if (spec === undefined) specs.set(command, (spec = { name: command.name, parameters: command.parameters }));
  return spec;
}
