import type { CallDetail } from "../../../src/wire/api.ts";
import { callApi } from "../../client/request.ts";
import { isExported } from "../../data/about.ts";
import { useResource } from "../../data/resource.ts";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Mark } from "../../parts/mark.tsx";
import { Section } from "../../parts/section.tsx";
import { escapeInvisible } from "../../parts/text/escape-invisible.ts";
import { TraceView } from "../../parts/trace.tsx";
import { timeline } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";

export function CallWhy({ call }: { call: CallDetail }) {
  const { decided, decision, decidedBy } = call;
  if (decided === undefined && decision === undefined) return null;
  return (
    <Section title={timeline.sections.why}>
      <p class="why">
        <Mark word={decided?.effect ?? decision!} />
        <span class="text">{escapeInvisible(decided?.reason ?? "")}</span>
      </p>
      {decidedBy !== undefined && <p class="soft small">{escapeInvisible(timeline.decidedBy(decidedBy))}</p>}
      {decided?.rule !== undefined && (
        <p class="small soft text">
          {escapeInvisible(
            [decided.rule, decided.layer, decided.source].filter((part) => part !== undefined).join(" · "),
          )}
        </p>
      )}
      {!isExported.value && (
        <Section title={timeline.whatNow} closed>
          <WhatNow call={call} />
        </Section>
      )}
    </Section>
  );
}

function WhatNow({ call }: { call: CallDetail }) {
  const trace = useResource(
    (signal) =>
      callApi("GET /api/runs/:run/calls/:call/trace", {
        path: { run: call.runId, call: call.toolCallId },
        signal,
      }),
    [call.runId, call.toolCallId],
  );
  const found = trace.value.value;
  if (found === undefined)
    return trace.error.value === undefined ? (
      <p class="soft">{words.loading}</p>
    ) : (
      <ErrorNotice fault={trace.error.value} />
    );
  return found.is === undefined ? (
    <p class="soft text">{escapeInvisible(found.unknown ?? "")}</p>
  ) : (
    <TraceView explained={found.is} />
  );
}
