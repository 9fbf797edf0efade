import { useSignal } from "@preact/signals";
import { mayAct } from "../../data/about.ts";
import { approvalsLoaded, grants, revoke } from "../../data/approvals.ts";
import { toApiError } from "../../data/resource.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { formatMoment } from "../../parts/text/format-values.ts";
import { approvals as texts } from "../../strings/calls.ts";

export function GrantList() {
  const fault = useSignal<ReturnType<typeof toApiError> | undefined>(undefined);
  const message = useSignal("");
  if (!approvalsLoaded.value) return null;
  const take = async (id: string) => {
    try {
      await revoke(id);
      message.value = texts.revoked;
      fault.value = undefined;
    } catch (thrown) {
      fault.value = toApiError(thrown);
    }
  };
  return (
    <section class="grants" aria-label={texts.grants}>
      <h2>{texts.grants}</h2>
      <ErrorNotice fault={fault.value} />
      <p role="status" class="soft small">
        {grants.value.length === 0 ? texts.noGrants : message.value}
      </p>
      <ul>
        {grants.value.map(({ id, summary, toolId, sessionKey, agentId, used, expiresAt, by }) => (
          <li key={id}>
            <div class="grow">
              <p class="text">{escapeInvisible(summary)}</p>
              <p class="soft small text">
                {escapeInvisibleLine([toolId, sessionKey, agentId, by ?? ""].filter(Boolean).join(" · "))} ·{" "}
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
