import type { SessionFacts } from "@haft/core";
import { escapeInvisible } from "@haft/core/internal";
import type { RunRecord } from "@haft/core/kernel";
import { commandLineSessionKey } from "../../host/session-key.ts";

/** What of a run's record the command that continues it needs. */
type Continued = Pick<RunRecord, "runId" | "sessionKey" | "facts" | "workspace">;

/**
 * The command that continues a run from the current folder: with all that tells its conversation from the one that
 * `haft run` would open here. What policy and configuration it had is not in its record.
 */
export function resumeCommand({ runId, sessionKey, facts, workspace }: Continued, state?: string): string {
  const { kind, agentId, messageChannel, groupId } = facts;
  const isHere = workspace.place !== "host" || workspace.cwd === process.cwd();
  const options: [string, string | undefined][] = [
    ["session", kind === "main" ? undefined : kind],
    ["sandbox-access", mountOf(facts)],
    ["workspace", isHere ? undefined : workspace.cwd],
    ["agent", agentId === "main" ? undefined : agentId],
    ["channel", messageChannel || undefined],
    ["group", groupId],
    ["sender", senderOf(facts)],
    ["session-key", sessionKey === keyOf(workspace, facts) ? undefined : sessionKey],
    ["state", state],
  ];
  const said = options.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, word(value)]));
  return ["haft run --resume", word(runId), ...said].join(" ");
}

/** The conversation that `haft run` opens with these options, as far as it can be said. */
function keyOf(workspace: RunRecord["workspace"], { kind, messageChannel, groupId }: SessionFacts) {
  const folder = workspace.place === "host" ? workspace.cwd : process.cwd();
  try {
    return commandLineSessionKey(folder, { kind, channel: messageChannel || undefined, group: groupId });
  } catch {
    // The folder is gone.
    return undefined;
  }
}

function mountOf({ sandbox }: SessionFacts): string | undefined {
  return sandbox === undefined || sandbox.mount === "none" ? undefined : sandbox.mount;
}

function senderOf({ sender }: SessionFacts): string | undefined {
  if (sender === undefined || sender === "system") return sender;
  const [known] = Object.entries(sender);
  return known && `${known[0]}:${known[1]}`;
}

/** For a shell, and to be seen as it is. */
export function word(text: string): string {
  const shown = escapeInvisible(text);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}
