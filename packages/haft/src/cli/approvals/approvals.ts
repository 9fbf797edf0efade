import { getErrorMessage, type ApprovalRequestRecord } from "@haft/core";
import type { ApprovalGrant, ApprovalStore } from "@haft/core/kernel";
import { isGuardRequest } from "@haft/guard/internal/clients";
import { formatTable } from "@haft/policy";
import { didYouMean, escapeInvisible, nearestNames } from "@haft/utils";
import type { StoreLocationValues } from "../location/store-location.ts";
import { refuseInSession, refuseWithoutTerminal } from "../refuse-in-session.ts";
import { sessionArguments } from "../session-arguments.ts";
import { action, defineCommand, FLAG, TEXT, UsageError } from "../usage.ts";
import { print } from "../write-out.ts";
import { describeOutcome, describeNextStep } from "./describe-outcome.ts";
import { describeRequest, formatAnswerCommand } from "./describe-request.ts";
import { findTerminal } from "./find-terminal.ts";
import {
  answerRequest,
  findRequest,
  findResumeCommand,
  type OpenApprovals,
  withApprovals,
} from "./open-approvals.ts";
import { parseAnswer } from "./parse-answer.ts";
import { askOnTerminal } from "./terminal-approver.ts";
import { formatAgo, formatUntil } from "./times.ts";

const help = `haft approvals [list] [options]
haft approvals answer ID allow-once|allow-always|deny [exact|program] [--for 8h]
haft approvals grants
haft approvals revoke ID…|--all

Calls of any program on this machine, or of all hosts that share a NATS server, that wait for a decision, and what
was allowed for good. A call whose program is gone waits on, and its answer is kept for a day: for its session to be
resumed (haft run --resume, haft chat --resume), or for the same call to be made again. An agent that asks by haft
guard never waits: it makes the call again.

  haft approvals                          what waits, with everything that would happen
  haft approvals --watch                  ask here about each call as it comes
  haft approvals answer k3fw9ab2 allow    run it this once; always and deny for short, too
  haft approvals answer k3fw9ab2 always   this exact call need not be asked about again
  haft approvals answer k3fw9ab2 always program --for 8h
                                          nor this program in this folder, for eight hours
  haft approvals grants                   what is allowed for good, for whom, and how often it was used
  haft approvals revoke m4ze7qpk          ask about it again

No agent whose calls haft guard decides about can do this: below its process these words are refused, and while it
runs its questions are answered in a terminal, unless approvals: { withoutTerminal: true } in your configuration says
that programs of yours do.

list      What waits, with all that would happen; so without a word.
answer    Decides about a call that waits, wherever it was made.
grants    What was allowed for good, for whom, and how often it was used.
revoke    Takes that back: the next such call is asked about.

      --for SPAN            with always: how long, like 30m, 8h or 7d; default: until revoked
      --watch               stay, and ask; with --json: print each as it comes, and ask nothing
      --all                 with revoke: every grant
      --json                for programs
      --config FILE         configuration that says where approvals are kept; default: HAFT_CONFIG, or
                            ~/.config/haft/haft.config.yaml where it exists
      --no-config           read none: what is kept in the state folder
      --state DIR           where Haft keeps its state; default: HAFT_STATE_DIR, or
                            ~/.local/state/haft
  -h, --help                this text

Exit codes: 0 when it was done or the answer is kept, 1 when not (an unknown id, an answer that came too
late), 2 for wrong usage.`;

/** Milliseconds for a busy program to take its answer. */
const HEARD_MS = 5_000;

const DECIDES = "decide about calls that wait for a person";
const IN_TERMINAL =
  "Answer in a terminal; or say approvals: { withoutTerminal: true } in your configuration, if a script of yours answers.";

type Values = StoreLocationValues & { json?: boolean };

const { config, "no-config": noConfig, state } = sessionArguments;
const places = { config, "no-config": noConfig, state, json: FLAG } as const;

const list = action({
  options: { ...places, watch: FLAG },
  run(values) {
    const { watch = false, json } = values;
    if (watch && !json) refuseInSession(DECIDES, [values.state]);
    return withApprovals(
      values,
      (opened) =>
        watch ? (json ? watchForPrograms(opened) : watchAndAsk(opened)) : showRequests(opened, json),
      watch,
    );
  },
});

const answer = action({
  options: { ...places, for: TEXT },
  decides: DECIDES,
  most: Infinity,
  needs: "Which call? haft approvals lists those that wait, with their ids.",
  run: (values, words) => withApprovals(values, (opened) => giveAnswer(opened, words, values)),
});

const grants = action({
  options: places,
  run: (values) =>
    withApprovals(values, async ({ store }) => {
      const all = await store.allGrants();
      print(values.json, { grants: all }, () =>
        all.length === 0
          ? "Nothing is allowed for good; every call that needs approval is asked about."
          : formatGrants(all, Date.now()),
      );
      return 0;
    }),
});

const revoke = action({
  options: { ...places, all: FLAG },
  decides: DECIDES,
  most: Infinity,
  run: (values, ids) => withApprovals(values, (opened) => revokeGrants(opened, ids, values)),
});

export const approvalsCommand = defineCommand(help, { list, answer, grants, revoke }, "list");

async function showRequests(opened: OpenApprovals, json: boolean | undefined): Promise<number> {
  const requests = await opened.store.requests();
  if (json) console.log(JSON.stringify({ requests: requests.map(forPrograms) }));
  else if (requests.length === 0) console.log("No call waits for approval.");
  else console.log((await Promise.all(requests.map((request) => shown(request, opened)))).join("\n\n"));
  const failed = (await opened.stateStore?.notices.list(requests.map(({ approvalId }) => approvalId))) ?? [];
  for (const { approvalId, target, problem, ...notice } of failed)
    if (notice.state === "failed")
      console.error(`haft: ${target} could not be told of ${approvalId}: ${escapeInvisible(problem ?? "")}.`);
  return 0;
}

async function shown(request: ApprovalRequestRecord, opened: OpenApprovals): Promise<string> {
  const waits =
    request.attended === false || isGuardRequest(request)
      ? `\n  ${describeNextStep(request, await findResumeCommand(opened, request))}`
      : "";
  return `${describeRequest(request, process.stdout)}\n\n  ${formatAnswerCommand(request)}${waits}`;
}

/** Removes the arguments, which may contain secrets. */
function forPrograms(request: ApprovalRequestRecord): ApprovalRequestRecord {
  const { args: _, parts: _parts, exactKey: _key, ...rest } = request;
  return { ...rest, args: undefined };
}

async function giveAnswer(
  opened: OpenApprovals,
  [id = "", ...words]: readonly string[],
  values: Values & { for?: string },
): Promise<number> {
  const given = parseAnswer(words, values.for);
  const request = await findRequest(opened, id.toLowerCase());
  const { approvalId } = request;
  if (isGuardRequest(request) && !(await mayBeScript()))
    refuseWithoutTerminal(DECIDES, IN_TERMINAL, [values.state]);
  const heard = await answerRequest(opened, request, given, isGuardRequest(request) ? 0 : HEARD_MS);
  const said = describeOutcome(request, given, heard, await findResumeCommand(opened, request));
  if (values.json) {
    const kept = heard === "kept";
    console.log(JSON.stringify({ approvalId, ...given, heard: heard === "taken", ...(kept && { kept }) }));
  } else if (heard === "too late") console.error(said);
  else console.log(said);
  return heard === "too late" ? 1 : 0;
}

async function mayBeScript(): Promise<boolean> {
  const { findOperatorConfiguration } = await import("@haft/config/internal/document");
  return (await findOperatorConfiguration(undefined))?.config.approvals?.withoutTerminal === true;
}

function formatGrants(all: readonly ApprovalGrant[], now: number): string {
  const rows = all.map((grant) => [
    grant.id,
    grant.kind,
    escapeInvisible(grant.summary),
    `${escapeInvisible(grant.sessionKey)}, agent ${escapeInvisible(grant.agentId)}`,
    formatAgo(grant.createdAt, now) + (grant.by === undefined ? "" : ` by ${escapeInvisible(grant.by)}`),
    grant.lastUsedAt === undefined ? "never" : `${grant.used}×, ${formatAgo(grant.lastUsedAt, now)}`,
    grant.expiresAt === undefined ? "until revoked" : formatUntil(grant.expiresAt, now),
  ]);
  const table = formatTable([["id", "kind", "what", "where", "since", "used", "expires"], ...rows]);
  const { isTTY, columns } = process.stdout;
  if (!isTTY || table.every((line) => line.length <= columns)) return table.join("\n");
  return rows.map(grantAsLines).join("\n\n");
}

function grantAsLines([id, kind, what, where, since, used, expires]: string[]): string {
  return [
    `${id}  ${kind}  ${what}`,
    `  in ${where}`,
    `  since ${since}; used ${used}; ends ${expires === "until revoked" ? "when revoked" : expires}`,
  ].join("\n");
}

async function revokeGrants(
  { store }: OpenApprovals,
  rest: readonly string[],
  values: Values & { all?: boolean },
): Promise<number> {
  if ((rest.length === 0) !== (values.all ?? false)) {
    throw new UsageError(
      "Which grants? haft approvals revoke ID… or --all; haft approvals grants lists them.",
    );
  }
  const all = await store.allGrants();
  const ids = all.map(({ id }) => id);
  const wanted = values.all ? ids : rest.map((id) => id.toLowerCase());
  const revoked: string[] = [];
  const unknown: string[] = [];
  for (const id of wanted) ((await store.revoke(id)) ? revoked : unknown).push(id);
  if (values.json) {
    console.log(JSON.stringify({ revoked, unknown }));
  } else {
    for (const { id, summary } of all) {
      if (!revoked.includes(id)) continue;
      console.log(`${id}: ${escapeInvisible(summary)} is asked about again.`);
    }
    if (wanted.length === 0) console.log("There was nothing to revoke.");
    for (const id of unknown) {
      const hint = didYouMean(nearestNames(id, ids));
      console.error(`haft: there is no grant ${JSON.stringify(id)}.${hint}`);
    }
  }
  return unknown.length > 0 ? 1 : 0;
}

async function watchForPrograms({ store }: OpenApprovals): Promise<never> {
  process.stdout.on("error", () => process.exit(0));
  return follow(store, (request) => console.log(JSON.stringify(forPrograms(request))));
}

async function watchAndAsk(opened: OpenApprovals): Promise<never> {
  const terminal = findTerminal();
  if (!terminal)
    throw new UsageError("--watch asks on a terminal, and there is none. --watch --json prints what comes.");
  console.error("Waiting for calls to decide about. Ctrl-C at this line ends it; at a question it denies.");
  let last: Promise<void> = Promise.resolve();
  return follow(opened.store, (request, signal) => {
    const before = last;
    last = decide(request, signal, before).catch((thrown: unknown) => {
      console.error(`haft: ${getErrorMessage(thrown)}`);
    });
  });

  async function decide(request: ApprovalRequestRecord, signal: AbortSignal, before: Promise<void>) {
    await before;
    const given = await askOnTerminal(terminal!, request, signal);
    if (given === undefined) return;
    const heard = await answerRequest(opened, request, given, HEARD_MS);
    if (heard !== "taken")
      console.error(describeOutcome(request, given, heard, await findResumeCommand(opened, request)));
  }
}

/** Reports each request once. Its signal aborts when the request no longer waits. */
function follow(
  store: ApprovalStore,
  tell: (request: ApprovalRequestRecord, signal: AbortSignal) => void,
): Promise<never> {
  const known = new Map<string, AbortController>();
  const look = async () => {
    const requests = await store.requests();
    for (const [id, controller] of known) {
      if (requests.some(({ approvalId }) => approvalId === id)) continue;
      known.delete(id);
      controller.abort();
    }
    for (const request of requests) {
      if (known.has(request.approvalId)) continue;
      const controller = new AbortController();
      known.set(request.approvalId, controller);
      tell(request, controller.signal);
    }
  };
  return new Promise((_, reject) => {
    store.watchRequests?.(() => void look().catch(reject));
    // The watch does not keep the process alive.
    setInterval(() => {}, 60_000);
    look().catch(reject);
  });
}
