import type { RiskMark } from "@haft/core/internal";
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { DecisionRequest, Approval } from "../../../src/wire/api.ts";
import { linkTo } from "../../app/routes.ts";
import { mayAct } from "../../data/about.ts";
import { Mark, type MarkKind } from "../../parts/mark.tsx";
import { now } from "../../parts/now.ts";
import { ContentBlocks } from "../../parts/text/content-blocks.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { formatDuration, formatShortDuration } from "../../parts/text/format-values.ts";
import { approvals as texts } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";

/** Keys and buttons ignore unread (new or moved) requests. */
export const MIN_VISIBLE_MS = 400;

interface ApprovalCardProps {
  approval: Approval;
  isChosen: boolean;
  isBusy: boolean;
  place: number;
  onChoose: () => void;
  onAnswer: (given: DecisionRequest) => void;
}

export function ApprovalCard({ approval, isChosen, isBusy, place, onChoose, onAnswer }: ApprovalCardProps) {
  const element = useRef<HTMLElement>(null);
  const isSteady = useSignal(false);
  // The user may have meant another request.
  useLayoutEffect(() => {
    isSteady.value = false;
    const timer = setTimeout(() => (isSteady.value = true), MIN_VISIBLE_MS);
    return () => clearTimeout(timer);
  }, [place]);
  useEffect(() => {
    if (isChosen) element.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  const { tool, summary, sessionKey, sessionKind, agentId, reason, preview, notes, runId, toolCallId } =
    approval;
  return (
    <article
      ref={element}
      class={`approval${isChosen ? " chosen" : ""}`}
      aria-label={escapeInvisibleLine(`${tool.name} ${summary}`)}
      tabIndex={-1}
      onPointerDown={onChoose}
    >
      <header>
        <h2 class="cut grow mono">
          {escapeInvisibleLine(tool.name)} <span class="soft">{escapeInvisibleLine(summary)}</span>
        </h2>
        <Clock approval={approval} />
      </header>
      <p class="soft small">
        {words.kind[sessionKind]} · <bdi>{escapeInvisibleLine(sessionKey)}</bdi> ·{" "}
        <bdi>{escapeInvisibleLine(agentId)}</bdi>
        {runId !== undefined && (
          <>
            {" · "}
            <a href={linkTo("timeline", [runId, toolCallId])}>{texts.wholeCall}</a>
          </>
        )}
      </p>
      {notes.length > 0 && (
        <ul class="risks">
          {notes.map((note, index) => (
            <Risk key={index} note={note} />
          ))}
        </ul>
      )}
      <div class="plan">
        <ContentBlocks blocks={preview} />
      </div>
      <p class="text">{escapeInvisible(reason)}</p>
      {approval.unattended && (
        <p class="soft small text">
          {texts.unattended}{" "}
          {approval.resume !== undefined && (
            <>
              {texts.resumeWith} <code>{escapeInvisibleLine(approval.resume)}</code>
            </>
          )}
        </p>
      )}
      <Answers
        approval={approval}
        isBusy={isBusy}
        isSteady={isSteady}
        showsKeys={isChosen}
        onAnswer={onAnswer}
      />
    </article>
  );
}

function Clock({ approval: { requestedAt, expiresAt } }: { approval: Approval }) {
  const left = expiresAt - now.value;
  return (
    <span class={`soft small number approval-clock${left < 120_000 ? " late" : ""}`}>
      {texts.asked(formatShortDuration(Math.max(0, now.value - requestedAt)))} ·{" "}
      {left > 0 ? texts.expires(formatDuration(Math.floor(left / 1000) * 1000)) : texts.expired}
    </span>
  );
}

const LEVELS: Readonly<Record<RiskMark["level"], MarkKind>> = {
  danger: "error",
  care: "warning",
  info: "note",
};

function Risk({ note: { kind, level, text } }: { note: RiskMark }) {
  return (
    <li class={`risk ${LEVELS[level]}`}>
      <Mark word={LEVELS[level]} text={texts.note[kind]} />
      <span class="text">{escapeInvisible(text)}</span>
    </li>
  );
}

interface AnswersProps {
  approval: Approval;
  isBusy: boolean;
  /** It has not moved recently. */
  isSteady: Signal<boolean>;
  showsKeys: boolean;
  onAnswer: (given: DecisionRequest) => void;
}

function Answers({
  approval: { offers, noAlways, noProgramGrant, notes },
  isBusy,
  isSteady,
  showsKeys,
  onAnswer,
}: AnswersProps) {
  const exact = offers.find(({ kind }) => kind === "exact");
  const program = offers.find(({ kind }) => kind === "program");
  // A dangerous call has no highlighted answer.
  const isGrave = notes.some(({ level }) => level === "danger");
  const isOff = !mayAct.value || isBusy;
  const button = (key: string, text: string, given: DecisionRequest, kind = "", title?: string) => (
    <button
      type="button"
      class={`button ${kind}`}
      disabled={isOff}
      aria-disabled={!isSteady.value}
      title={title ?? (mayAct.value ? undefined : words.roleLook)}
      onClick={() => isSteady.peek() && onAnswer(given)}
    >
      {text}
      {showsKeys && mayAct.value && <kbd aria-hidden="true">{key}</kbd>}
    </button>
  );
  return (
    <>
      <div class="answers">
        {button("y", texts.once, { decision: "allow-once" }, isGrave ? "" : "main")}
        {exact !== undefined &&
          button(
            "a",
            texts.always,
            { decision: "allow-always", grant: "exact" },
            "",
            escapeInvisible(exact.summary),
          )}
        {program !== undefined &&
          button(
            "p",
            texts.program,
            { decision: "allow-always", grant: "program" },
            "",
            escapeInvisible(program.summary),
          )}
        {button("n", texts.deny, { decision: "deny" }, "bad")}
      </div>
      <ul class="soft small offers text">
        {exact === undefined && noAlways !== undefined && (
          <li>{escapeInvisible(texts.noAlways(noAlways))}</li>
        )}
        {program !== undefined && <li>{escapeInvisible(program.summary)}</li>}
        {program === undefined && exact !== undefined && noProgramGrant !== undefined && (
          <li>{escapeInvisible(texts.noProgram(noProgramGrant))}</li>
        )}
      </ul>
    </>
  );
}
