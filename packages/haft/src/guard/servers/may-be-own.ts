import type { AgentId } from "@haft/guard";
import { readRegularFile } from "@haft/workspace/internal/regular-file";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { namedStateFolder } from "../../boundary/home-folder.ts";
import type { SettingsPlace } from "../settings/agent-settings.ts";
import { serverFiles } from "./server-files.ts";

/** Bytes. */
const LARGEST = 16 * 1024 * 1024;

/** The word that starts one, as JSON and TOML have it. Spelled otherwise it is not found, and its calls are judged like any other. */
const STARTS = /["']serve["']/;

/**
 * Whether an agent could have mounted a server that is this Haft, going by what its configuration has somewhere, and by endpoints
 * that say they listen. Proving it takes parsers, and longer than all else that a hook does; where nothing here can be one, there is
 * nothing to prove.
 */
export function mayBeOwn(agent: AgentId, place: Pick<SettingsPlace, "home" | "env">): boolean {
  const own = serverFiles[agent]?.(place).own ?? [];
  const named = own.map(textOf).filter((text) => text !== "");
  return named.length > 0 && (named.some((text) => STARTS.test(text)) || hasEndpoints());
}

function textOf(path: string): string {
  try {
    return readRegularFile(path, { largest: LARGEST, followLink: true }).toString("utf8");
  } catch {
    return "";
  }
}

function hasEndpoints(): boolean {
  try {
    return readdirSync(join(namedStateFolder().path, "serve")).some((name) => name.startsWith("endpoint-"));
  } catch {
    return false;
  }
}
