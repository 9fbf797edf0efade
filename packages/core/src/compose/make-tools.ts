import type { Logger } from "../contract/ports.ts";
import type { Plugin, PluginToolContext, PluginToolRegistration } from "../contract/registration.ts";
import type { AnyTool } from "../contract/tool.ts";
import { coreError } from "../errors.ts";
import { messageWithCauses } from "../format/causes.ts";
import { startTimer } from "../time/timer.ts";
import { checkTool } from "./tool-check.ts";

/** Why a tool, or a whole registration, is not there. Kept and queryable; nothing vanishes silently. */
export interface ToolDiagnostic {
  /** What went wrong, for programs. */
  code:
    | "TOOL_NAME_COLLISION"
    | "REPLACE_REFUSED"
    | "PLUGIN_INVALID"
    | "PLUGIN_NOT_FOUND"
    | "PLUGIN_UNLOADABLE"
    | "PLUGIN_CHANGED"
    | "CONTRACT_UNKNOWN"
    | "FACTORY_FAILED"
    | "FACTORY_TIMEOUT"
    | "TOOL_INVALID"
    | "TOOL_UNDECLARED";
  /** Whose fault it is; empty where that cannot be told. */
  pluginId: string;
  /** The names that are missing because of it. */
  names: readonly string[];
  /** What happened, as a sentence. */
  message: string;
  /** What to do next, as a sentence. */
  fix: string;
}

/** A registration of a plugin, as the registry keeps it. */
export interface Entry {
  plugin: Plugin;
  registration: PluginToolRegistration;
  names: readonly string[];
  scope: "host" | "session";
  /** The names of other plugins' tools that its plugin takes over. */
  replaces: readonly string[];
}

export interface MadeTools {
  tools: readonly AnyTool[];
  diagnostics: readonly ToolDiagnostic[];
}

/** Runs one factory, with a time limit, and keeps what is sound. Never rejects. */
export async function makeTools(
  entry: Entry,
  context: PluginToolContext,
  timeoutMs: number,
): Promise<MadeTools> {
  const { plugin, registration, names } = entry;
  const expiry = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const given =
      entry.scope === "host"
        ? hostContext(plugin.config, context.logger, expiry.signal)
        : withSignal({ ...context, config: plugin.config }, expiry.signal);
    const making: unknown = registration.factory(given);
    // Most make theirs at once, and then there is nothing to wait for.
    if (!isThenable(making)) return soundTools(entry, making);
    const expired = new Promise<never>((_, reject) => {
      timer = startTimer(() => {
        expiry.abort();
        reject(new Error(`it took longer than ${timeoutMs} ms`));
      }, timeoutMs);
    });
    return soundTools(entry, await Promise.race([making, expired]));
  } catch (thrown) {
    const message = `The factory for ${names.join(", ")} of plugin "${plugin.id}" failed: ${messageWithCauses(thrown)}.`;
    const code = expiry.signal.aborted ? "FACTORY_TIMEOUT" : "FACTORY_FAILED";
    const fix = "Report it to the plugin's author; all other tools work.";
    return { tools: [], diagnostics: [{ code, pluginId: plugin.id, names, message, fix }] };
  } finally {
    clearTimeout(timer);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** Joined with that of the session when it is looked at, which few factories do: joining is most of what one costs. */
function withSignal(context: PluginToolContext, expiry: AbortSignal): PluginToolContext {
  const { signal } = context;
  let joined: AbortSignal | undefined;
  const get = () => (joined ??= AbortSignal.any([signal, expiry]));
  return Object.defineProperty(context, "signal", { enumerable: true, get });
}

function soundTools({ plugin, names }: Entry, result: unknown): MadeTools {
  const tools: AnyTool[] = [];
  const diagnostics: ToolDiagnostic[] = [];
  const pluginId = plugin.id;
  const candidates = Array.isArray(result) ? result : result === null || result === undefined ? [] : [result];
  for (const candidate of candidates) {
    const { tool, name = tool?.name, problem } = checkTool(candidate);
    const leaveOut = (code: "TOOL_INVALID" | "TOOL_UNDECLARED", made: string, fix: string) => {
      const message = `Plugin "${pluginId}" made ${made}`;
      diagnostics.push({ code, pluginId, names: name === undefined ? names : [name], message, fix });
    };
    if (!tool) {
      const made = `a malformed tool (${name ?? "without a name"}): ${problem}`.replace(/(?<!\?)$/, ".");
      leaveOut("TOOL_INVALID", made, "Report it to the plugin's author; its other tools work.");
    } else if (!names.includes(tool.name)) {
      const made = `the tool "${tool.name}" without declaring it.`;
      leaveOut("TOOL_UNDECLARED", made, `Add "${tool.name}" to the names of its registration.`);
    } else if (tools.some((other) => other.name === tool.name)) {
      leaveOut("TOOL_INVALID", `the tool "${tool.name}" twice; the first counts.`, "Make each tool once.");
    } else {
      tools.push(tool);
    }
  }
  return { tools, diagnostics };
}

/** What is made for the whole host must not hold on to the session that happened to be first. */
export function hostContext(config: unknown, logger: Logger, signal: AbortSignal): PluginToolContext {
  return {
    config,
    workspaceDir: "",
    agentDir: "",
    agentId: "",
    sessionKey: "",
    messageChannel: "",
    sandboxed: false,
    logger,
    signal,
    get workspace(): never {
      throw coreError("NO_SESSION", "A factory of scope host belongs to no session and has no workspace.");
    },
  };
}
