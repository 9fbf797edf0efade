import type { PolicyConfig } from "@haft/policy";
import { readFileSync } from "node:fs";
import { UsageError } from "./usage.ts";

/**
 * Reads a policy file: JSON, or YAML, of which JSON is a part. A key written twice is an error
 * with its line; a plain JSON parser would quietly forget the first.
 */
export async function readPolicyFile(path: string): Promise<PolicyConfig> {
  const { parseDocument } = await import("yaml");
  let text: string;
  try {
    text = readFileSync(path, "utf8").replace(/^\u{feff}/u, "");
  } catch {
    throw new UsageError(`--policy: cannot read ${path}.`);
  }
  const document = parseDocument(text, { uniqueKeys: true, prettyErrors: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new UsageError(`--policy: ${path} cannot be read: ${problem.message}`);
  // What it means is checked when the host knows its tools.
  return (document.toJS({ maxAliasCount: 100 }) ?? {}) as PolicyConfig;
}
