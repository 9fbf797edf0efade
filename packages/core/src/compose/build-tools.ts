import { isThenable, startTimer, type Timer } from "@haft/utils";
import { HaftError } from "../contract/errors.ts";
import type { Logger } from "../contract/ports.ts";
import { getDeclaredEffects, type Plugin, type PluginToolRegistration } from "../contract/registration.ts";
import type { AnyTool } from "../contract/tool.ts";
import { messageWithCauses } from "../format/causes.ts";
import { findUndeclaredHosts } from "./declared-hosts.ts";
import { type SessionInfoKey, hostContext, sessionContext, type SessionInfo } from "./factory-context.ts";
import type { LifecycleProblem, PluginLifecycle } from "./lifecycle/plugin-lifecycle.ts";
import { checkTool } from "./tool-check.ts";

/** Explains why a tool, or a whole registration, is missing. */
export interface ToolDiagnostic {
  /** Identifies the problem. */
  code:
    | "TOOL_NAME_COLLISION"
    | "PLUGIN_INVALID"
    | "PLUGIN_NOT_FOUND"
    | "PLUGIN_UNLOADABLE"
    | "PLUGIN_CHANGED"
    | "PLUGIN_CONFIG_INVALID"
    | "MANIFEST_WRONG"
    | "CONTRACT_UNKNOWN"
    | "SETUP_FAILED"
    | "DISPOSE_FAILED"
    | "FACTORY_FAILED"
    | "TOOL_HELD_BACK"
    | "TOOL_INVALID";
  /** Identifies the plugin; empty if unknown. */
  pluginId: string;
  /** Names the missing tools. */
  names: readonly string[];
  /** Describes the problem, as a sentence. */
  message: string;
  /** Suggests the next step, as a sentence. */
  fix: string;
}

export interface Entry {
  plugin: Plugin;
  registration: PluginToolRegistration;
  names: readonly string[];
  scope: "host" | "session";
  replaces: readonly string[];
  lifecycle?: PluginLifecycle | undefined;
}

export interface ToolBuildResult {
  tools: readonly AnyTool[];
  diagnostics: readonly ToolDiagnostic[];
}

export interface ToolBuildContext {
  sessionInfo?: SessionInfo;
  read?: (fact: SessionInfoKey) => void;
  logger: Logger;
  timeoutMs: number;
  isBuiltIn?: boolean;
}

export async function buildTools(
  entry: Entry,
  { sessionInfo, read = () => {}, logger, timeoutMs, isBuiltIn }: ToolBuildContext,
): Promise<ToolBuildResult> {
  const { plugin, registration, names, lifecycle } = entry;
  if (lifecycle !== undefined && registration.static !== true) {
    const problem = await problemOf(lifecycle, logger);
    if (problem !== undefined)
      return { tools: [], diagnostics: [{ ...problem, pluginId: plugin.id, names }] };
  }
  const expiry = new AbortController();
  let timer: Timer | undefined;
  try {
    const { config, state } = lifecycle ?? { config: plugin.config, state: undefined };
    const log = lifecycle?.logger(logger) ?? logger;
    const given =
      sessionInfo === undefined
        ? hostContext(config, log, expiry.signal, state)
        : sessionContext(sessionInfo, { config, state, logger: log, expiry: expiry.signal }, read);
    const making: unknown = registration.factory(given);
    if (!isThenable(making)) return soundTools(entry, making, isBuiltIn);
    const expired = new Promise<never>((_, reject) => {
      timer = startTimer(() => {
        expiry.abort();
        reject(new Error(`it took longer than ${timeoutMs} ms`));
      }, timeoutMs);
    });
    return soundTools(entry, await Promise.race([making, expired]), isBuiltIn);
  } catch (thrown) {
    const why = messageWithCauses(thrown);
    const message = `The factory for ${names.join(", ")} of plugin "${plugin.id}" failed: ${lifecycle?.secretMasker.maskText(why) ?? why}.`;
    const fix = fixOf(thrown) ?? "Report it to the plugin's author. All other tools work.";
    return { tools: [], diagnostics: [{ code: "FACTORY_FAILED", pluginId: plugin.id, names, message, fix }] };
  } finally {
    timer?.stop();
  }
}

function fixOf(thrown: unknown): string | undefined {
  try {
    const fix: unknown = HaftError.is(thrown) ? thrown.fix : undefined;
    return typeof fix === "string" ? fix : undefined;
  } catch {
    return undefined;
  }
}

async function problemOf(life: PluginLifecycle, logger: Logger): Promise<LifecycleProblem | undefined> {
  try {
    await life.ready(logger);
    return undefined;
  } catch (thrown) {
    const { code, message, fix } = thrown as HaftError;
    return { code: code as LifecycleProblem["code"], message, fix: fix ?? "" };
  }
}

function soundTools(
  { plugin, names, registration, lifecycle }: Entry,
  result: unknown,
  isBuiltIn: boolean | undefined,
): ToolBuildResult {
  const tools: AnyTool[] = [];
  const diagnostics: ToolDiagnostic[] = [];
  const pluginId = plugin.id;
  const candidates = Array.isArray(result) ? result : result === null || result === undefined ? [] : [result];
  for (const candidate of candidates) {
    const hosts = registration.hosts ?? plugin.hosts;
    const { tool, name = tool?.name, problem } = checkTool(candidate, hosts, isBuiltIn);
    const declared = tool && getDeclaredEffects(registration.effects, tool.name);
    const more = tool?.effects.filter((effect) => declared?.includes(effect) === false) ?? [];
    const elsewhere = findUndeclaredHosts(tool?.hosts, registration.hosts);
    const leaveOut = (made: string, fix: string) => {
      const message = `Plugin "${pluginId}" made ${made}`;
      diagnostics.push({
        code: "TOOL_INVALID",
        pluginId,
        names: name === undefined ? names : [name],
        message,
        fix,
      });
    };
    if (!tool) {
      const made = `a malformed tool (${name ?? "without a name"}): ${problem}`.replace(/(?<!\?)$/, ".");
      leaveOut(made, "Report it to the plugin's author. Its other tools work.");
    } else if (!names.includes(tool.name)) {
      const made = `the tool "${tool.name}" without declaring it.`;
      leaveOut(made, `Add "${tool.name}" to the names of its registration.`);
    } else if (more.length > 0) {
      const made = `the tool "${tool.name}" with the effect ${more.join(", ")}, which its registration does not declare.`;
      leaveOut(made, `Add ${more.join(", ")} to the effects of its registration.`);
    } else if (elsewhere.length > 0) {
      const made = `the tool "${tool.name}" with the host ${elsewhere.join(", ")}, which its registration does not declare.`;
      leaveOut(made, `Add ${elsewhere.join(", ")} to the hosts of its registration.`);
    } else if (tools.some((other) => other.name === tool.name)) {
      leaveOut(`the tool "${tool.name}" twice; the first counts.`, "Make each tool once.");
    } else {
      tools.push(lifecycle?.wrapTool(tool) ?? tool);
    }
  }
  return { tools, diagnostics };
}
