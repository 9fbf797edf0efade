import { getErrorMessage } from "@haft/core";
import { checkValue } from "@haft/core/internal";
import { formatPath } from "@haft/policy";
import { readRegularFile, systemReason } from "@haft/system";
import { statSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { MANIFEST_FILE, type Manifest } from "./manifest.ts";

/** Bytes. */
const LARGEST = 1024 * 1024;

/** Contains a manifest, or the end of a sentence. */
export type ManifestResult = { file: string } & ({ manifest: Manifest } | { problem: string });

/**
 * Returns the path for the manifest of a module, in the folder of the nearest `package.json`; `undefined` without a `package.json`. The
 * file need not exist.
 *
 * @param module Absolute path.
 * @example
 * ```ts
 * import { findManifestFile, readManifestFile } from "@haft/plugin-loader/internal/plugins";
 * const file = findManifestFile("/srv/weather/dist/index.js");
 * const read = file === undefined ? undefined : readManifestFile(file);
 * ```
 */
export function findManifestFile(module: string): string | undefined {
  const about = findPackageJSON(pathToFileURL(module));
  return about === undefined ? undefined : join(dirname(about), MANIFEST_FILE);
}

/**
 * Reads and checks a manifest. It runs no code of the plugin, and never throws.
 *
 * @returns the manifest, or its problem as the end of a sentence; `undefined` without a file
 * @example
 * ```ts run
 * import { readManifestFile } from "@haft/plugin-loader/internal/plugins";
 * readManifestFile("no-such-folder/haft.plugin.json"); // => undefined
 * ```
 */
export function readManifestFile(file: string): ManifestResult | undefined {
  let text: string;
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (!found.isFile()) return { file, problem: "is no file" };
    if (found.size > LARGEST) return { file, problem: `has more than ${LARGEST} bytes` };
    text = readRegularFile(file, { maxBytes: LARGEST, followLink: true }).toString("utf8");
  } catch (thrown) {
    return { file, problem: `cannot be read: ${systemReason(thrown)}` };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return { file, problem: `is no JSON: ${getErrorMessage(thrown)}` };
  }
  const [issue] = checkValue(MANIFEST_SCHEMA, value, 1);
  if (issue === undefined) return { file, manifest: value as Manifest };
  const { kind, path, expected, received, known } = issue;
  const what =
    kind === "missing"
      ? `has no ${formatPath(path)}`
      : kind === "unknown"
        ? `has ${formatPath(path)}, which is unknown; known are ${known.join(", ")}`
        : `has ${received} for ${formatPath(path) || "all of it"}, and expected is ${expected}`;
  return { file, problem: what };
}

/** Draft 7, for checks and publication. */
const texts = (description: string) => ({ type: "array", items: { type: "string" }, description });
const text = (description: string) => ({ type: "string", description });

const TOOL = {
  type: "object",
  properties: {
    name: { type: "string", pattern: "^[a-zA-Z][a-zA-Z0-9_-]{0,47}$", description: "As models call it." },
    label: text("For people."),
    description: text("For models. Of tools that are the same in every session."),
    effects: {
      type: "array",
      items: { enum: ["read", "write", "execute", "network", "message"] },
      description: "All its effects. Absent if a factory makes it and declares none.",
    },
    hosts: texts("All hosts that it may contact. Absent: any, as far as its effects and policies go."),
    optional: { type: "boolean", description: "Off until a policy names it." },
    channels: texts("Only in sessions of these message channels."),
    groups: texts("Policy groups it names itself."),
    parameters: {
      type: "object",
      description: "JSON Schema of its arguments. Of tools that are the same in every session.",
    },
    factory: { type: "boolean", description: "A factory makes it for sessions, or for some of them." },
  },
  required: ["name"],
  additionalProperties: false,
};

export const MANIFEST_SCHEMA = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Manifest of a Haft plugin",
  description:
    "What a plugin offers, known without running it. haft plugins manifest makes it from the code.",
  type: "object",
  properties: {
    $schema: text("Where this schema is; for editors."),
    manifest: { const: 1, description: "The version of this form." },
    id: { type: "string", pattern: "^[a-z0-9][a-z0-9-]*$", description: "As the plugin says." },
    name: text("For people."),
    version: text("Of the plugin."),
    contract: { type: "integer", minimum: 1, description: "The contract it is written for." },
    sdk: text("The @haft/plugin-sdk it is written with, as its package.json asks for it."),
    replaces: texts("Names of other plugins' tools that it replaces."),
    configSchema: { type: "object", description: "JSON Schema of its configuration." },
    tools: { type: "array", items: TOOL, description: "Every tool it may have." },
  },
  required: ["manifest", "id", "tools"],
  additionalProperties: false,
};
