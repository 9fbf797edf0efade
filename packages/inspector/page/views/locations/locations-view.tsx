import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { ResourceAmounts, Locations } from "../../../src/wire/api.ts";
import { linkTo } from "../../app/routes.ts";
import { callApi } from "../../client/request.ts";
import { about } from "../../data/about.ts";
import { useResource } from "../../data/resource.ts";
import { runs } from "../../data/runs.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Mark } from "../../parts/mark.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { words } from "../../strings/frame.ts";
import { locations as texts } from "../../strings/machine.ts";
import "./locations.css";

/** Events omit use. */
const AGAIN_MS = 3_000;

export function LocationsView() {
  const shown = useResource((ending) => callApi("GET /api/places", { signal: ending }), []);
  const found = shown.value.value;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && !shown.loading.peek()) shown.reload();
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <header class="head">
        <h2 class="grow">{texts.title}</h2>
        <Button look="small" text={texts.again} onClick={shown.reload} />
      </header>
      <div class="body" tabIndex={0} role="region" aria-label={texts.title}>
        <ErrorNotice fault={shown.error.value} onRetry={shown.reload} />
        {found === undefined ? (
          shown.loading.value && <p class="soft">{words.loading}</p>
        ) : (
          <Found places={found} />
        )}
      </div>
    </>
  );
}

function Found({ places: { commands, sandboxes, views, nodes } }: { places: Locations }) {
  const isStored = about.value?.mode === "kept";
  return (
    <div class="places">
      <section>
        <h2>{texts.commands}</h2>
        <ul class="cards">
          {commands.map(({ kind, where, text }) => (
            <li key={kind} class="card">
              <h3>{words.kind[kind]}</h3>
              <Mark
                word={where === "open" ? "ask" : where === "nowhere" ? "deny" : "allow"}
                text={texts.where[where]}
              />
              <p class="text">{escapeInvisible(text)}</p>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>{texts.sandboxes}</h2>
        {sandboxes.length === 0 && <p class="soft">{isStored ? texts.ofOthers : texts.noSandboxes}</p>}
        <ul class="cards">
          {sandboxes.map(({ id, backend, scope, sessions, state, limits, use, network }) => (
            <li key={id} class="card">
              <h3 class="mono">{escapeInvisibleLine(id)}</h3>
              <p class="card-line">
                <Mark word={state === "running" ? "ok" : "quiet"} text={escapeInvisibleLine(state)} bare />
                <span class="soft">
                  {escapeInvisibleLine([backend, scope ?? ""].filter(Boolean).join(", "))}
                </span>
              </p>
              <Measures limits={limits} use={use}>
                {network !== undefined && <Fact name={texts.network} text={network} />}
                <Fact name={texts.sessions}>
                  {sessions.map((runId) => (
                    <a key={runId} href={linkTo("timeline", [runId])}>
                      {escapeInvisibleLine(
                        runs.value.find((run) => run.runId === runId)?.sessionKey ?? runId,
                      )}{" "}
                    </a>
                  ))}
                </Fact>
              </Measures>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>{texts.views}</h2>
        {views.length === 0 && <p class="soft">{isStored ? texts.ofOthers : texts.noViews}</p>}
        <ul class="cards">
          {views.map(({ runId, sessionKey, running, limits, use, network }) => (
            <li key={runId} class="card">
              <h3>
                <a href={linkTo("timeline", [runId])}>{escapeInvisibleLine(sessionKey)}</a>
              </h3>
              <p class="card-line">
                <Mark word={running > 0 ? "ok" : "quiet"} text={texts.running(running)} bare />
              </p>
              <Measures limits={limits} use={use}>
                <Fact name={texts.network} text={network} />
              </Measures>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>{texts.nodes}</h2>
        {nodes.length === 0 && <p class="soft">{texts.noNodes}</p>}
        <ul class="cards">
          {nodes.map(({ id, name, state, present, offers, limits, use }) => (
            <li key={id} class="card">
              <h3>{escapeInvisibleLine(name)}</h3>
              <p class="card-line">
                <Mark
                  word={present && state === "approved" ? "ok" : "quiet"}
                  text={escapeInvisibleLine(`${state}, ${present ? texts.present : texts.away}`)}
                  bare
                />
              </p>
              <Measures limits={limits} use={use}>
                {present && use === undefined && <Fact name={texts.use} text={texts.notReported} />}
                {offers.map((offer) => (
                  <Fact key={offer.name} name={offer.name} text={offer.limit ?? ""} />
                ))}
              </Measures>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Measures({
  limits,
  use = {},
  children,
}: {
  limits: ResourceAmounts;
  use?: ResourceAmounts | undefined;
  children: ComponentChildren;
}) {
  const names = texts.inOrder([...new Set([...Object.keys(limits), ...Object.keys(use)])]);
  return (
    <dl class="facts small">
      {names.map((name) => (
        <Fact key={name} name={texts.amount(name)} text={texts.useOf(name, use[name], limits[name])} />
      ))}
      {children}
    </dl>
  );
}

interface FactProps {
  name: string;
  text?: string;
  children?: ComponentChildren;
}

function Fact({ name, text, children }: FactProps) {
  return (
    <div>
      <dt>{escapeInvisibleLine(name)}</dt>
      <dd>{text === undefined ? children : escapeInvisibleLine(text)}</dd>
    </div>
  );
}
