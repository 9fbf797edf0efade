import { opencode as client } from "../../clients/opencode.ts";
import { AFTER, BEFORE, type GuardedClient, SERVER, SERVER_TOOL } from "../guarded-client.ts";

const FOLDER = ".config/opencode";
const DEPENDENCIES = { dependencies: { "@opencode-ai/plugin": "1.18.33" } };
/** With a plugin, opencode fetches this package at its first start; offline this takes minutes. */
const HELPER = {
  [`${FOLDER}/package.json`]: JSON.stringify(DEPENDENCIES),
  [`${FOLDER}/package-lock.json`]: JSON.stringify({ lockfileVersion: 3, packages: { "": DEPENDENCIES } }),
  [`${FOLDER}/node_modules/.package-lock.json`]: JSON.stringify({ lockfileVersion: 3, packages: {} }),
};

export const opencode: GuardedClient = {
  name: "opencode",
  title: "opencode",
  client,
  settings: ".config/opencode/plugins/haft-guard.js",
  isModule: true,
  free: [],
  files: (model, command) => {
    const path = `${FOLDER}/opencode.json`;
    const settings = JSON.parse(client.files?.(model)[path] ?? "{}") as object;
    return {
      [path]: JSON.stringify({ ...settings, mcp: { [SERVER]: { type: "local", command, enabled: true } } }),
      ...HELPER,
    };
  },
  shell: (command) => ({ name: "bash", arguments: { command, description: "A command" } }),
  tools: {
    read: { call: ({ file }) => ({ name: "read", arguments: { filePath: file } }) },
    shell: { call: () => opencode.shell("echo ran > shell.txt") },
    edit: {
      call: ({ file }) => ({
        name: "edit",
        arguments: { filePath: file, oldString: BEFORE, newString: AFTER },
      }),
    },
    mcp: { call: () => ({ name: `${SERVER}_${SERVER_TOOL}`, arguments: {} }) },
    subagent: {
      call: ({ prompt }) => ({
        name: "task",
        arguments: { description: "A part", prompt, subagent_type: "general" },
      }),
    },
  },
};
