import type { KeyPath, PolicyConfig, SourceMap } from "@haft/policy";
import { asRecord } from "@haft/utils";
import { dirname } from "node:path";
import { configError } from "../errors.ts";
import { resolvePath } from "../settings/resolve-path.ts";
import type { PolicyInFiles } from "./haft-config.ts";

/** The scopes of these parts may be in separate files. */
const PARTS: readonly string[] = ["agents", "sessions"] satisfies (keyof PolicyConfig)[];

interface Text {
  config: PolicyConfig;
  positions: SourceMap;
}

export async function withScopeFiles(
  { config, positions }: { config: PolicyInFiles; positions: SourceMap },
  source: string,
  read: (path: string) => Promise<Text>,
): Promise<Text & { files: string[] }> {
  const scopes = new Map<string, Text & { path: string }>();
  const whole: Record<string, unknown> = { ...asRecord(config) };
  for (const part of PARTS) {
    const entries = Object.entries(asRecord(whole[part]));
    if (!entries.some(([, rules]) => typeof rules === "string")) continue;
    const filled: [string, unknown][] = [];
    for (const [name, rules] of entries) {
      if (typeof rules !== "string") {
        filled.push([name, rules]);
        continue;
      }
      if (rules === "") {
        const line = positions([part, name]);
        const location = line === undefined ? source : `${source}:${line}`;
        throw configError("POLICY_UNREADABLE", `${location}: ${part}.${name} names no file.`);
      }
      const path = resolvePath(rules, dirname(source));
      const text = await read(path);
      scopes.set(keyOf([part, name]), { ...text, path });
      filled.push([name, text.config]);
    }
    whole[part] = Object.fromEntries(filled);
  }
  if (scopes.size === 0) return { config: config as PolicyConfig, positions, files: [] };
  const scopeOf = (path: KeyPath) => scopes.get(keyOf(path));
  return {
    config: whole,
    positions: Object.assign(
      (path: KeyPath) => {
        const scope = scopeOf(path);
        return scope === undefined ? positions(path) : scope.positions(path.slice(2));
      },
      { fileOf: (path: KeyPath) => scopeOf(path)?.path },
    ),
    files: Array.from(scopes.values(), ({ path }) => path),
  };
}

function keyOf([part, name]: KeyPath): string {
  return JSON.stringify([part, name]);
}
