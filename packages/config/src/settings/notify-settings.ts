import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import { type EnvironmentReference, SECRET_TEXT } from "./secret-text.ts";

/**
 * Runs a program with a notice of each waiting call.
 *
 * @example
 * ```ts
 * import type { NotifyCommand } from "@haft/config";
 * const target: NotifyCommand = { command: ["notify-send", "An agent waits for an answer"] };
 * ```
 */
export interface NotifyCommand {
  /** Names the program (on the `PATH`, or by absolute path) and its arguments. No shell runs it. */
  command: readonly string[];
}

/**
 * Sends a notice of each waiting call to a URL, as a POST request with JSON.
 *
 * @example
 * ```ts
 * import type { NotifyWebhook } from "@haft/config";
 * const target: NotifyWebhook = {
 *   url: "https://chat.example.com/hooks/approvals",
 *   headers: { Authorization: { env: "HOOK_AUTHORIZATION" } },
 * };
 * ```
 */
export interface NotifyWebhook {
  /** Sets the URL: `https:`, or `http:` of this machine (`127.0.0.1`, `[::1]`, `localhost`). Haft never shows all of it. */
  url: string | EnvironmentReference;
  /** Adds headers, such as `Authorization`. */
  headers?: Readonly<Record<string, string | EnvironmentReference>>;
}

/** Describes a target of notices: a command or a URL. */
export type NotifyTarget = NotifyCommand | NotifyWebhook;

/**
 * Lists the targets of notices, at most 8.
 *
 * @example
 * ```ts
 * import type { NotifySettings } from "@haft/config";
 * const notify: NotifySettings = [{ command: ["notify-send", "An agent waits"] }, { url: { env: "APPROVAL_URL" } }];
 * ```
 */
export type NotifySettings = readonly NotifyTarget[];

/** All targets must be notified within seconds. */
const MAX_TARGETS = 8;

/** {@link findNotifyProblems} checks the combinations. */
export const NOTIFY: OptionSchema = {
  type: "array",
  maxItems: MAX_TARGETS,
  items: optionsSchema<NotifyCommand & NotifyWebhook>({
    command: {
      type: "array",
      items: { type: "string" },
      minItems: 1,
      description: "The program, by its name or absolute path, and its arguments. No shell.",
    },
    url: {
      ...SECRET_TEXT,
      description:
        "An https: address, or { env: NAME } of the variable that has it; http: only of this machine.",
    },
    headers: {
      type: "object",
      additionalProperties: SECRET_TEXT,
      description: "Further headers; their values, or { env: NAME }.",
    },
  }),
  description: "Targets of notices about calls that wait for approval: commands and https: addresses.",
};

/** Describes a problem that the schema does not find: its position, and a sentence. */
export interface NotifyProblem {
  path: readonly (string | number)[];
  message: string;
}

/** Returns the problems of settings that match the schema. Variables are checked when they are used. */
export function findNotifyProblems(settings: NotifySettings): NotifyProblem[] {
  return settings.flatMap((target, index) =>
    problemsOfTarget(target).map(({ path, message }) => ({ path: [index, ...path], message })),
  );
}

function problemsOfTarget(target: NotifyTarget): NotifyProblem[] {
  if ("command" in target && "url" in target)
    return [{ path: [], message: "It has a command and a url; make two of them." }];
  if ("command" in target) {
    const [other] = Object.keys(target).filter((key) => key !== "command");
    if (other !== undefined) return [{ path: [other], message: "It goes with a url, not with a command." }];
    const [program = ""] = target.command;
    const isName = program !== "" && !program.includes("/");
    if (target.command.some((word) => word.includes("\0")))
      return [{ path: ["command"], message: "It holds a NUL, which no argument can." }];
    if (isName || program.startsWith("/")) return [];
    return [{ path: ["command", 0], message: "It names the program, by its name or its absolute path." }];
  }
  if (!("url" in target)) return [{ path: [], message: "It has neither a command nor a url." }];
  const problems: NotifyProblem[] = [];
  const { url, headers = {} } = target;
  const message = typeof url === "string" ? findUrlProblem(url) : undefined;
  if (message !== undefined) problems.push({ path: ["url"], message });
  for (const [name, value] of Object.entries(headers))
    if (!isHeader(name, typeof value === "string" ? value : ""))
      problems.push({ path: ["headers", name], message: "It is not a header that can be sent." });
  return problems;
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/;

/** Returns a sentence without the URL, which may be a secret. */
export function findUrlProblem(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null) return "It is not an address.";
  if (parsed.username !== "" || parsed.password !== "")
    return "It holds a user or a password, which go into headers: Authorization.";
  if (parsed.protocol === "https:") return undefined;
  if (parsed.protocol !== "http:") return "It is not an https: address.";
  if (LOOPBACK.test(parsed.hostname)) return undefined;
  return "What waits would go over the network as it is; http: is only for this machine, so use https:.";
}

export function isHeader(name: string, value: string): boolean {
  try {
    new Headers().set(name, value);
    return true;
  } catch {
    return false;
  }
}
