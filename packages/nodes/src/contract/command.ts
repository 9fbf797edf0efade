import type { ParameterSchema, Tool, ToolEffect, ToolResult } from "@haft/core";

/**
 * Describes a command's parameters, as for tools.
 *
 * @example
 * ```ts
 * import type { CommandSchema } from "@haft/nodes";
 * import { Type } from "@haft/plugin-sdk";
 * const parameters: CommandSchema = Type.Object({ path: Type.String({ description: "A file of the node." }) });
 * ```
 */
export type CommandSchema = ParameterSchema | { readonly "~standard": object };

/**
 * Contains the context of a running command.
 *
 * @example
 * ```ts
 * import { text, type ToolResult } from "@haft/core";
 * import type { NodeCommandContext } from "@haft/nodes";
 * import { setTimeout } from "node:timers/promises";
 * async function wait(_: object, { signal, timeLeftMs }: NodeCommandContext): Promise<ToolResult> {
 *   await setTimeout(timeLeftMs / 2, undefined, { signal });
 *   return { content: [text("Done.")], details: {} };
 * }
 * ```
 */
export interface NodeCommandContext {
  /** Identifies the call, also in repeated deliveries. */
  readonly invocationId: string;
  /** Identifies the calling host. */
  readonly hostId: string;
  /** Aborts if the host cancels, time is over, or the node ends. */
  readonly signal: AbortSignal;
  /** Contains the call's milliseconds from its start. */
  readonly timeLeftMs: number;
}

/**
 * Describes a command that a node offers to hosts.
 *
 * @example
 * ```ts
 * import { text } from "@haft/core";
 * import type { AnyNodeCommand } from "@haft/nodes";
 * const uptime: AnyNodeCommand = {
 *   name: "system.uptime",
 *   description: "Seconds since the start of the node.",
 *   parameters: { type: "object", properties: {} },
 *   effects: ["read"],
 *   run: () => ({ content: [text(`${Math.round(process.uptime())} s`)], details: {} }),
 * };
 * ```
 */
export interface NodeCommand<Parameters extends CommandSchema = ParameterSchema> {
  /**
   * Names the command: words joined by dots, such as `camera.snap` or `tool.apply_patch`. The first word has
   * lower-case letters, digits and `-`, the others also upper-case letters and `_`; at most 64 characters.
   */
  readonly name: string;
  /** Describes the command to the model and the approving operator; at most 1,024 characters. */
  readonly description: string;
  /** Describes an object of parameters: a TypeBox schema, or a Standard Schema with JSON Schema. */
  readonly parameters: Parameters;
  /** Lists all possible effects on the node. */
  readonly effects: readonly ToolEffect[];
  /** Limits a call in milliseconds. Default 60,000, at most one hour. */
  readonly timeoutMs?: number;
  /** Limits the result as JSON with images, in bytes. Default 1 MiB, at most 16 MiB. */
  readonly resultBytes?: number;
  /** Limits concurrent calls. Default 8; further calls are refused (`NODE_BUSY`). */
  readonly concurrency?: number;
  /**
   * Runs the command. Errors other than `HaftError` are wrapped; `receipt` states whether anything changed.
   * The command must stop soon after the signal aborts.
   */
  run(
    params: Parameters extends CommandSchema ? globalThis.Parameters<Tool<Parameters>["execute"]>[1] : never,
    context: NodeCommandContext,
  ): ToolResult | Promise<ToolResult>;
}

/** Accepts a command with any parameters. */
// Only `any` accepts every command, because the parameter type is contravariant.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyNodeCommand = NodeCommand<any>;

/**
 * Returns the command, with `run` typed by the schema.
 *
 * @example
 * ```ts
 * import { defineNodeCommand } from "@haft/nodes";
 * import { text, Type } from "@haft/plugin-sdk";
 * const blink = defineNodeCommand({
 *   name: "lamp.blink",
 *   description: "Blinks the lamp.",
 *   parameters: Type.Object({ times: Type.Integer({ minimum: 1, maximum: 10 }) }),
 *   effects: ["execute"],
 *   run: ({ times }) => ({ content: [text(`Blinked ${times} times.`)], details: { times } }),
 * });
 * ```
 */
export function defineNodeCommand<Parameters extends CommandSchema>(
  command: NodeCommand<Parameters>,
): NodeCommand<Parameters> {
  return command;
}
