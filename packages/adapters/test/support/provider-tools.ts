import { definePlugin, defineTool, image, type Plugin, text } from "@haft/core";
import { Type } from "@sinclair/typebox";

/** What reads, what changes, what shows, what waits and what is too large: for every way out. */
export const providerTools: Plugin = definePlugin({
  id: "t",
  tools: [
    defineTool({
      name: "greet",
      description: "Greets somebody.",
      parameters: Type.Object({
        name: Type.String({ description: "Whom." }),
        times: Type.Optional(Type.Integer({ minimum: 1, default: 1, description: "How often." })),
      }),
      effects: ["read"],
      aliases: { name: ["who"] },
      execute: (_id, { name }) => ({ content: [text(`Hello, ${name}.`)], details: {} }),
    }),
    defineTool({
      name: "photo",
      description: "Takes a photo.",
      parameters: Type.Object({}),
      effects: ["read"],
      execute: () => ({
        content: [text("Before:"), image(Uint8Array.of(1, 2, 3), "image/png"), text("After.")],
        details: {},
      }),
    }),
    defineTool({
      name: "scan",
      description: "Scans a page.",
      parameters: Type.Object({}),
      effects: ["read"],
      execute: () => ({ content: [image(Uint8Array.of(1, 2, 3), "image/tiff")], details: {} }),
    }),
    defineTool({
      name: "wait",
      description: "Waits until it is aborted.",
      parameters: Type.Object({}),
      effects: ["read"],
      execute: (_id, _params, signal, onUpdate): Promise<never> => {
        onUpdate?.({ content: [text("waiting")], details: {} });
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("stopped")));
        });
      },
    }),
    defineTool({
      name: "send",
      description: "Sends a message.",
      parameters: Type.Object({ to: Type.String() }),
      effects: ["message"],
      execute: (_id, { to }) => ({ content: [text(`sent to ${to}`)], details: {} }),
    }),
    defineTool({
      name: "note",
      description: "Notes a line.",
      parameters: Type.Object({ line: Type.String() }),
      effects: ["write"],
      execute: () => ({ content: [text("noted")], details: {} }),
    }),
    defineTool({
      name: "dump",
      description: "Says very much.",
      parameters: Type.Object({ megabytes: Type.Integer() }),
      effects: ["read"],
      execute: (_id, { megabytes }) => ({
        content: [text("a line of it\n".repeat((megabytes * 1024 * 1024) / 13))],
        details: {},
      }),
    }),
  ],
});
