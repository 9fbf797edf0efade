import { definePlugin, defineTool, text, Type, type Plugin } from "@haft/plugin-sdk";

/** A whole plugin: one tool that sends a message. The effect `message` is what stops a message from going out twice. */
export function notifyPlugin(deliver: (channel: string, message: string) => void): Plugin {
  const notify = defineTool({
    name: "notify",
    description: "Send a message to a channel of the team.",
    parameters: Type.Object({ channel: Type.String(), text: Type.String({ minLength: 1 }) }),
    effects: ["message"],
    async execute(_toolCallId, params) {
      deliver(params.channel, params.text);
      return { content: [text(`Sent to ${params.channel}.`)], details: { channel: params.channel } };
    },
  });
  return definePlugin({ id: "notify", tools: [notify] });
}
