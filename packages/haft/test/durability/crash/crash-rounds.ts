import { rmSync } from "node:fs";
import { Conversation, type Random, type Tally } from "./conversation.ts";
import { CrashWorkspace } from "./crash-workspace.ts";
import type { HostKill } from "./host-run.ts";
import { verifyConversation, type Verdict } from "./verify-conversation.ts";

/** Kills of one conversation at most; then it is let go on to its end. */
const KILLS_EACH = 10;

/** What all conversations have come to. */
export interface CrashCount extends Tally {
  conversations: number;
  calls: number;
  /** None, or it has not held. */
  "finished calls lost": number;
  "run twice": number;
  "failed with receipt unknown": number;
  "of these, done": number;
  "reads lost behind a gap": number;
  "gap rows": number;
}

/**
 * Conversations with hosts that are killed, until there were so many kills. After each the next host goes on.
 *
 * @throws Error that says what does not hold, and where it can be looked at
 */
export async function crashRounds(kills: number, seed: number): Promise<CrashCount> {
  const random = randomFrom(seed);
  const count = emptyCount();
  while (count.kills < kills) {
    const workspace = new CrashWorkspace();
    const conversation = new Conversation(workspace, random);
    try {
      const most = Math.min(KILLS_EACH, kills - count.kills);
      while (!conversation.isDone)
        await conversation.live(conversation.tally.kills < most ? deathOf(random) : undefined);
      const verdict = await verifyConversation(conversation, workspace);
      add(count, conversation, verdict);
      const problems = [...verdict.lost, ...verdict.twice, ...verdict.wrong];
      if (problems.length > 0) throw new Error(problems.join("\n"));
    } catch (thrown) {
      throw new Error(`after ${conversation.tally.kills} kills, in ${workspace.base}`, { cause: thrown });
    }
    rmSync(workspace.base, { recursive: true, force: true });
  }
  return count;
}

function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A host lives for no message, or some; then it is killed in the middle of the next one. */
function deathOf(random: Random): HostKill {
  const messages = Math.floor(random() * 3);
  const kind = random();
  if (kind < 0.2) return { messages: 0, afterMs: random() * 900 };
  if (kind < 0.4) return { messages, afterMs: random() * 60 };
  if (kind < 0.65) return { messages: 4, whenAsked: true };
  if (kind < 0.72) return { messages, afterMs: 200 + random() * 300, runnerAfterMs: 300 + random() * 600 };
  const [point, most] = POINTS[Math.floor(random() * POINTS.length)]!;
  const when = random() < 0.5 ? "before" : "after";
  return { messages: 4, point: `${point} ${when} ${1 + Math.floor(random() * most)}` };
}

/** Kinds of points, and how many of them a host comes to in a few messages. */
const POINTS: readonly (readonly [string, number])[] = [
  ["sql", 60],
  ["fs", 35],
  ["pipe", 12],
];

function emptyCount(): CrashCount {
  return {
    conversations: 0,
    calls: 0,
    kills: 0,
    atPoints: 0,
    runners: 0,
    answerers: 0,
    during: 0,
    replayed: 0,
    resumed: 0,
    answeredDown: 0,
    answersKept: 0,
    askedAnew: 0,
    reusedIds: 0,
    walsRemoved: 0,
    lossesNoticed: 0,
    "finished calls lost": 0,
    "run twice": 0,
    "failed with receipt unknown": 0,
    "of these, done": 0,
    "reads lost behind a gap": 0,
    "gap rows": 0,
  };
}

function add(count: CrashCount, { tally, steps }: Conversation, verdict: Verdict): void {
  count.conversations++;
  count.calls += steps.length;
  for (const name of Object.keys(tally) as (keyof Tally)[]) count[name] += tally[name];
  count["finished calls lost"] += verdict.lost.length;
  count["run twice"] += verdict.twice.length;
  count["failed with receipt unknown"] += verdict.unknown;
  count["of these, done"] += verdict.unknownDone;
  count["reads lost behind a gap"] += verdict.readsLost;
  count["gap rows"] += verdict.gaps;
}
