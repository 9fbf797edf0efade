import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import { createHost, type Host, type HostOptions } from "haft";
import { join } from "node:path";
import type { ProjectCopy } from "./project-copy.ts";

export type PolicyConfig = NonNullable<HostOptions["policy"]>;

/** The preset host on the copy, with one more plugin. Whoever is asked for approval says no, unless somebody else is given. */
export function createDemoHost(
  copy: ProjectCopy,
  policy: HostOptions["policy"] = {},
  more: Pick<HostOptions, "workspaceDir" | "sandbox" | "nodes" | "approver" | "approvalMode" | "logger"> = {},
): Promise<Host> {
  return createHost({
    workspaceDir: copy.project,
    plugins: [notifyPlugin(copy)],
    policy,
    approver: { ask: async () => "deny" },
    stateDir: join(copy.root, "state"),
    // So that `haft ledger replay` can play it again.
    record: "full",
    processes: { stateFolder: join(copy.root, "runs") },
    spoolDir: join(copy.root, "spool"),
    ...more,
  });
}

/** A whole plugin: one tool that sends a message. The effect `message` is what stops a message from going out twice. */
function notifyPlugin(copy: ProjectCopy) {
  const notify = defineTool({
    name: "notify",
    description: "Send a message to a channel of the team.",
    parameters: Type.Object({ channel: Type.String(), text: Type.String({ minLength: 1 }) }),
    effects: ["message"],
    async execute(_toolCallId, { channel, text: message }) {
      copy.deliver(channel, message);
      return { content: [text(`Sent to ${channel}.`)], details: { channel } };
    },
  });
  return definePlugin({ id: "notify", tools: [notify] });
}

/**
 * Does what a denial advises, word for word: `Add "write" to sessions.group.grant in the policy.`
 * Returns nothing when the sentence says something else.
 */
export function applyAdvice(fix: string | undefined): PolicyConfig | undefined {
  const [, selector, path] = /^Add "([^"]+)" to ([a-z]+(?:\.[a-z]+)*) in /.exec(fix ?? "") ?? [];
  return path?.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), [selector]) as
    | PolicyConfig
    | undefined;
}
