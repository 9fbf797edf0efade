import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { DecisionRequest, Approval } from "../../../src/wire/api.ts";
import { bindKeysWhile } from "../../app/key-map.ts";
import { goTo, linkTo, route } from "../../app/routes.ts";
import { mayAct } from "../../data/about.ts";
import {
  answer,
  approvalsError,
  approvalsLoaded,
  reloadApprovals,
  settled,
  waiting,
} from "../../data/approvals.ts";
import { toApiError } from "../../data/resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Mark } from "../../parts/mark.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { formatClock } from "../../parts/text/format-values.ts";
import { useFocusRestore } from "../../parts/use-focus-restore.ts";
import { approvals as texts } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";
import { ApprovalCard, MIN_VISIBLE_MS } from "./approval-card.tsx";
import { GrantList } from "./grant-list.tsx";
import "./approvals.css";

export function ApprovalsView() {
  const all = waiting.value;
  const wanted = route.value.path[0];
  const chosen = all.find(({ approvalId }) => approvalId === wanted) ?? all[0];
  const seen = useRef<{ approval: Approval | undefined; since: number }>({ approval: undefined, since: 0 });
  const fault = useSignal<ReturnType<typeof toApiError> | undefined>(undefined);
  const busy = useSignal<string | undefined>(undefined);
  // New or changed requests are unread.
  useLayoutEffect(() => {
    seen.current = { approval: chosen, since: performance.now() };
  }, [chosen]);

  useFocusRestore(chosen?.approvalId ?? "", () =>
    document.querySelector<HTMLElement>(chosen === undefined ? "main" : ".approval.chosen"),
  );
  const give = async (approval: Approval, given: DecisionRequest) => {
    if (busy.value !== undefined) return;
    busy.value = approval.approvalId;
    try {
      await answer(approval, given);
      fault.value = undefined;
    } catch (thrown) {
      fault.value = toApiError(thrown);
    }
    busy.value = undefined;
  };
  const byKey = (given: DecisionRequest) => {
    const approval = chosenNow();
    const { approval: drawn, since } = seen.current;
    if (approval === undefined || approval !== drawn || performance.now() - since < MIN_VISIBLE_MS) return;
    if (!mayAct.value) return;
    if (
      given.decision === "allow-always" &&
      !approval.offers.some(({ kind }) => kind === (given.grant ?? "exact"))
    )
      return;
    void give(approval, given);
  };
  useEffect(
    () =>
      bindKeysWhile(
        () => waiting.value.length > 0,
        [
          { keys: "y", label: texts.once, run: () => byKey({ decision: "allow-once" }) },
          { keys: "a", label: texts.always, run: () => byKey({ decision: "allow-always", grant: "exact" }) },
          {
            keys: "p",
            label: texts.program,
            run: () => byKey({ decision: "allow-always", grant: "program" }),
          },
          { keys: "n", label: texts.deny, run: () => byKey({ decision: "deny" }) },
          { keys: "j", label: words.keysMove, run: () => move(1) },
          { keys: "k", label: words.keysMove, run: () => move(-1) },
        ],
      ),
    [],
  );
  return (
    <>
      <header class="head">
        <h2 class="grow">{texts.title(all.length)}</h2>
        {!mayAct.value && <span class="soft small">{words.roleLook}</span>}
      </header>
      <div class="body approvals">
        <ErrorNotice fault={approvalsError.value} onRetry={() => void reloadApprovals()} />
        <ErrorNotice fault={fault.value} />
        {all.length === 0 && approvalsLoaded.value && (
          <Empty icon="approvals" title={texts.none}>
            <p>{texts.noneFix}</p>
          </Empty>
        )}
        {all.map((approval, position) => (
          <ApprovalCard
            key={approval.approvalId}
            approval={approval}
            isChosen={approval === chosen}
            place={position}
            isBusy={busy.value === approval.approvalId}
            onChoose={() => choose(approval)}
            onAnswer={(given) => void give(approval, given)}
          />
        ))}
        <SettledList />
        <GrantList />
      </div>
    </>
  );
}

function chosenNow(): Approval | undefined {
  const wanted = route.value.path[0];
  return waiting.value.find(({ approvalId }) => approvalId === wanted) ?? waiting.value[0];
}

function move(step: number): void {
  const index = waiting.value.findIndex((each) => each === chosenNow());
  const next = waiting.value[Math.max(0, Math.min(waiting.value.length - 1, index + step))];
  if (next !== undefined) choose(next);
}

function choose({ approvalId }: Approval): void {
  goTo(linkTo("approvals", [approvalId]), { replace: true });
}

function SettledList() {
  if (settled.value.length === 0) return null;
  return (
    <section class="settled" aria-label={texts.lately}>
      <h2>{texts.lately}</h2>
      <ul aria-live="polite">
        {settled.value.map(({ approvalId, toolName, summary, text, word, at }) => (
          <li key={approvalId}>
            <Mark word={word} text={word} bare short />
            <span class="mono cut settled-call">
              {escapeInvisibleLine(toolName)} <span class="soft">{escapeInvisibleLine(summary)}</span>
            </span>
            <span class="grow text">{escapeInvisible(text)}</span>
            <time class="soft small number">{formatClock(at)}</time>
          </li>
        ))}
      </ul>
    </section>
  );
}
