import type { Abilities } from "../../../src/wire/api.ts";
import { goTo, linkTo, route } from "../../app/routes.ts";
import { ask } from "../../client/request.ts";
import { useResource } from "../../data/resource.ts";
import { loadRuns, runs } from "../../data/runs.ts";
import { FaultNotice } from "../../parts/fault-notice.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Mark } from "../../parts/mark.tsx";
import { moment } from "../../parts/text/times.ts";
import { visibleLine } from "../../parts/text/visible-text.ts";
import { owner as texts, words } from "../../strings.ts";
import { abilityLines } from "./ability-lines.ts";
import "./owner.css";

/** How many sessions are offered; older ones have a place in the timeline. */
const RECENT = 30;

/** What an agent can do, in words for whoever owns it; made to be printed. */
export function OwnerView() {
  const { query } = route.value;
  const [kind, run] = [query.get("kind") ?? "main", query.get("run") ?? ""];
  useResource(loadRuns, []);
  const found = useResource(
    (ending) => ask("GET /api/abilities", { query: run === "" ? { kind } : { run }, signal: ending }),
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
              {visibleLine(sessionKey)}, {moment(openedAt)}
            </option>
          ))}
        </select>
        <button type="button" class="button small" onClick={() => print()}>
          <Icon name="print" />
          {texts.print}
        </button>
      </header>
      <div class="body owner-body" tabIndex={0} role="region" aria-label={words.views.owner}>
        <FaultNotice fault={found.fault.value} onRetry={found.reload} />
        {abilities === undefined ? (
          found.loading.value && <p class="soft">{words.loading}</p>
        ) : (
          <Letter abilities={abilities} />
        )}
      </div>
    </>
  );
}

function Letter({ abilities }: { abilities: Abilities }) {
  const { session, folders, closed, consent, approvals, tools, missing, record } = abilities;
  return (
    <article class="owner">
      <h2>{texts.title(visibleLine(session.agentId))}</h2>
      <p class="soft">
        {texts.about(words.kind[session.kind], visibleLine(session.sessionKey ?? ""))}{" "}
        {texts.made(moment(Date.now()))}
      </p>
      <ul class="abilities">
        {abilityLines(abilities).map(({ name, word, text, tools: by }) => (
          <li key={name}>
            <Mark word={word} text={texts.answers[word]} />
            <div>
              <h3>{name}</h3>
              <p class="text">{text}</p>
              {by.length > 0 && <p class="soft small text">{texts.by(visibleLine(by.join(", ")))}</p>}
            </div>
          </li>
        ))}
      </ul>
      <h3>{texts.folders}</h3>
      <ul class="bullets">
        {folders.map(({ name, path, access }) => (
          <li key={name}>
            <code>{visibleLine(path)}</code> {access === "rw" ? texts.readWrite : texts.readOnly}
          </li>
        ))}
      </ul>
      {closed.length > 0 && <Patterns title={texts.closed} patterns={closed} />}
      {consent.length > 0 && <Patterns title={texts.consent} patterns={consent} />}
      <h3>{texts.asking}</h3>
      <p>
        {texts.approvals(approvals.mode, Math.round(approvals.timeoutMs / 60_000))}{" "}
        {texts.grants(approvals.grants)}
      </p>
      <h3>{texts.recorded}</h3>
      <p>
        {texts.record(record.mode)} {record.undo ? texts.undo : texts.noUndo}{" "}
        {record.audit ? texts.audit : ""}
      </p>
      <h3>{texts.allTools(tools.length)}</h3>
      <ul class="tool-words">
        {tools.map(({ name, word, toSome }) => (
          <li key={name}>
            <Mark word={toSome ?? word} text={toSome === undefined ? word : `${toSome} …`} bare />
            <span class="mono">{visibleLine(name)}</span>
          </li>
        ))}
      </ul>
      {missing > 0 && <p class="soft small">{texts.missing(missing)}</p>}
    </article>
  );
}

function Patterns({ title, patterns }: { title: string; patterns: readonly string[] }) {
  return (
    <>
      <h3>{title}</h3>
      <p class="mono small">{visibleLine(patterns.join("  "))}</p>
    </>
  );
}
