import { summarizeCall } from "@haft/core";
import { coverValue } from "@haft/core/internal/records";
import type { CallRecord, RunRecord } from "@haft/core/kernel";
import { endOfCall, END_WORDS } from "../end-of-call.ts";
import { moment, took } from "../format-times.ts";
import { callDetails } from "./call-details.ts";
import { html } from "./escape-html.ts";
import { mark } from "./marks.ts";
import { type Interval, type TimeScale, WIDTH } from "./time-scale.ts";

/** The beginning of a run: who and where, and the axis of time that its calls are on. @param scale `undefined` where it has none */
export function beginOfRun(run: RunRecord, scale: TimeScale | undefined): string {
  const body =
    scale === undefined
      ? '<p class="soft">No call of it is kept.</p>'
      : `<div class="grid axis"><span>outcome</span><span>call</span><span class="lane">${axis(scale)}</span><span class="took">took</span></div>`;
  return `<section><h2>Run <code>${html(run.runId)}</code></h2>${factsOf(run)}${body}`;
}

export const END_OF_RUN = "</section>\n";

function factsOf({
  sessionKey,
  facts,
  workspace,
  mode,
  openedAt,
  closedAt,
  epoch,
  heldBy,
}: RunRecord): string {
  const resumed = epoch > 1 ? `; continued ${epoch - 1 === 1 ? "once" : `${epoch - 1} times`}` : "";
  const end =
    closedAt !== undefined
      ? `, closed ${moment(closedAt)}`
      : heldBy === undefined
        ? ", never closed: whoever had it died"
        : `, open (process ${heldBy.pid} on ${heldBy.host})`;
  const rows = [
    ["conversation", `${sessionKey} (${facts.kind}, agent ${facts.agentId})`],
    ["worked in", `${workspace.cwd}${workspace.place === "host" ? "" : ` (${workspace.place})`}`],
    ["opened", `${moment(openedAt)}${end}${resumed}`],
    [
      "recorded",
      mode === "full"
        ? "everything"
        : mode === "plan"
          ? "what was decided about, and the beginning of results"
          : "how calls ended",
    ],
  ] as const;
  return `<dl class="facts">${rows.map(([name, text]) => `<dt>${name}</dt><dd>${html(text)}</dd>`).join("")}</dl>`;
}

/** One call of a run. */
export function callRow(call: CallRecord, id: string, scale: TimeScale, until: number): string {
  const end = endOfCall(call);
  if (end === "gap")
    return `<div class="grid row">${mark(end)}<span class="soft">${END_WORDS.gap}, since ${html(moment(call.createdAt))}</span><span class="lane"></span><span></span></div>`;
  const line = html(summarizeCall(call.toolName, coverValue(call.args ?? {}), { format: "plain" }));
  const { from, to } = intervalOf(call, until);
  const lane = `<span class="lane">${bar(call, scale, until, end)}</span>`;
  const child = call.parentCallId === undefined ? "" : " child";
  const duration = call.endedAt === undefined ? "–" : took(to - from);
  const name = `${call.toolName}, ${end}, ${duration}`;
  return `<details class="call" id="${id}"><summary class="grid" aria-label="${html(name)}">${mark(end)}<span class="line${child}">${line}</span>${lane}<span class="took">${duration}</span></summary>${callDetails(call)}</details>`;
}

/** Places in a run are numbers, so no id of anybody's gets into the page's. */
export function idOf(run: number, { seq }: Pick<CallRecord, "seq">): string {
  return `c-${run}-${seq}`;
}

function bar(
  { createdAt, startedAt, endedAt }: CallRecord,
  scale: TimeScale,
  until: number,
  word: string,
): string {
  const begun = scale.at(createdAt);
  const end = scale.at(endedAt ?? until);
  const ran = startedAt === undefined ? undefined : scale.at(startedAt);
  const rect = (kind: string, from: number, to: number) => {
    const width = Math.max(kind === "ran" ? 4 : 0, to - from);
    return `<rect class="${kind}" x="${Math.min(from, WIDTH - width).toFixed(1)}" y="2" width="${width.toFixed(1)}" height="10" rx="2"/>`;
  };
  const waited = (ran ?? end) - begun;
  const parts = [
    ...(waited > 3 ? [rect("wait", begun, ran ?? end)] : []),
    ...(ran === undefined ? (waited > 3 ? [] : [rect("ran", begun, begun)]) : [rect("ran", ran, end)]),
  ];
  return `<svg class="bar ${word}" viewBox="0 0 ${WIDTH} 14" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="${WIDTH}" height="14"/>${parts.join("")}</svg>`;
}

function axis({ breaks, ticks }: TimeScale): string {
  const at = (place: number) => `${((place / WIDTH) * 100).toFixed(2)}%`;
  const labels = ticks.map(({ at: place, ms }, index) => {
    const label = (time: number) => (time === 0 ? "0" : `+${took(time)}`);
    // Shortly after a long pause they say the same.
    const isNew = index === 0 || label(ticks[index - 1]!.ms) !== label(ms);
    const words = isNew ? `<text x="${at(place)}" y="13" font-size="11">${label(ms)}</text>` : "";
    return `<line class="tick" x1="${at(place)}" x2="${at(place)}" y1="16" y2="24"/>${words}`;
  });
  const pauses = breaks.map(
    ({ at: place, ms }) =>
      `<line class="break" x1="${at(place)}" x2="${at(place)}" y1="0" y2="24"><title>a pause of ${took(ms)}, drawn shorter</title></line>`,
  );
  return `<svg role="img" aria-label="time since the first call">${pauses.join("")}${labels.join("")}</svg>`;
}

function intervalOf({ createdAt, endedAt, status }: CallRecord, until: number): Interval {
  const isOpen = status === "pending" || status === "executing";
  return { from: createdAt, to: Math.max(createdAt, endedAt ?? (isOpen ? until : createdAt)) };
}

/** Without the time in which somebody was asked: that is a pause like any other. */
export function busyIntervals(call: CallRecord, until: number): Interval[] {
  const { createdAt, startedAt = call.endedAt ?? until } = call;
  const { to } = intervalOf(call, until);
  // Clocks of machines are set back.
  const begun = Math.max(createdAt, Math.min(startedAt, to));
  return [
    { from: createdAt, to: createdAt },
    { from: begun, to },
  ];
}
