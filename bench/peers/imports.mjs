import { importCost, installedSize } from "../work/installed.ts";

const folder = import.meta.dirname;

const importing = (specifier) => () => ({ sample: () => importCost(folder, specifier) });
const sizeOf = (name) => () => ({ sample: () => installedSize(folder, name) });

export const importAi = importing("ai");
export const importMcp = importing("@modelcontextprotocol/sdk/server/mcp.js");
export const importAgents = importing("@openai/agents");
export const importPi = importing("@earendil-works/pi-coding-agent");

export const sizeOfAi = sizeOf("ai");
export const sizeOfMcp = sizeOf("@modelcontextprotocol/sdk");
export const sizeOfAgents = sizeOf("@openai/agents");
export const sizeOfPi = sizeOf("@earendil-works/pi-coding-agent");
