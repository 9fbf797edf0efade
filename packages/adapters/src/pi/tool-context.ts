import { textOf } from "@haft/core";
import type { ForeignCall } from "../incoming/foreign-tool.ts";
import { missingPart } from "../incoming/host-api.ts";

/** The context of pi that a tool gets: there is no user interface, and what a session of pi alone has is missing. */
export function toolContext({ toolCallId, signal, context }: ForeignCall): object {
  const parts = {
    cwd: context.workspace.describe().cwd,
    mode: "print",
    hasUI: false,
    ui: NO_UI,
    signal,
    model: undefined,
    tools: [],
    isIdle: () => false,
    hasPendingMessages: () => false,
    abort() {},
    shutdown() {},
    async executeTool(name: string, args: unknown) {
      const outcome = await context.call(name, args);
      const { content, details, durationMs, kind } = outcome;
      const isError = kind !== "ok";
      return {
        toolCall: { type: "toolCall", id: `${toolCallId}/1`, name, arguments: args },
        result: { content: isError ? [{ type: "text", text: textOf(content) }] : content, details, isError },
        isError,
        durationMs,
      };
    },
  };
  return new Proxy(parts, {
    get: (target, key, receiver): unknown =>
      typeof key === "symbol" || key === "then" || key in target
        ? Reflect.get(target, key, receiver)
        : missingPart("pi", `ctx.${key}`),
  });
}

/** As in pi without a terminal: nothing is shown, and nobody answers. */
const NO_UI: object = new Proxy(
  { confirm: async () => false },
  {
    get: (target, key, receiver): unknown =>
      key in target ? Reflect.get(target, key, receiver) : () => undefined,
  },
);
