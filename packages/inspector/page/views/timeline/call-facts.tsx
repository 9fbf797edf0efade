import type { CallDetail } from "../../../src/wire/api.ts";
import { now } from "../../parts/now.ts";
import { moment, took, tookShort } from "../../parts/text/times.ts";
import { visibleLine } from "../../parts/text/visible-text.ts";
import { timeline } from "../../strings/calls.ts";

export function CallFacts({ call }: { call: CallDetail }) {
  const texts = timeline.facts;
  const { createdAt, startedAt, endedAt, tool, sender } = call;
  const rows: readonly (readonly [string, string | undefined])[] = [
    [texts.call, call.toolCallId],
    [texts.answeredAs, call.answeredAs],
    [texts.tool, tool?.id],
    [texts.effects, tool?.effects.join(", ")],
    [texts.heard, `${moment(createdAt)}, ${timeline.ago(tookShort(Math.max(0, now.value - createdAt)))}`],
    [texts.waited, startedAt === undefined ? undefined : took(Math.max(0, startedAt - createdAt))],
    [
      texts.ran,
      startedAt === undefined || endedAt === undefined ? undefined : took(Math.max(0, endedAt - startedAt)),
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
            <dd class="text">{visibleLine(text)}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
