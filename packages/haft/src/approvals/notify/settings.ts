import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import { type FromEnvironment, HIDDEN } from "../../settings/hidden-text.ts";

/** A program that is told of each call that waits. */
export interface NotifyCommand {
  /** The program (a name on the PATH or an absolute path) and its arguments; no shell. */
  command: readonly string[];
}

/** An address that is told of each call that waits, by a POST. */
export interface NotifyAddress {
  /** `https:`; `http:` only of this machine (127.0.0.1, [::1], localhost). It may hold a secret, and is never shown whole. */
  url: string | FromEnvironment;
  /** What is sent. Default `json`. */
  format?: "json" | "ntfy" | "slack" | "telegram";
  /** Of Telegram: the chat that gets it. */
  chat?: string;
  /** Further headers, such as `Authorization`. */
  headers?: Readonly<Record<string, string | FromEnvironment>>;
}

/** Whom is told: a command is run, or an address is written to. */
export type NotifyTarget = NotifyCommand | NotifyAddress;

/** Who is told of calls that wait for approval: one, or up to 8. */
export type NotifySettings = NotifyTarget | readonly NotifyTarget[];

/** Who is told of each call has seconds for it; more would be told of none in time. */
const MOST_TARGETS = 8;

const TEXT: OptionSchema = { type: "string", minLength: 1 };

/** What one target may be. What goes with what, {@link problemsOfNotify} says. */
export const NOTIFY_TARGET: OptionSchema = optionsSchema<NotifyCommand & NotifyAddress>({
  command: {
    type: "array",
    items: { type: "string" },
    minItems: 1,
    description: "The program, by its name or absolute path, and its arguments. No shell.",
  },
  url: {
    ...HIDDEN,
    description:
      "An https: address, or { env: NAME } of the variable that has it; http: only of this machine.",
  },
  format: {
    enum: ["json", "ntfy", "slack", "telegram"],
    description: "What is sent: json (the default), ntfy, slack or telegram.",
  },
  chat: { ...TEXT, description: "Of Telegram: the chat that gets it." },
  headers: {
    type: "object",
    additionalProperties: HIDDEN,
    description: "Further headers; their values, or { env: NAME }.",
  },
});

/** What {@link NotifySettings} may be, for editors. Each target is checked by its own schema, which has more to say. */
export const NOTIFY: OptionSchema = {
  anyOf: [NOTIFY_TARGET, { type: "array", items: NOTIFY_TARGET, maxItems: MOST_TARGETS }],
  description:
    "Who is told of each call that waits for approval: a command, an https: address, or a list of them.",
};

export function targetsOf(settings: NotifySettings | undefined): readonly NotifyTarget[] {
  if (settings === undefined) return [];
  return isList(settings) ? settings : [settings];
}

function isList(settings: NotifySettings): settings is readonly NotifyTarget[] {
  return Array.isArray(settings);
}

/** What a schema cannot say of one: where in it, and what, as a sentence. */
export interface NotifyProblem {
  path: readonly (string | number)[];
  message: string;
}

/** What is wrong with settings that have the shape they have to have. Variables are looked at when they are needed. */
export function problemsOfNotify(settings: NotifySettings): NotifyProblem[] {
  const isOne = !isList(settings);
  if (targetsOf(settings).length > MOST_TARGETS)
    return [{ path: [], message: `At most ${MOST_TARGETS} can be told in time.` }];
  return targetsOf(settings).flatMap((target, index) =>
    problemsOfTarget(target).map(({ path, message }) => ({ path: isOne ? path : [index, ...path], message })),
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
  const { url, format = "json", chat, headers = {} } = target;
  if (typeof url === "string") {
    const message = problemOfUrl(url);
    if (message !== undefined) problems.push({ path: ["url"], message });
  }
  if (format === "telegram" && chat === undefined)
    problems.push({ path: [], message: "Telegram needs chat: the id of the chat that gets it." });
  if (format !== "telegram" && chat !== undefined)
    problems.push({ path: ["chat"], message: "Only Telegram has a chat; say format: telegram." });
  for (const [name, value] of Object.entries(headers)) {
    const message = problemOfHeader(name, typeof value === "string" ? value : "");
    if (message !== undefined) problems.push({ path: ["headers", name], message });
  }
  return problems;
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/;

/** A sentence without the address: it may be a secret. */
export function problemOfUrl(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) return "It is no address.";
  if (parsed.username !== "" || parsed.password !== "")
    return "It holds a user or a password, which go into headers: Authorization.";
  if (parsed.protocol === "https:") return undefined;
  if (parsed.protocol !== "http:") return "It is no https: address.";
  if (LOOPBACK.test(parsed.hostname)) return undefined;
  return "What waits would go over the network as it is; http: is only for this machine, so use https:.";
}

/** The same for a header. */
export function problemOfHeader(name: string, value: string): string | undefined {
  try {
    new Headers().set(name, value);
    return undefined;
  } catch {
    return "It is no header that can be sent.";
  }
}
