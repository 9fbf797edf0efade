import { sessionKinds } from "@haft/policy";
import { commandLineSessionKey } from "../place/session-key.ts";
import { readWorkspaceValue } from "../session-arguments.ts";
import type { Values } from "../usage.ts";

/** Of all actions of `haft ledger`; which action takes which stands with the command. */
export const ledgerOptions = {
  session: { type: "string" },
  run: { type: "string" },
  tool: { type: "string", names: "tool" },
  status: { type: "string", words: ["pending", "executing", "completed", "failed", "gap"] },
  outcome: { type: "string", words: ["ok", "error", "blocked", "cancelled", "pending"] },
  since: { type: "string" },
  until: { type: "string" },
  before: { type: "string" },
  path: { type: "string", names: "file" },
  limit: { type: "string" },
  after: { type: "string" },
  all: { type: "boolean" },
  format: { type: "string", words: ["html", "json", "jsonl"] },
  out: { type: "string", short: "o", names: "file" },
  policy: { type: "string", names: "file" },
  live: { type: "string", multiple: true, names: "tool" },
  files: { type: "string", names: "folder" },
  repair: { type: "boolean" },
  yes: { type: "boolean", short: "y" },
  json: { type: "boolean" },
  workspace: { type: "string", short: "w", names: "folder" },
  config: { type: "string", names: "file" },
  "no-config": { type: "boolean" },
  state: { type: "string", names: "folder" },
  help: { type: "boolean", short: "h" },
} as const;

/** As parsed. */
export type LedgerValues = Values<typeof ledgerOptions>;

/** The conversation that is meant: a key, `main`, `group` or `sandboxed` for those of the folder, by default its main one. */
export function conversationOf({ session = "main", workspace }: LedgerValues): string {
  const kind = sessionKinds.find((one) => one === session);
  return kind === undefined ? session : commandLineSessionKey(readWorkspaceValue(workspace), { kind });
}
