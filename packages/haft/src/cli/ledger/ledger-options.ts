import { sessionKinds } from "@haft/policy";
import { commandLineSessionKey } from "../location/session-key.ts";
import { readWorkspaceValue, sessionArguments } from "../session-arguments.ts";
import { FILE, FLAG, FOLDER, TEXT } from "../usage.ts";

const { workspace, config, "no-config": noConfig, state, policy } = sessionArguments;
const locationOptions = { config, "no-config": noConfig, state } as const;
const session = TEXT;
const reading = { ...locationOptions, workspace, session, json: FLAG } as const;

export const listOptions = {
  ...reading,
  run: TEXT,
  tool: { type: "string", names: "tool" },
  status: { type: "string", words: ["pending", "executing", "completed", "failed", "gap"] },
  outcome: { type: "string", words: ["ok", "error", "blocked", "cancelled", "pending"] },
  since: TEXT,
  until: TEXT,
  path: FILE,
  limit: TEXT,
  after: TEXT,
  all: FLAG,
} as const;
export const showOptions = reading;
export const exportOptions = {
  ...locationOptions,
  workspace,
  session,
  out: { ...FILE, short: "o" },
  format: { type: "string", words: ["html", "json", "jsonl"] },
} as const;
export const replayOptions = {
  ...reading,
  policy,
  live: { type: "string", multiple: true, names: "tool" },
  files: FOLDER,
} as const;
export const checkLedgerOptions = { ...locationOptions, repair: FLAG, json: FLAG } as const;
export const forgetOptions = {
  ...reading,
  run: TEXT,
  before: TEXT,
  yes: { type: "boolean", short: "y" },
} as const;

/** `main` (default), `group` and `sandboxed` mean the folder's conversations. */
export function toConversationKey({
  session: named = "main",
  workspace: folder,
}: {
  session?: string | undefined;
  workspace?: string | undefined;
}): string {
  const kind = sessionKinds.find((one) => one === named);
  return kind === undefined ? named : commandLineSessionKey(readWorkspaceValue(folder), { kind });
}
