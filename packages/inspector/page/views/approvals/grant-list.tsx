import { useSignal } from "@preact/signals";
import { mayAct } from "../../data/about.ts";
import { approvalsLoaded, grants, revoke } from "../../data/approvals.ts";
import { faultOf } from "../../data/resource.ts";
import { Button } from "../../parts/button.tsx";
import { FaultNotice } from "../../parts/fault-notice.tsx";
import { formatMoment } from "../../parts/text/times.ts";
import { visible, visibleLine } from "../../parts/text/visible-text.ts";
import { approvals as texts } from "../../strings/calls.ts";

export function GrantList() {
  const fault = useSignal<ReturnType<typeof faultOf> | undefined>(undefined);
  const said = useSignal("");
  if (!approvalsLoaded.value) return null;
  const take = async (id: string) => {
    try {
      await revoke(id);
      said.value = texts.revoked;
      fault.value = undefined;
    } catch (thrown) {
      fault.value = faultOf(thrown);
    }
  };
  return (
    <section class="grants" aria-label={texts.grants}>
      <h2>{texts.grants}</h2>
      <FaultNotice fault={fault.value} />
      <p role="status" class="soft small">
        {grants.value.length === 0 ? texts.noGrants : said.value}
      </p>
      <ul>
        {grants.value.map(({ id, summary, toolId, sessionKey, agentId, used, expiresAt, by }) => (
          <li key={id}>
            <div class="grow">
              <p class="text">{visible(summary)}</p>
              <p class="soft small text">
                {visibleLine([toolId, sessionKey, agentId, by ?? ""].filter(Boolean).join(" · "))} ·{" "}
                {texts.used(used)} ·{" "}
                {expiresAt === undefined ? texts.forGood : texts.until(formatMoment(expiresAt))}
              </p>
            </div>
            {mayAct.value && <Button look="small" text={texts.revoke} onClick={() => void take(id)} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
