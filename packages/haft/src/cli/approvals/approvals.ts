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
  findContinuation,
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

Lists and decides calls of all programs on this machine, or of all hosts that share a NATS server, that wait for a
decision, and lists grants. If its program has ended, a call still waits, and its answer is stored for a day: it
applies if the session is resumed (haft run --resume, haft chat --resume) or the same call is made again. A call of
haft guard never waits: the agent makes the call again.

  haft approvals                          list pending calls with all their effects
  haft approvals --watch                  ask here about each call as it arrives
  haft approvals answer k3fw9ab2 allow    allow this call once; always and deny work as well
  haft approvals answer k3fw9ab2 always   allow this exact call from now on
  haft approvals answer k3fw9ab2 always program --for 8h
                                          allow this program in this folder for eight hours
  haft approvals grants                   list grants, their sessions and their use
  haft approvals revoke m4ze7qpk          ask again

Agents with haft guard cannot decide: these actions are refused below the process of such an agent. While one runs,
its requests need an answer in a terminal, unless your configuration has approvals: { withoutTerminal: true }, because
your own programs answer.

list      Lists pending calls with all their effects; the default action.
answer    Decides about a pending call of any program.
grants    Lists grants, their sessions and their use.
revoke    Removes grants: such calls need approval again.

      --for SPAN            with always: the duration, like 30m, 8h or 7d; default: until revoked
      --watch               keep running and ask; with --json: print each call as it arrives, and ask nothing
      --all                 with revoke: every grant
      --json                print JSON for programs
      --config FILE         configuration that names the store of approvals; default: HAFT_CONFIG, or
                            ~/.config/haft/haft.config.yaml if it exists
      --no-config           read no configuration, and use the state folder
      --state DIR           state folder of Haft; default: HAFT_STATE_DIR, or ~/.local/state/haft
  -h, --help                print this text

Exit codes: 0 if it succeeded or the answer is stored, 1 if not (an unknown id, a late answer), 2 for wrong usage.`;

/** Milliseconds for a busy program. */
const DELIVERY_MS = 5_000;

const DECIDES = "decide calls that wait for a person";
const IN_TERMINAL =
  "Answer in a terminal. If your own script answers, set approvals: { withoutTerminal: true } in your configuration.";

type Values = StoreLocationValues & { json?: boolean };

const { config, "no-config": noConfig, state } = sessionArguments;
const locationOptions = { config, "no-config": noConfig, state, json: FLAG } as const;

const list = action({
  options: { ...locationOptions, watch: FLAG },
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
  options: { ...locationOptions, for: TEXT },
  decides: DECIDES,
  most: Infinity,
  needs: "Name a call: haft approvals lists pending calls with their ids.",
  run: (values, words) => withApprovals(values, (opened) => giveAnswer(opened, words, values)),
});

const grants = action({
  options: locationOptions,
  run: (values) =>
    withApprovals(values, async ({ store }) => {
      const all = await store.allGrants();
      print(values.json, { grants: all }, () =>
        all.length === 0
          ? "There are no grants; Haft asks about every call that needs approval."
          : formatGrants(all, Date.now()),
      );
      return 0;
    }),
});

const revoke = action({
  options: { ...locationOptions, all: FLAG },
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
      console.error(`haft: ${target} was not notified of ${approvalId}: ${escapeInvisible(problem ?? "")}.`);
  return 0;
}

async function shown(request: ApprovalRequestRecord, opened: OpenApprovals): Promise<string> {
  const waits =
    request.attended === false || isGuardRequest(request)
      ? `\n  ${describeNextStep(request, await findContinuation(opened, request))}`
      : "";
  return `${describeRequest(request, process.stdout)}\n\n  ${formatAnswerCommand(request)}${waits}`;
}

/** Arguments may contain secrets. */
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
  const delivery = await answerRequest(opened, request, given, isGuardRequest(request) ? 0 : DELIVERY_MS);
  const outcome = describeOutcome(request, given, delivery, await findContinuation(opened, request));
  if (values.json) {
    const isStored = delivery === "kept";
    console.log(
      JSON.stringify({
        approvalId,
        ...given,
        heard: delivery === "taken",
        ...(isStored && { kept: isStored }),
      }),
    );
  } else if (delivery === "too late") console.error(outcome);
  else console.log(outcome);
  return delivery === "too late" ? 1 : 0;
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
      "Name grants: haft approvals revoke ID… or --all; haft approvals grants lists them.",
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
      console.log(`${id}: ${escapeInvisible(summary)} needs approval again.`);
    }
    if (wanted.length === 0) console.log("There is nothing to revoke.");
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
    throw new UsageError("--watch needs a terminal, and there is none. --watch --json prints calls instead.");
  console.error("Waiting for calls. Ctrl-C at this line exits; at a question it denies.");
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
    const delivery = await answerRequest(opened, request, given, DELIVERY_MS);
    if (delivery !== "taken")
      console.error(describeOutcome(request, given, delivery, await findContinuation(opened, request)));
  }
}

/** Reports each request once; its signal aborts when it no longer waits. */
function follow(
  store: ApprovalStore,
  report: (request: ApprovalRequestRecord, signal: AbortSignal) => void,
): Promise<never> {
  const known = new Map<string, AbortController>();
  const check = async () => {
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
      report(request, controller.signal);
    }
  };
  return new Promise((_, reject) => {
    store.watchRequests?.(() => void check().catch(reject));
    // Does not keep the process alive.
    setInterval(() => {}, 60_000);
    check().catch(reject);
  });
}
