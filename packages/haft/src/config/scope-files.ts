import { membersOf } from "@haft/core/internal";
import type { KeyPath, PolicyConfig, Positions } from "@haft/policy";
import { dirname } from "node:path";
import { hostError } from "../errors.ts";
import { placedAt } from "../settings/placed-at.ts";
import type { PolicyInFiles } from "./haft-config.ts";

/** The parts of a policy whose scopes may stand in files of their own: one for each agent, or kind of session. */
const PARTS: readonly string[] = ["agents", "sessions"] satisfies (keyof PolicyConfig)[];

interface Text {
  config: PolicyConfig;
  positions: Positions;
}

export async function withScopeFiles(
  { config, positions }: { config: PolicyInFiles; positions: Positions },
  source: string,
  read: (path: string) => Promise<Text>,
): Promise<Text & { files: string[] }> {
  const scopes = new Map<string, Text & { path: string }>();
  const whole: Record<string, unknown> = { ...membersOf(config) };
  for (const part of PARTS) {
    const entries = Object.entries(membersOf(whole[part]));
    if (!entries.some(([, rules]) => typeof rules === "string")) continue;
    const filled: [string, unknown][] = [];
    for (const [name, rules] of entries) {
      if (typeof rules !== "string") {
        filled.push([name, rules]);
        continue;
      }
      if (rules === "") {
        const line = positions([part, name]);
        const place = line === undefined ? source : `${source}:${line}`;
        throw hostError("POLICY_UNREADABLE", `${place}: ${part}.${name} names no file.`);
      }
      const path = placedAt(rules, dirname(source));
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
        // The file as a whole has no line in itself.
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
