import { asRecord } from "@haft/utils";
import { type NotifySettings, findNotifyProblems } from "../../settings/notify-settings.ts";
import { BYTES_FIX, parseBytes, RECORD_KEYS } from "./record-settings.ts";

/** Describes a problem of record or notice settings that the schema does not find. */
export interface RecordProblem {
  path: readonly (string | number)[];
  message: string;
}

export const OPERATOR_ONLY_KEYS: readonly string[] = [
  ...RECORD_KEYS,
  "approvals",
  "chat",
  "mcp",
  "nats",
  "nodes",
  "node",
  "serve",
  "telemetry",
];

export function findRecordProblems(
  { keep, audit, approvals, ...others }: Record<string, unknown>,
  ofWorkspace: boolean,
): RecordProblem[] {
  const problems: RecordProblem[] = [];
  for (const [key, part] of Object.entries({ keep, audit })) {
    const { bytes } = asRecord(part);
    if ((typeof bytes === "string" || typeof bytes === "number") && parseBytes(bytes) === undefined)
      problems.push({ path: [key, "bytes"], message: BYTES_FIX });
  }
  const { notify } = asRecord(approvals);
  if (notify !== undefined)
    for (const { path, message } of findNotifyProblems(notify as NotifySettings))
      problems.push({ path: ["approvals", "notify", ...path], message });
  // The NATS server decides whether it waits for its disk.
  if (others["durability"] === "full" && others["store"] === "nats")
    problems.push({ path: ["durability"], message: NOT_OF_NATS });
  if (others["nats"] === undefined) {
    if (others["store"] === "nats") problems.push({ path: ["store"], message: NO_NATS });
    if (others["nodes"] !== undefined && asRecord(others["nodes"])["server"] === undefined)
      problems.push({ path: ["nodes"], message: NO_SERVER });
  }
  const settings = { keep, audit, approvals, ...others };
  if (!ofWorkspace) return problems;
  const alone = OPERATOR_ONLY_KEYS.filter((key) => settings[key as keyof typeof settings] !== undefined);
  return [...problems, ...alone.map((key) => ({ path: [key], message: ALONE }))];
}

const ALONE =
  "Only the operator may set records, notices, models, servers, other machines and served clients: remove it, or name the file with --config.";

const NO_NATS = "The server is missing: add the key nats: { servers: nats://… }.";

const NO_SERVER =
  "It has no server: set it here, as server: nats://…, or with the key nats: { servers: nats://… }.";

const NOT_OF_NATS =
  "full is for sqlite. What a power cut spares of a NATS server is set there (sync_interval, replicas): leave durability out.";
