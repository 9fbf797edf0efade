import { isObject } from "@haft/utils";
import { CONTRACT_VERSION, type Plugin, type PluginToolRegistration } from "../contract/registration.ts";
import { messageWithCauses } from "../format/causes.ts";
import { readSchema } from "../parameters/read-schema.ts";
import { describeValue } from "../parameters/schema/issues.ts";
import { isStringArray } from "../parameters/schema/value-kinds.ts";
import type { Entry } from "./build-tools.ts";
import { findHostsProblem } from "./declared-hosts.ts";
import { findMisspelledKey, toIdError, toPluginError } from "./plugin-error.ts";
import { describeEffectsProblem, isEffectArray } from "./tool-check.ts";

export type PluginCheck = { entries: Entry[] } | PluginProblem;

interface PluginProblem {
  problem: string;
  code?: "PLUGIN_INVALID" | "CONTRACT_UNKNOWN";
  fix?: string;
  id?: string;
  names?: readonly string[];
}

export const PLUGIN_KEYS = [
  "contract",
  "id",
  "name",
  "version",
  "tools",
  "config",
  "configSchema",
  "setup",
  "dispose",
  "hosts",
  "replaces",
  "source",
] satisfies (keyof Plugin)[];
const REGISTRATION = ["factory", "names", "effects", "hosts", "optional", "channels", "scope", "static"];

/** Reads a foreign plugin once; never throws. @param where Subject of a sentence: `plugins[2]`. */
export function checkPlugin(plugin: Plugin, where: string): PluginCheck {
  const check = readPlugin(plugin, where);
  return "problem" in check ? { ...check, ...readNames(plugin) } : check;
}

function readNames(plugin: Plugin): Pick<PluginProblem, "id" | "names"> {
  try {
    const { id, tools } = plugin;
    if (typeof id !== "string") return {};
    const names = Array.isArray(tools)
      ? tools.flatMap((registration: Partial<PluginToolRegistration> | null) =>
          isStringArray(registration?.names) ? registration.names : [],
        )
      : [];
    return { id, names };
  } catch {
    return {};
  }
}

function readPlugin(plugin: Plugin, where: string): PluginCheck {
  try {
    const mistake = toPluginError(plugin);
    if (mistake !== undefined) return { problem: `${where} ${mistake.what}.`, fix: mistake.fix };
    const { apiVersion = 1 } = plugin as { apiVersion?: number };
    const { id, tools, contract = apiVersion, replaces = [] } = plugin;
    // A getter can return another id.
    const other = toIdError(id);
    if (other !== undefined) return { problem: `${where} ${other.what}.`, fix: other.fix };
    if (contract !== CONTRACT_VERSION) return otherContract(id, contract);
    const slip = findMisspelledKey(plugin, PLUGIN_KEYS);
    if (slip !== undefined) return { problem: `Plugin "${id}" has ${slip}` };
    if (!Array.isArray(tools)) return { problem: `Plugin "${id}" has no list of tools.` };
    if (!isStringArray(replaces))
      return { problem: `Plugin "${id}" has a replaces that is not a list of names.` };
    const part = problemWithParts(plugin);
    if (part !== undefined) return { problem: `Plugin "${id}" ${part}` };
    const entries: Entry[] = [];
    for (const [index, registration] of (tools as readonly PluginToolRegistration[]).entries()) {
      const problem = problemWith(registration);
      if (problem !== undefined)
        return { problem: `Plugin "${id}" ${problem.replace("%", `tools[${index}]`)}` };
      const { names, scope = "session" } = registration;
      entries.push({ plugin, registration, names: [...names], scope, replaces });
    }
    return { entries };
  } catch (thrown) {
    return { problem: `A plugin cannot be read: ${messageWithCauses(thrown).replace(/\.$/, "")}.` };
  }
}

function problemWith(registration: PluginToolRegistration): string | undefined {
  if (typeof registration !== "object" || registration === null)
    return `has ${registration === undefined ? "undefined" : `a ${typeof registration}`} for % and not a tool.`;
  const { factory, names, channels, effects, hosts } = registration;
  if (factory === undefined && typeof (registration as { execute?: unknown }).execute === "function")
    return "contains % as a tool, which only definePlugin accepts: definePlugin({ id, tools: [tool] }).";
  const slip = findMisspelledKey(registration, REGISTRATION);
  if (slip !== undefined) return `has in % ${slip}`;
  if (typeof factory !== "function") return "registers tools without a factory.";
  if (!isStringArray(names))
    return Array.isArray(names)
      ? `has in % a tool whose name must be a text, and is ${describeValue((names as unknown[]).find((name) => typeof name !== "string"))}.`
      : "has in % a factory without names: a list of the tools that it can make.";
  if (channels !== undefined && !isStringArray(channels))
    return "limits tools to channels that are not a list.";
  const problem = findEffectsProblem(effects, names);
  if (problem !== undefined) return `has an error in %: ${problem}.`.replace(/\?\.$/, "?");
  const host = findHostsProblem(hosts);
  return host === undefined ? undefined : `has an error in %: ${host}.`;
}

function findEffectsProblem(effects: unknown, names: readonly string[]): string | undefined {
  if (effects === undefined || isEffectArray(effects)) return undefined;
  if (!isObject(effects) || Array.isArray(effects)) return describeEffectsProblem(effects);
  const unknown = Object.keys(effects).find((name) => !names.includes(name));
  if (unknown !== undefined) return `effects has ${JSON.stringify(unknown)}, which is none of its names`;
  const missing = names.find((name) => !Object.hasOwn(effects, name));
  if (missing !== undefined) return `effects has no entry for ${JSON.stringify(missing)}`;
  const [wrong] = Object.entries(effects).filter(([, list]) => !isEffectArray(list));
  return wrong && `of ${wrong[0]}, ${describeEffectsProblem(wrong[1])}`;
}

function problemWithParts({ configSchema, setup, dispose, hosts }: Plugin): string | undefined {
  const read = configSchema === undefined ? undefined : readSchema(configSchema, "configSchema");
  if (read !== undefined && "problem" in read) return `cannot be configured: ${read.problem}.`;
  for (const [name, part] of Object.entries({ setup, dispose }))
    if (part !== undefined && typeof part !== "function") return `has a ${name} that is not a function.`;
  const host = findHostsProblem(hosts);
  return host === undefined ? undefined : `has an error: ${host}.`;
}

function otherContract(id: string, contract: unknown): PluginCheck {
  const version = JSON.stringify(contract) ?? typeof contract;
  const isNewer = typeof contract === "number" && contract > CONTRACT_VERSION;
  return {
    code: "CONTRACT_UNKNOWN",
    problem: `Plugin "${id}" is written for contract ${version}, and this host knows contract ${CONTRACT_VERSION}.`,
    fix: isNewer
      ? `Update the host's Haft packages, or install a version of the plugin for contract ${CONTRACT_VERSION}.`
      : `Install a version of the plugin for contract ${CONTRACT_VERSION}, or have its author build it with this @haft/plugin-sdk.`,
  };
}
