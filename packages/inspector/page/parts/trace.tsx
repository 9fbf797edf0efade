import type { ExplainedDecision } from "../../src/wire/api.ts";
import { common } from "../strings/frame.ts";
import { Mark } from "./mark.tsx";
import { escapeInvisible } from "./text/escape-invisible.ts";

export function TraceView({ explained }: { explained: ExplainedDecision }) {
  const { effect, reason, fix, everyTime, trace } = explained;
  return (
    <div class="explained">
      <p class="why">
        <Mark word={effect} />
        <span class="text">{escapeInvisible(reason)}</span>
      </p>
      {fix !== undefined && (
        <p class="fix text">
          <b>{common.fix}</b> {escapeInvisible(fix)}
        </p>
      )}
      {everyTime !== undefined && <p class="small soft text">{escapeInvisible(everyTime)}</p>}
      <ol class="trace" aria-label={common.lookedAt}>
        {trace.map((step, index) => (
          <li key={index} class={step.decided ? "decided" : ""}>
            <span class="trace-verdict">
              {step.verdict === "pass" ? (
                <Mark word="quiet" text={step.toSome === undefined ? common.pass : `${step.toSome} …`} bare />
              ) : (
                <Mark
                  word={step.verdict}
                  text={step.toSome === undefined ? step.verdict : `${step.toSome} …`}
                  bare
                />
              )}
            </span>
            <span class="trace-rule">
              <span class="text">{escapeInvisible(step.rule)}</span>
              <span class="soft small text">
                {[step.stage === step.layer ? undefined : step.stage, step.layer, step.source]
                  .filter((part) => part !== undefined && part !== "")
                  .join(" · ")}
                {step.decided && <b> · {common.decides}</b>}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
