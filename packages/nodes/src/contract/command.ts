import type { ParameterSchema, Tool, ToolEffect, ToolResult } from "@haft/core";

/** Schemas that parameters of a command are described with, as those of tools. */
export type CommandSchema = ParameterSchema | { readonly "~standard": object };

/** What a running command is told beside its parameters. */
export interface NodeCommandContext {
  /** One for each call, whoever delivers it how often. */
  readonly invocationId: string;
  /** The host that calls. */
  readonly hostId: string;
  /** Aborts when the host takes the call back, its time is over, or the node ends. */
  readonly signal: AbortSignal;
  /** Milliseconds it has, from its beginning. */
  readonly timeLeftMs: number;
}

/** Something a node offers. */
export interface NodeCommand<Parameters extends CommandSchema = ParameterSchema> {
  /**
   * Words joined by dots: `camera.snap`, `tool.apply_patch`. The first of lower-case letters, digits and `-`, the others of
   * letters, digits, `-` and `_`; at most 64 characters.
   */
  readonly name: string;
  /** For the model, and for the operator who approves it; at most 1,024 characters. */
  readonly description: string;
  /** The schema of an object: made with TypeBox, or a Standard Schema that has its JSON Schema with it. */
  readonly parameters: Parameters;
  /** All that a call of it may do, there. */
  readonly effects: readonly ToolEffect[];
  /** Milliseconds a call may take, 60,000 by default, an hour at most. */
  readonly timeoutMs?: number;
  /** Bytes its result may have as JSON, images included: 1 MiB by default, 16 MiB at most. */
  readonly resultBytes?: number;
  /** Calls of it that run at once, 8 by default; more are refused (`NODE_BUSY`). */
  readonly concurrency?: number;
  /**
   * Does it. What is no `HaftError` fails as one; its `receipt` says whether anything was changed. It must stop soon after
   * the signal aborts.
   */
  run(
    params: Parameters extends CommandSchema ? globalThis.Parameters<Tool<Parameters>["execute"]>[1] : never,
    context: NodeCommandContext,
  ): ToolResult | Promise<ToolResult>;
}

/** A command of any parameters, as nodes hold them. */
// The parameter type is contravariant, so only `any` accepts every command.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyNodeCommand = NodeCommand<any>;

/** Infers the parameter types of `run` from the schema. */
export function defineNodeCommand<Parameters extends CommandSchema>(
  command: NodeCommand<Parameters>,
): NodeCommand<Parameters> {
  return command;
}
