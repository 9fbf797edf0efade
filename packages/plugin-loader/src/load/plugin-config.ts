import type { PluginReference } from "@haft/config/internal/document";
import { resolvePath } from "@haft/config/internal/settings";
import { getErrorMessage } from "@haft/core";
import { resolveSecretReferences } from "@haft/core/internal";
import { formatPath } from "@haft/policy";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import type { PluginProblem } from "../describe/describe-plugin.ts";

const MAX_BYTES = 64 * 1024;
const GROUP_AND_OTHERS = 0o077;

/** Contains the configuration of a plugin with the values of its secrets, or the problem of one of them. */
export type ResolvedConfig = { config: unknown } | { problem: PluginProblem };

/**
 * Reads the secrets of a configuration: `{ env: NAME }` and `{ file: PATH }`, where `configSchema` marks a secret. Paths start at the folder
 * of the configuration. A file is readable by its owner only, has at most 64 KiB, and ends without its last line break.
 *
 * @example
 * ```ts
 * import { resolvePluginConfig } from "@haft/plugin-loader/internal/plugins";
 * const schema = { type: "object", properties: { token: { type: "string", "x-secret": true } } };
 * const place = { use: "haft-plugin-weather", from: "/etc/agent", source: "/etc/agent/haft.config.yaml" };
 * const resolved = resolvePluginConfig({ ...place, config: { token: { env: "WEATHER_TOKEN" } } }, schema);
 * ```
 */
export function resolvePluginConfig(
  { use, from, source, at = "", config, getLine }: PluginReference,
  configSchema: object | undefined,
): ResolvedConfig {
  if (configSchema === undefined || config === undefined) return { config };
  try {
    const read: Parameters<typeof resolveSecretReferences>[2] = (reference, path) => {
      try {
        return "env" in reference
          ? readVariable(reference.env)
          : readSecretFile(resolvePath(reference.file, from));
      } catch (thrown) {
        const line = getLine?.(path);
        const where = `${source}${line === undefined ? "" : `:${line}`}`;
        const key = [...(at === "" ? [] : [at]), formatPath(["config", ...path])].join(".");
        throw new Error(`${where}: ${key}: ${getErrorMessage(thrown)}.`, { cause: thrown });
      }
    };
    return { config: resolveSecretReferences(configSchema, config, read) };
  } catch (thrown) {
    return {
      problem: {
        code: "PLUGIN_CONFIG_INVALID",
        message: `A secret of ${use} cannot be read. ${getErrorMessage(thrown)}`,
        fix: "Set the variable, or correct the file or its name.",
      },
    };
  }
}

function readVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`the variable ${name} is not set`);
  return value;
}

function readSecretFile(path: string): string {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile() || stats.size > MAX_BYTES)
      throw new Error(`${path} is not a file of at most ${MAX_BYTES / 1024} KiB`);
    if ((stats.mode & GROUP_AND_OTHERS) !== 0)
      throw new Error(`${path} can be read by other users; run chmod 600 ${path}`);
    const text = readFileSync(handle, "utf8").replace(/\r?\n$/, "");
    if (text === "") throw new Error(`${path} is empty`);
    return text;
  } finally {
    closeSync(handle);
  }
}
