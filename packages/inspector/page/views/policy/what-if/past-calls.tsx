import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { PolicyEdit, ReplayRequest, ReplayLine } from "../../../../src/wire/api.ts";
import { goTo } from "../../../app/routes.ts";
import { send } from "../../../client/request.ts";
import { toApiError } from "../../../data/resource.ts";
import { Button } from "../../../parts/button.tsx";
import { ErrorNotice } from "../../../parts/error-notice.tsx";
import { Mark } from "../../../parts/mark.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../../parts/text/escape-invisible.ts";
import { formatClockOrDay } from "../../../parts/text/format-values.ts";
import { VirtualList } from "../../../parts/virtual-list.tsx";
import { policy as texts } from "../../../strings/rules.ts";
import { linkToCall } from "../../timeline/call-list.tsx";

type Found = Extract<ReplayLine, { type: "call" }>;
/** Cells come first. */
const TYPING_MS = 600;

interface Progress {
  looked: number;
  changed: number;
  unsaid: number;
  state: "idle" | "running" | "ended" | "stopped";
}

const IDLE: Progress = { looked: 0, changed: 0, unsaid: 0, state: "idle" };

export function PastCalls({ edit, isOther }: { edit: PolicyEdit; isOther: boolean }) {
  const found = useSignal<readonly Found[]>([]);
  const progress = useSignal<Progress>(IDLE);
  const fault = useSignal<ReturnType<typeof toApiError> | undefined>(undefined);
  const work = useRef(new AbortController());
  const start = async () => {
    work.current.abort();
    const { signal: ending } = (work.current = new AbortController());
    found.value = [];
    fault.value = undefined;
    progress.value = { ...IDLE, state: "running" };
    try {
      for await (const lines of replayPast(edit, ending)) {
        const calls = lines.filter((line) => line.type === "call");
        if (calls.length > 0) found.value = [...found.value, ...calls];
        const last = lines.findLast((line) => line.type === "progress" || line.type === "end");
        if (last !== undefined) {
          const { looked, changed, unsaid } = last;
          progress.value = { looked, changed, unsaid, state: last.type === "end" ? "ended" : "running" };
        }
        const failed = lines.find((line) => line.type === "error");
        if (failed !== undefined) fault.value = { ...failed, category: "operational" };
      }
      if (progress.value.state === "running") progress.value = { ...progress.value, state: "ended" };
    } catch (thrown) {
      progress.value = { ...progress.value, state: "stopped" };
      if (!ending.aborted) fault.value = toApiError(thrown);
    }
  };
  useEffect(() => {
    work.current.abort();
    found.value = [];
    progress.value = IDLE;
    if (!isOther) return undefined;
    const timer = setTimeout(() => void start(), TYPING_MS);
    return () => {
      clearTimeout(timer);
      work.current.abort();
    };
  }, [edit.text, edit.id, edit.agent]);
  const { looked, changed, unsaid, state } = progress.value;
  const rows = found.value;
  return (
    <section class="past">
      <h2>{texts.past}</h2>
      <ErrorNotice fault={fault.value} onRetry={() => void start()} />
      <p class="soft small past-state" role="status">
        {state === "idle" ? texts.editToSeePast : texts.looked(looked, changed, unsaid)}
        {state === "running" && (
          <Button look="small" text={texts.stop} onClick={() => work.current.abort()} />
        )}
        {state === "stopped" && ` ${texts.stopped}`}
      </p>
      {rows.length > 0 && (
        <VirtualList
          id="past"
          label={texts.past}
          count={rows.length}
          rowHeight={46}
          chosen={-1}
          onChoose={(index) => goTo(linkToCall(rows[index]!.call))}
          row={(index) => <PastCall found={rows[index]!} />}
        />
      )}
    </section>
  );
}

function PastCall({ found: { call, before, after, reason } }: { found: Found }) {
  return (
    <div class="past-call grow">
      <div class="run-line">
        <time class="soft small number">{formatClockOrDay(call.createdAt)}</time>
        <span class="grow cut mono">
          <b>{escapeInvisibleLine(call.toolName)}</b>{" "}
          <span class="soft">{escapeInvisibleLine(call.summary)}</span>
        </span>
        <span class="from-to">
          {before === undefined ? "–" : <Mark word={before} bare />}
          <span aria-hidden="true">→</span>
          {after === undefined ? <Mark word="quiet" text={texts.unsaid} bare /> : <Mark word={after} />}
        </span>
      </div>
      <p class="soft small cut text">{escapeInvisible(reason)}</p>
    </div>
  );
}

/** Aborting ends the server's work. */
async function* replayPast(request: ReplayRequest, ending: AbortSignal): AsyncGenerator<ReplayLine[]> {
  const response = await send("./api/policy/replay", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
    signal: ending,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + (value ?? "")).split("\n");
    rest = lines.pop()!;
    const whole = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as ReplayLine);
    if (whole.length > 0) yield whole;
    if (done) return;
  }
}
