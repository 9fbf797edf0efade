import type { CallRecord } from "@haft/core/kernel";
import { changedFiles } from "../changed-files.ts";
import { END_WORDS, endOfCall, type EndWord } from "../end-of-call.ts";
import { took } from "../format-times.ts";
import { html } from "./escape-html.ts";
import { mark } from "./marks.ts";
import { busyIntervals, idOf } from "./run-section.ts";
import { type Interval, mergeIntervals, timeScale, type TimeScale } from "./time-scale.ts";

/** Calls that are linked to from one row of a table. */
const MOST_LINKS = 12;
/** Intervals of a run that are kept one by one. */
const MOST_INTERVALS = 4_096;

interface Links {
  first: string[];
  count: number;
}

/** What a report says of all calls together: they are gone through for it first, and nothing of them is kept. */
export class ReportSummary {
  readonly #until: number;
  readonly #counts = new Map<EndWord, number>();
  readonly #files = new Map<string, Links>();
  readonly #decisions = new Map<string, { effect: string; reason: string; source: string; links: Links }>();
  /** Of each run. */
  readonly #intervals: Interval[][] = [];
  /** The last place of each run. */
  readonly #last: number[] = [];
  #real = 0;
  #ranMs = 0;
  #asked = 0;

  /** @param until when the report is made, for what has not ended */
  constructor(until: number) {
    this.#until = until;
  }

  add(run: number, call: CallRecord): void {
    const word = endOfCall(call);
    const { status, startedAt, endedAt, approvalId, decidedBy, seq } = call;
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    this.#last[run] = seq;
    this.#addTimes(run, call);
    const link = `<a href="#${idOf(run, call)}">${html(call.toolCallId)}</a>`;
    for (const { path } of changedFiles(call)) addLink(linksOf(this.#files, path), link);
    this.#addDecision(call, link);
    if (status === "gap") return;
    this.#real += 1;
    if (startedAt !== undefined && endedAt !== undefined) this.#ranMs += endedAt - startedAt;
    if ((approvalId ?? decidedBy) !== undefined) this.#asked += 1;
  }

  /** Whether it was gone through, or came later. */
  has(run: number, { seq }: Pick<CallRecord, "seq">): boolean {
    return seq <= (this.#last[run] ?? 0);
  }

  /** The axis of a run; `undefined` where no call of it is kept. */
  scaleOf(run: number): TimeScale | undefined {
    const intervals = this.#intervals[run];
    return intervals && timeScale(intervals);
  }

  totals(): string {
    const counts = [...this.#counts]
      .filter(([word]) => word !== "gap")
      .map(([word, count]) => `<li><b>${count}</b>${mark(word)}</li>`);
    const files = this.#files.size;
    const more = [
      [String(this.#real), this.#real === 1 ? "call" : "calls"],
      [took(this.#ranMs), "of tools at work"],
      [String(files), files === 1 ? "file changed by file tools" : "files changed by file tools"],
      [String(this.#asked), this.#asked === 1 ? "question to a person" : "questions to a person"],
    ].map(([count, what]) => `<li><b>${count}</b>${what}</li>`);
    return `<ul class="totals">${more.slice(0, 1).join("")}${counts.join("")}${more.slice(1).join("")}</ul>`;
  }

  files(): string {
    if (this.#files.size === 0) return "";
    const rows = [...this.#files].map(
      ([path, links]) => `<tr><td><code>${html(path)}</code></td><td>${textOf(links)}</td></tr>`,
    );
    return `<h2>Files that file tools changed</h2><table><tr><th>file</th><th>by</th></tr>${rows.join("")}</table>`;
  }

  /** Each rule once, with the calls it decided about. */
  decisions(): string {
    if (this.#decisions.size === 0) return "";
    const rows = [...this.#decisions.values()].map(
      ({ effect, reason, source, links }) =>
        `<tr><td>${html(effect)}</td><td>${html(reason)}<br><small>${html(source)}</small></td><td>${textOf(links)}</td></tr>`,
    );
    return `<h2>Decisions</h2><table><tr><th>answer</th><th>why</th><th>calls</th></tr>${rows.join("")}</table>`;
  }

  legend(): string {
    const rows = [...this.#counts.keys()].map((word) => `<li>${mark(word)} ${END_WORDS[word]}</li>`);
    return `<h2>What the words mean</h2>\n<ul class="legend">${rows.join("")}</ul>`;
  }

  #addTimes(run: number, call: CallRecord): void {
    const intervals = (this.#intervals[run] ??= []);
    intervals.push(...busyIntervals(call, this.#until));
    // What touches is one; where little does, two numbers of each call are kept.
    if (intervals.length % MOST_INTERVALS < 2) this.#intervals[run] = mergeIntervals(intervals);
  }

  #addDecision({ decision }: CallRecord, link: string): void {
    if (decision === undefined) return;
    const { effect, reason, rule = "", source = "" } = decision;
    const key = JSON.stringify([effect, rule, source, reason]);
    const row = this.#decisions.get(key) ?? {
      effect,
      reason,
      source: [rule, source].filter(Boolean).join(" — "),
      links: { first: [], count: 0 },
    };
    this.#decisions.set(key, row);
    addLink(row.links, link);
  }
}

function linksOf(map: Map<string, Links>, key: string): Links {
  const links = map.get(key) ?? { first: [], count: 0 };
  map.set(key, links);
  return links;
}

function addLink(links: Links, link: string): void {
  links.count += 1;
  if (links.first.length < MOST_LINKS) links.first.push(link);
}

function textOf({ first, count }: Links): string {
  return count > first.length ? `${first.join(", ")} and ${count - first.length} more` : first.join(", ");
}
