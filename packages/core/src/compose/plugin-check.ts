import { CONTRACT_VERSION, type Plugin, type PluginToolRegistration } from "../contract/registration.ts";
import { messageWithCauses } from "../format/causes.ts";
import type { Entry } from "./make-tools.ts";
import { isListOfText } from "./tool-check.ts";

/** The registrations of a plugin, or what is wrong with it. */
export type PluginCheck = { entries: Entry[] } | PluginProblem;

interface PluginProblem {
  problem: string;
  code?: "PLUGIN_INVALID" | "CONTRACT_UNKNOWN";
  fix?: string;
  /** Whose it is, and the names that go with it, as far as they can be read. */
  id?: string;
  names?: readonly string[];
}

/** Reads a foreign plugin once. Never throws: one that cannot be read costs nobody else's tools. */
export function checkPlugin(plugin: Plugin): PluginCheck {
  const check = readPlugin(plugin);
  return "problem" in check ? { ...check, ...readNames(plugin) } : check;
}

/** What a plugin that is left out would have been called, and its tools: whoever asks for one is told why it is not there. */
function readNames(plugin: Plugin): Pick<PluginProblem, "id" | "names"> {
  try {
    const { id, tools } = plugin;
    if (typeof id !== "string") return {};
    const names = Array.isArray(tools)
      ? tools.flatMap((registration: Partial<PluginToolRegistration> | null) =>
          isListOfText(registration?.names) ? registration.names : [],
        )
      : [];
    return { id, names };
  } catch {
    return {};
  }
}

function readPlugin(plugin: Plugin): PluginCheck {
  if (typeof plugin !== "object" || plugin === null) {
    const found = plugin === null ? "null" : typeof plugin === "function" ? "a function" : typeof plugin;
    return {
      problem: `A plugin of this host is ${found}, and not what definePlugin makes.`,
      fix: "Give the host what definePlugin makes: the default export of a plugin's module, as a rule.",
    };
  }
  try {
    const { id, tools, contract = 1 } = plugin;
    if (typeof id !== "string" || !/^[a-z0-9][a-z0-9-]*$/.test(id)) {
      return { problem: `A plugin id is lower-case letters, digits and dashes; got ${JSON.stringify(id)}.` };
    }
    if (contract !== CONTRACT_VERSION) return otherContract(id, contract);
    if (!Array.isArray(tools)) return { problem: `Plugin "${id}" has no list of tools.` };
    const entries: Entry[] = [];
    for (const registration of tools as readonly PluginToolRegistration[]) {
      const { factory, names, channels, scope = "session" } = registration;
      if (typeof factory !== "function")
        return { problem: `Plugin "${id}" registers tools without a factory.` };
      if (!isListOfText(names))
        return { problem: `Plugin "${id}" registers a factory without the names it makes.` };
      if (channels !== undefined && !isListOfText(channels))
        return { problem: `Plugin "${id}" limits tools to channels that are no list.` };
      entries.push({ plugin, registration, names: [...names], scope });
    }
    return { entries };
  } catch (thrown) {
    return { problem: `A plugin cannot be read: ${messageWithCauses(thrown).replace(/\.$/, "")}.` };
  }
}

function otherContract(id: string, contract: unknown): PluginCheck {
  const theirs = JSON.stringify(contract) ?? typeof contract;
  const isNewer = typeof contract === "number" && contract > CONTRACT_VERSION;
  return {
    code: "CONTRACT_UNKNOWN",
    problem: `Plugin "${id}" is written for contract ${theirs}, and this host knows contract ${CONTRACT_VERSION}.`,
    fix: isNewer
      ? `Update the host's Haft packages, or install a version of the plugin for contract ${CONTRACT_VERSION}.`
      : `Install a version of the plugin for contract ${CONTRACT_VERSION}, or have its author build it with this @haft/plugin-sdk.`,
  };
}
