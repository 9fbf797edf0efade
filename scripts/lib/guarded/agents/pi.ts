import { pi as client } from "../../clients/pi.ts";
import { AFTER, BEFORE, type GuardedClient } from "../guarded-client.ts";

export const pi: GuardedClient = {
  name: "pi",
  title: "pi",
  client,
  settings: ".pi/agent/extensions/haft-guard.ts",
  isModule: true,
  free: [],
  files: (model) => client.files?.(model) ?? {},
  attended: { asks: /Haft asks[^]*Yes[^]*No/, yes: "\r", no: "\u001b[B\r" },
  shell: (command) => ({ name: "bash", arguments: { command } }),
  tools: {
    read: { call: ({ file }) => ({ name: "read", arguments: { path: file } }) },
    shell: { call: () => pi.shell("echo ran > shell.txt") },
    edit: {
      call: ({ file }) => ({
        name: "edit",
        arguments: { path: file, edits: [{ oldText: BEFORE, newText: AFTER }] },
      }),
    },
    mcp: "pi mounts no servers",
    subagent: "pi has no subagents",
  },
};
