import { contentToText as textOfBlocks, type ToolOutcome } from "@haft/core";
import type { CallRecord, RunRecord } from "@haft/core/kernel";
import type { HostOptions } from "@haft/host";
import { SnapshotStore } from "@haft/host/internal/snapshots";
import { withoutUndefined } from "@haft/utils";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { isHead, getResultText } from "../ledger/result-text.ts";
import { compareOutcome, type ReplayedCall } from "./compare.ts";
import { restoreOpeningFiles, type OpeningFiles, type OpeningSources } from "./opening-files.ts";
import { needsContainment, type ReplayExclusion, findReplayExclusion } from "./replay-exclusion.ts";
import { openScratchSession, removeScratch, scratchFolder } from "./scratch-session.ts";

export interface ReplayOptions {
  sources: Omit<OpeningSources, "scratch">;
  /** Tools that are called although they reach beyond the files. */
  live: readonly string[];
  host: HostOptions;
  /** Called before the first call, with the reason against commands. */
  onFiles?: (files: OpeningFiles, uncontained: string | undefined) => void;
  onCall?: (replayed: ReplayedCall) => void;
  signal?: AbortSignal | undefined;
}

export interface ReplayedRun {
  readonly run: RunRecord;
  readonly files: OpeningFiles;
  /** The reason why no command was repeated. */
  readonly uncontained?: string;
  readonly calls: readonly ReplayedCall[];
}

/**
 * Repeats a run's calls in order, in a copy of its files and a sandbox without network. Without a sandbox, it
 * repeats only file calls.
 *
 * @param calls All calls of the run, in order.
 * @throws HaftError `REPLAY_UNAVAILABLE`; then nothing ran
 * @throws the reason of `options.signal`
 *
 * @example
 * ```ts
 * import type { CallRecord, RunRecord } from "@haft/core/kernel";
 * import { replayRun } from "@haft/history/replay";
 * declare const run: RunRecord;
 * declare const calls: readonly CallRecord[];
 * declare const options: Parameters<typeof replayRun>[2];
 * const replayed = await replayRun(run, calls, options);
 * const different = replayed.calls.filter(({ verdict }) => verdict === "differs");
 * ```
 */
export async function replayRun(
  run: RunRecord,
  calls: readonly CallRecord[],
  options: ReplayOptions,
): Promise<ReplayedRun> {
  const { sources, live, host, onFiles, onCall, signal } = options;
  const scratch = scratchFolder();
  try {
    const folder = join(scratch, "files");
    mkdirSync(folder);
    const files = await restoreOpeningFiles(run, folder, {
      ...sources,
      scratch: new SnapshotStore(join(scratch, "contents")),
    });
    const opened = await openScratchSession(run, calls, folder, files.unsure, { live, options: host });
    const { session, uncontained } = opened;
    const player = new Player(run, files, live, ({ toolCallId: id, toolName: name, sender }, args) =>
      session.call({ id, name, arguments: args }, withoutUndefined({ signal, sender })),
    );
    if (uncontained !== undefined) player.withoutContainment(folder);
    try {
      onFiles?.(files, uncontained);
      const replayed: ReplayedCall[] = [];
      for (const call of calls) {
        if (call.status === "gap") continue;
        signal?.throwIfAborted();
        const one = await player.play(call);
        replayed.push(one);
        onCall?.(one);
      }
      return { run, files, ...(uncontained !== undefined && { uncontained }), calls: replayed };
    } finally {
      await opened.close();
    }
  } finally {
    removeScratch(scratch);
  }
}

type Make = (call: CallRecord, args: unknown) => Promise<ToolOutcome>;

class Player {
  readonly #same: [then: string, now: string][] = [];
  #since: string | undefined;

  readonly #run: RunRecord;
  readonly #files: OpeningFiles;
  readonly #live: readonly string[];
  readonly #make: Make;
  #isContained = true;

  constructor(run: RunRecord, files: OpeningFiles, live: readonly string[], make: Make) {
    this.#run = run;
    this.#files = files;
    this.#live = live;
    this.#make = make;
  }

  /** Files have another path, and commands are not repeated. */
  withoutContainment(folder: string): void {
    this.#isContained = false;
    this.#same.push([this.#run.workspace.cwd, folder]);
  }

  async play(call: CallRecord): Promise<ReplayedCall> {
    const not = this.#whyNot(call);
    if (not !== undefined) {
      if (call.startedAt !== undefined && mayChangeFiles(call)) this.#since ??= call.toolCallId;
      return { call, verdict: not.isKnown ? "record" : "unsaid", why: not.why };
    }
    const outcome = await this.#make(call, this.#asNow(call.args));
    this.#learn(call, outcome);
    if (outcome.kind === "blocked")
      return { call, verdict: "unsaid", why: `it may not run here: ${textOf(outcome)}` };
    const compared = await compareOutcome(call, outcome, this.#same);
    const why = compared.verdict === "differs" ? this.#whyUnsaid(call, outcome) : undefined;
    return why === undefined
      ? compared
      : { ...compared, verdict: "unsaid", why: `${compared.why}, but ${why}` };
  }

  #whyNot(call: CallRecord): ReplayExclusion | undefined {
    const not = findReplayExclusion(call, this.#live, this.#run.workspace.cwd);
    if (not !== undefined || this.#isContained || !needsContainment(call)) return not;
    return { isKnown: false, why: "this machine cannot contain it" };
  }

  #whyUnsaid(call: CallRecord, outcome: ToolOutcome): string | undefined {
    if (call.poll) return "its answer depends on the time of the call";
    if (this.#since !== undefined && this.#since !== call.toolCallId)
      return `${this.#since} may have changed files and was not repeated`;
    const { unsure } = this.#files;
    const named = call.plan?.subjects?.paths?.map(({ path }) =>
      path.slice(this.#run.workspace.cwd.length + 1),
    );
    const isFileTool = named !== undefined && call.plan?.subjects?.command === undefined;
    const touched = isFileTool
      ? unsure.find(({ path }) => named.some((one) => overlaps(one, path)))
      : unsure[0];
    if (touched !== undefined) return `${touched.path} may differ from then: ${touched.why}`;
    const code = outcome.details["exitCode"];
    return code === 127
      ? "a program is missing: a replay has the programs of the system and of the plans"
      : undefined;
  }

  /** Later calls refer to new names of background commands and new ports. */
  #learn({ result }: CallRecord, outcome: ToolOutcome): void {
    const then = result === undefined || isHead(result) ? undefined : sessionIdIn(result.details);
    const now = sessionIdIn(outcome.details);
    if (then !== undefined && now !== undefined && then !== now) this.#same.push([then, now]);
    const before = result === undefined ? [] : portsIn(getResultText(result));
    const after = portsIn(textOfBlocks(outcome.content));
    if (before.length !== after.length) return;
    for (const [index, port] of before.entries())
      if (port !== after[index]) this.#same.push([port, after[index]!]);
  }

  #asNow(args: unknown): unknown {
    let text = JSON.stringify(args);
    for (const [then, now] of this.#same) text = text.replaceAll(then, now);
    return JSON.parse(text) as unknown;
  }
}

function sessionIdIn(details: unknown): string | undefined {
  const id = (details as { sessionId?: unknown } | null)?.sessionId;
  return typeof id === "string" && id.length > 3 ? id : undefined;
}

function portsIn(text: string): string[] {
  return [...text.matchAll(/(?:\b127\.0\.0\.1|\blocalhost|\[::1\])(:\d{4,5})\b/g)].map(([, port]) => port!);
}

function mayChangeFiles({ tool }: CallRecord): boolean {
  return tool === undefined || tool.effects.some((effect) => effect === "write" || effect === "execute");
}

function overlaps(one: string, other: string): boolean {
  return (
    one === other || other === "." || one === "" || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)
  );
}

function textOf({ content }: ToolOutcome): string {
  const [first] = content;
  return first?.type === "text" ? first.text.split("\n")[0]! : "there is no message";
}
