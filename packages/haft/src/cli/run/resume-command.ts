import type { SessionFacts } from "@haft/core";
import type { RunRecord } from "@haft/core/kernel";
import { shellWord } from "@haft/utils";
import { nextCommand } from "../location/next-command.ts";
import { commandLineSessionKey } from "../location/session-key.ts";

type Continued = Pick<RunRecord, "runId" | "sessionKey" | "facts" | "workspace" | "openedWith">;

/** Other runs need a repeated call. */
const CONTINUES = ["run", "chat"];

/**
 * Adds the run's options, or only its conversation's for other programs. `undefined` for commands such as
 * `haft serve`, whose rules would differ.
 */
export function resumeCommand(run: Continued): string | undefined {
  const { runId, openedWith } = run;
  const { command, options } =
    openedWith === undefined ? { command: "run", options: optionsFor(run) } : parseOpeningCommand(openedWith);
  if (!CONTINUES.includes(command)) return undefined;
  return nextCommand([`haft ${command} --resume`, ...[runId, ...options].map(shellWord)].join(" "));
}

export function parseOpeningCommand(words: readonly string[]): {
  command: string;
  options: readonly string[];
} {
  const [first = "-"] = words;
  const isOption = first.startsWith("-");
  return { command: isOption ? "run" : first, options: withoutThisFolder(isOption ? words : words.slice(1)) };
}

function withoutThisFolder(options: readonly string[]): readonly string[] {
  const at = options.indexOf("--workspace");
  return at < 0 || options[at + 1] !== process.cwd() ? options : options.toSpliced(at, 2);
}

function optionsFor({ sessionKey, facts, workspace }: Continued): string[] {
  const { kind, agentId, messageChannel, groupId, sandbox } = facts;
  const isHere = workspace.place !== "host" || workspace.cwd === process.cwd();
  const options: [string, string | undefined][] = [
    ["session", kind === "main" ? undefined : kind],
    ["sandbox-access", sandbox?.mount === "none" ? undefined : sandbox?.mount],
    ["sandbox-network", sandbox?.network === "full" ? "full" : undefined],
    ["workspace", isHere ? undefined : workspace.cwd],
    ["agent", agentId === "main" ? undefined : agentId],
    ["channel", messageChannel || undefined],
    ["group", groupId],
    ["sender", senderOf(facts)],
    ["session-key", sessionKey === keyOf(workspace, facts) ? undefined : sessionKey],
  ];
  return options.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
}

function keyOf(workspace: RunRecord["workspace"], { kind, messageChannel, groupId }: SessionFacts) {
  const folder = workspace.place === "host" ? workspace.cwd : process.cwd();
  try {
    return commandLineSessionKey(folder, { kind, channel: messageChannel || undefined, group: groupId });
  } catch {
    // The folder may be deleted.
    return undefined;
  }
}

function senderOf({ sender }: SessionFacts): string | undefined {
  if (sender === undefined || sender === "system") return sender;
  const [known] = Object.entries(sender);
  return known && `${known[0]}:${known[1]}`;
}
