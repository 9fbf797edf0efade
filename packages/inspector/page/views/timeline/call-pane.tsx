import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { CallDetail, Run } from "../../../src/wire/api.ts";
import { goTo, linkTo, route } from "../../app/routes.ts";
import { onEvent } from "../../client/event-stream.ts";
import { callApi } from "../../client/request.ts";
import { isExported, mayAct } from "../../data/about.ts";
import { progress, progressKey } from "../../data/progress.ts";
import { useResource } from "../../data/resource.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Icon } from "../../parts/icon.tsx";
import { lazyComponent } from "../../parts/lazy.tsx";
import { Mark } from "../../parts/mark.tsx";
import { now } from "../../parts/now.ts";
import { Section } from "../../parts/section.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { formatMoment, formatDuration, formatShortDuration } from "../../parts/text/format-values.ts";
import { JsonBlock } from "../../parts/text/json-block.tsx";
import { timeline } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";
import { CallLinks } from "./call-links.tsx";
import { CallResult } from "./call-result.tsx";
import { CallWhy } from "./call-why.tsx";

const FileDiffs = lazyComponent(async () => (await import("../../parts/diff/file-diffs.tsx")).FileDiffs);
const CallOutput = lazyComponent(
  async () => (await import("../../parts/terminal/call-output.tsx")).CallOutput,
);
const UndoDialog = lazyComponent(async () => (await import("./undo-dialog.tsx")).UndoDialog);

/** For diffs and output. */
export const isWide = signal(false);

export function CallPane({ runId, callId, run }: { runId: string; callId: string; run: Run | undefined }) {
  const detail = useResource(
    (ending) =>
      callApi("GET /api/runs/:run/calls/:call", { path: { run: runId, call: callId }, signal: ending }),
    [runId, callId],
  );
  useEffect(
    () =>
      onEvent((event) => {
        const of = event.type === "call" ? event.call : event.type === "warning" ? event : undefined;
        if (of?.runId === runId && of.toolCallId === callId) detail.reload();
      }),
    [runId, callId],
  );
  const call = detail.value.value;
  return (
    <>
      <header class="head call-head">
        <a class="button plain small up" href={linkTo("timeline", [runId], rest())} aria-label={words.back}>
          <Icon name="back" />
        </a>
        {call !== undefined && <CallTitle call={call} />}
        <CopyButton text={location.href} label={timeline.copyLink} icon="link" />
        <Button
          look="plain small widen"
          icon="wide"
          aria-pressed={isWide.value}
          aria-label={timeline.wide}
          title={`${timeline.wide} (w)`}
          onClick={() => (isWide.value = !isWide.value)}
        />
        <a
          class="button plain small away"
          href={linkTo("timeline", [runId], rest())}
          aria-label={words.close}
          title={words.close}
        >
          <Icon name="close" />
        </a>
      </header>
      <div class="body call-body" tabIndex={0} role="region" aria-label={timeline.sections.details}>
        <ErrorNotice fault={detail.error.value} onRetry={detail.reload} />
        {call === undefined ? (
          detail.loading.value && <p class="soft">{words.loading}</p>
        ) : (
          <CallBody call={call} isLive={run?.state === "live"} />
        )}
      </div>
    </>
  );
}

function CallTitle({ call }: { call: CallDetail }) {
  return (
    <>
      <Mark word={call.stand} title={words.stand[call.stand]} />
      <h2 class="cut grow mono" title={escapeInvisible(`${call.toolName} ${call.summary}`)}>
        {escapeInvisibleLine(call.toolName)} <span class="soft">{escapeInvisibleLine(call.summary)}</span>
      </h2>
    </>
  );
}

function CallBody({ call, isLive }: { call: CallDetail; isLive: boolean }) {
  const texts = timeline.sections;
  const progressText = call.stand === "running" ? progress.value.get(progressKey(call)) : undefined;
  return (
    <>
      <Actions call={call} isLive={isLive} />
      {call.warnings?.map(({ code, message }, index) => (
        <div key={index} class="notice warning">
          <Icon name="warning" />
          <p class="text">
            {escapeInvisible(message)} <code class="small">{escapeInvisibleLine(code)}</code>
          </p>
        </div>
      ))}
      {progressText !== undefined && (
        <Section title={texts.says}>
          <pre class="block">{escapeInvisible(progressText)}</pre>
        </Section>
      )}
      {call.files.length > 0 && (
        <Section title={texts.changes}>
          <FileDiffs files={call.files} />
        </Section>
      )}
      {prints(call) && (
        <Section title={texts.output}>
          <CallOutput
            runId={call.runId}
            callId={call.toolCallId}
            isRunning={call.stand === "running"}
            isHead={call.result?.kept === "head" && call.result.isTextWhole !== true}
          />
        </Section>
      )}
      <Section title={texts.result} closed={prints(call)}>
        <CallResult call={call} />
      </Section>
      <Section title={texts.arguments}>
        {call.args === undefined ? (
          <p class="soft">{timeline.noArguments}</p>
        ) : (
          <>
            <JsonBlock value={call.args} />
            <CopyButton text={JSON.stringify(call.args, undefined, 2)} label={timeline.copyArguments} />
          </>
        )}
      </Section>
      <CallWhy call={call} />
      {(call.plan?.lines.length ?? 0) > 0 && (
        <Section title={texts.plan} closed>
          <pre class="block">{escapeInvisible(call.plan!.lines.join("\n"))}</pre>
        </Section>
      )}
      <CallLinks call={call} />
      <Section title={texts.facts}>
        <CallFacts call={call} />
      </Section>
    </>
  );
}

function Actions({ call, isLive }: { call: CallDetail; isLive: boolean }) {
  const undoing = useSignal(false);
  const message = useSignal("");
  const canStop = call.stand === "running" && isLive && mayAct.value;
  if (isExported.value) return null;
  if (!call.undoable && !canStop && call.stand !== "waiting" && message.value === "") return null;
  const stop = async () => {
    const path = { run: call.runId, call: call.toolCallId };
    const { aborted } = await callApi("POST /api/runs/:run/calls/:call/abort", { path, body: {} });
    message.value = aborted ? timeline.stopped : timeline.notStopped;
  };
  return (
    <div class="actions">
      {call.stand === "waiting" && call.approvalId !== undefined && (
        <Button
          look="main small"
          text={timeline.answerIt}
          onClick={() => goTo(linkTo("approvals", [call.approvalId!]))}
        />
      )}
      {call.undoable && (
        <Button look="small" icon="undo" text={timeline.undo} onClick={() => (undoing.value = true)} />
      )}
      {canStop && (
        <Button
          look="small bad"
          icon="stop"
          text={timeline.stop}
          onClick={() => void stop().catch(() => (message.value = words.unreachable))}
        />
      )}
      <span role="status" class="soft small">
        {message.value}
      </span>
      {undoing.value && <UndoDialog call={call} onClose={() => (undoing.value = false)} />}
    </div>
  );
}

/** Output can exceed the result. */
function prints({ tool, toolName, stand }: CallDetail): boolean {
  const runs = tool?.effects.includes("execute") ?? (toolName === "exec" || toolName === "bash");
  return runs && stand !== "blocked" && stand !== "waiting" && stand !== "gap";
}

function rest(): Record<string, string> {
  const { seq: _, ...others } = Object.fromEntries(route.value.query);
  return others;
}

function CallFacts({ call }: { call: CallDetail }) {
  const texts = timeline.facts;
  const { createdAt, startedAt, endedAt, tool, sender } = call;
  const rows: readonly (readonly [string, string | undefined])[] = [
    [texts.call, call.toolCallId],
    [texts.answeredAs, call.answeredAs],
    [texts.tool, tool?.id],
    [texts.effects, tool?.effects.join(", ")],
    [
      texts.heard,
      `${formatMoment(createdAt)}, ${timeline.ago(formatShortDuration(Math.max(0, now.value - createdAt)))}`,
    ],
    [texts.waited, startedAt === undefined ? undefined : formatDuration(Math.max(0, startedAt - createdAt))],
    [
      texts.ran,
      startedAt === undefined || endedAt === undefined
        ? undefined
        : formatDuration(Math.max(0, endedAt - startedAt)),
    ],
    [texts.receipt, call.receipt === undefined ? undefined : timeline.receipts[call.receipt]],
    [
      texts.sender,
      sender === undefined ? undefined : sender === "system" ? timeline.host : JSON.stringify(sender),
    ],
    [texts.decidedBy, call.decidedBy],
    [texts.approval, call.approvalId],
    [texts.grants, call.grantIds?.join(", ")],
    [texts.hosts, call.hosts?.join(", ")],
    [texts.resumed, call.resumed ? timeline.resumed : undefined],
  ];
  return (
    <dl class="facts">
      {rows.map(([name, text]) =>
        text === undefined || text === "" ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="text">{escapeInvisibleLine(text)}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
