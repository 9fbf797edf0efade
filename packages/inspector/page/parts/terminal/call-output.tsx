import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { TextPage } from "../../../src/wire/api.ts";
import { onEvent } from "../../client/event-stream.ts";
import { callApi } from "../../client/request.ts";
import { toApiError } from "../../data/resource.ts";
import { timeline } from "../../strings/calls.ts";
import { Button } from "../button.tsx";
import { CopyButton } from "../copy-button.tsx";
import { ErrorNotice } from "../error-notice.tsx";
import { escapeInvisible } from "../text/escape-invisible.ts";
import { formatBytes } from "../text/format-values.ts";
import { openTerminal, type OpenTerminal } from "./open-terminal.ts";
import "./terminal.css";

interface CallOutputProps {
  runId: string;
  callId: string;
  isRunning: boolean;
  /** The ledger has only the start. */
  isHead: boolean;
}

const PAGE = 256 * 1024;

const LINE_PX = 19;
const [FEWEST_LINES, MOST_LINES] = [5, 18];

type Shown = Pick<TextPage, "from" | "next" | "total" | "dropped" | "source">;

/** Shows the end, then new output. */
export function CallOutput({ runId, callId, isRunning, isHead }: CallOutputProps) {
  const container = useRef<HTMLDivElement>(null);
  const terminal = useRef<OpenTerminal | undefined>(undefined);
  const shown = useSignal<Shown | undefined>(undefined);
  const fault = useSignal<ReturnType<typeof toApiError> | undefined>(undefined);
  const follows = useRef(true);
  /** For screen readers. */
  const text = useSignal("");
  const asText = useSignal(false);
  const fetching = useRef({ busy: false, again: false });
  const path = { run: runId, call: callId };

  const show = async (from: number, isEnd: boolean) => {
    const page = await callApi("GET /api/runs/:run/calls/:call/output", { path, query: { from, max: PAGE } });
    // The user left this page.
    if (isEnd !== follows.current || terminal.current === undefined) return;
    container.current!.style.height = `${heightFor(page.text, terminal.current.terminal.cols)}px`;
    terminal.current.fit();
    terminal.current.terminal.reset();
    terminal.current.write(page.text);
    follows.current = isEnd || page.next >= page.total;
    shown.value = page;
    fault.value = undefined;
  };
  const showFrom = async (from: number) => {
    follows.current = false;
    await show(from, false).catch((thrown: unknown) => (fault.value = toApiError(thrown)));
  };
  /** Fetches the end at an unknown offset, and later output once. */
  const showEnd = async () => {
    const { current } = fetching;
    follows.current = true;
    current.again = current.busy;
    if (current.busy) return;
    current.busy = true;
    try {
      do {
        current.again = false;
        const query = { from: 0, max: 1 };
        const { total } = await callApi("GET /api/runs/:run/calls/:call/output", { path, query });
        await show(Math.max(0, total - PAGE), true);
      } while (current.again && follows.current);
    } catch (thrown) {
      fault.value = toApiError(thrown);
    }
    current.busy = false;
  };
  const append = async (from: number, more: string, total: number) => {
    const state = shown.value;
    if (!follows.current) return;
    if (state === undefined || fetching.current.busy) return showEnd();
    // Offsets are bytes, and pages may overlap.
    const all = new TextEncoder().encode(more);
    const end = from + all.length;
    if (end <= state.next) return;
    if (from > state.next) return showEnd();
    terminal.current?.write(new TextDecoder().decode(all.subarray(state.next - from)));
    shown.value = { ...state, next: end, total: Math.max(total, end) };
  };

  useEffect(() => {
    const opened = openTerminal(container.current!, { label: timeline.output.terminal, convertEol: true });
    terminal.current = opened;
    opened.fit();
    const observer = new ResizeObserver(() => opened.fit());
    observer.observe(container.current!);
    void showEnd();
    opened.terminal.onWriteParsed(() => {
      if (asText.peek()) text.value = opened.text();
    });
    const deaf = onEvent((event) => {
      if (event.type === "output" && event.runId === runId && event.toolCallId === callId)
        void append(event.from, event.text, event.total);
    });
    return () => {
      deaf();
      observer.disconnect();
      terminal.current = undefined;
      opened.dispose();
    };
  }, [runId, callId]);
  useEffect(() => {
    if (!isRunning && shown.value !== undefined && follows.current) void showEnd();
  }, [isRunning]);

  const toggleText = () => {
    text.value = terminal.current?.text() ?? "";
    asText.value = !asText.value;
  };
  const state = shown.value;
  const isPart = state !== undefined && (state.from > 0 || state.next < state.total);
  return (
    <div class="output">
      <ErrorNotice fault={fault.value} onRetry={() => void showEnd()} />
      {state !== undefined && state.dropped > 0 && (
        <p class="soft small">{timeline.output.dropped(formatBytes(state.dropped))}</p>
      )}
      {state?.source === "ledger" && isHead && <p class="soft small">{timeline.output.headOnly}</p>}
      <div
        class={`screen${state?.total === 0 && !isRunning ? " none" : ""}`}
        ref={container}
        role="group"
        aria-label={timeline.output.terminal}
        hidden={asText.value}
      />
      {asText.value && (
        <pre class="block result-text" tabIndex={0} role="region" aria-label={timeline.output.textOf}>
          {escapeInvisible(text.value)}
        </pre>
      )}
      {(state?.total ?? 0) > 0 && (
        <p class="actions">
          <Button
            look="plain small"
            text={asText.value ? timeline.output.asTerminal : timeline.output.asText}
            onClick={toggleText}
          />
          <CopyButton text={() => terminal.current?.text() ?? ""} label={timeline.copyText} />
        </p>
      )}
      {state?.total === 0 && <p class="soft small">{timeline.output.nothing}</p>}
      {state !== undefined && (isPart || isRunning) && (
        <p class="pager">
          <Button
            look="small"
            text={timeline.output.earlier}
            disabled={state.from === 0}
            onClick={() => void showFrom(Math.max(0, state.from - PAGE))}
          />
          <span class="soft small number">
            {timeline.output.shown(
              formatBytes(state.from),
              formatBytes(state.next),
              formatBytes(state.total),
            )}
          </span>
          <Button
            look="small"
            text={timeline.output.later}
            disabled={state.next >= state.total}
            onClick={() => void showFrom(state.next)}
          />
          <Button
            look="small"
            text={timeline.output.end}
            disabled={state.next >= state.total}
            onClick={() => void showEnd()}
          />
          {isRunning && <span class="soft small">{timeline.output.follows}</span>}
        </p>
      )}
    </div>
  );
}

function heightFor(text: string, columns: number): number {
  const lines = text
    .split("\n", MOST_LINES)
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 1);
  return Math.min(MOST_LINES, Math.max(FEWEST_LINES, lines)) * LINE_PX + 18;
}
