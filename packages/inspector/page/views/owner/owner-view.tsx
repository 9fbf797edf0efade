import { goTo, linkTo, route } from "../../app/routes.ts";
import { callApi } from "../../client/request.ts";
import { useResource } from "../../data/resource.ts";
import { loadRuns, runs } from "../../data/runs.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { formatMoment } from "../../parts/text/format-values.ts";
import { words } from "../../strings/frame.ts";
import { owner as texts } from "../../strings/owner.ts";
import { GuardedLetter } from "./guarded-letter.tsx";
import { SessionLetter } from "./session-letter.tsx";
import "./owner.css";

/** The timeline has older sessions. */
const RECENT = 30;

export function OwnerView() {
  const { query } = route.value;
  const [kind, run] = [query.get("kind") ?? "main", query.get("run") ?? ""];
  useResource(loadRuns, []);
  const found = useResource(
    (ending) => callApi("GET /api/abilities", { query: run === "" ? { kind } : { run }, signal: ending }),
    [kind, run],
  );
  const abilities = found.value.value;
  return (
    <>
      <header class="head">
        <h2 class="grow">{words.views.owner}</h2>
        <select
          class="field who"
          aria-label={texts.who}
          value={run === "" ? `kind ${kind}` : `run ${run}`}
          onChange={({ currentTarget }) => {
            const [what, value = ""] = currentTarget.value.split(" ");
            goTo(linkTo("owner", [], what === "kind" ? { kind: value } : { run: value }));
          }}
        >
          {(["main", "group", "sandboxed"] as const).map((each) => (
            <option key={each} value={`kind ${each}`}>
              {texts.anyOf(words.kind[each])}
            </option>
          ))}
          {runs.value.slice(0, RECENT).map(({ runId, sessionKey, openedAt }) => (
            <option key={runId} value={`run ${runId}`}>
              {escapeInvisibleLine(sessionKey)}, {formatMoment(openedAt)}
            </option>
          ))}
        </select>
        <Button look="small" icon="print" text={texts.print} onClick={() => print()} />
      </header>
      <div class="body owner-body" tabIndex={0} role="region" aria-label={words.views.owner}>
        <ErrorNotice fault={found.error.value} onRetry={found.reload} />
        {abilities === undefined ? (
          found.loading.value && <p class="soft">{words.loading}</p>
        ) : abilities.type === "guarded" ? (
          <GuardedLetter facts={abilities} />
        ) : (
          <SessionLetter facts={abilities} />
        )}
      </div>
    </>
  );
}
