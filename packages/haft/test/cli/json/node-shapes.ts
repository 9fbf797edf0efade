import type { Names, Shape } from "./shape.ts";

// The part of shapes.ts that is about other machines.

const states = '"new" | "approved" | "changed" | "revoked"';

const command = {
  name: "string",
  description: "string",
  effects: "string[]",
  timeoutMs: "number",
  resultBytes: "number",
};
const workspace = {
  name: "string",
  description: "string",
  access: '"ro" | "rw"',
  network: '"none" | "full"',
  isolation: "string",
};
const known = {
  id: "string",
  name: "string",
  state: states,
  present: "boolean",
  "digest?": "string",
  approved: "string[]",
  "changes?": "DeclarationChange[]",
};

export const nodeNames: Names = {
  MachineName: { id: "string", name: "string" },
  NodeCommand: command,
  DeclaredNodeCommand: { ...command, parameters: "object", approved: "boolean" },
  NodeWorkspace: workspace,
  DeclaredNodeWorkspace: { ...workspace, approved: "boolean" },
  DeclarationChange: {
    command: "string",
    change: '"added" | "removed" | "changed"',
    parts: "string[]",
  },
  KnownHost: { id: "string", name: "string", pairedAt: "number" },
  KnownNode: known,
  ShownNode: {
    ...known,
    "commands?": "DeclaredNodeCommand[]",
    "workspaces?": "DeclaredNodeWorkspace[]",
  },
};

const offered: Shape = {
  id: "string",
  name: "string",
  kind: '"main" | "group" | "sandboxed"',
  commands: "NodeCommand[]",
  workspaces: "NodeWorkspace[]",
  withheld: [{ name: "string", reason: "string", "fix?": "string" }],
  hosts: "KnownHost[]",
};

/** What each prints: a part of the shapes of the command. Of those that pair, first the code and then what came of it. */
export const nodeShapes: Readonly<Record<string, Shape>> = {
  "nodes list": { host: "MachineName", nodes: "KnownNode[]" },
  "nodes find": {
    nodes: [{ id: "string", name: "string", pairing: "boolean", "pairedAs?": "string", "state?": states }],
  },
  "nodes pair": {
    "code?": "string",
    "paired?": "boolean",
    node: { id: "string", name: "string", "commands?": "NodeCommand[]", "workspaces?": "NodeWorkspace[]" },
  },
  "nodes show": { node: "ShownNode" },
  "nodes approve": { node: "ShownNode" },
  "nodes revoke": { revoked: "MachineName" },
  "nodes server-config": { hosts: "string[]", nodes: "string[]", text: "string", "file?": "string" },
  "nodes start": offered,
  "nodes accept": { "code?": "string", "paired?": "boolean", host: "MachineName" },
  "nodes offer": offered,
  "nodes hosts": { hosts: "KnownHost[]" },
  "nodes forget": { forgotten: "MachineName" },
};
