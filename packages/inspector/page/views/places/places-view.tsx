import type { Places } from "../../../src/wire/api.ts";
import { ask } from "../../client/request.ts";
import { useResource } from "../../data/resource.ts";
import { FaultNotice } from "../../parts/fault-notice.tsx";
import { Mark } from "../../parts/mark.tsx";
import { now } from "../../parts/now.ts";
import { tookShort } from "../../parts/text/times.ts";
import { visible, visibleLine } from "../../parts/text/visible-text.ts";
import { places as texts, words } from "../../strings.ts";
import "./places.css";

/** What runs where, within which limits, and how much of them is used. */
export function PlacesView() {
  const places = useResource((ending) => ask("GET /api/places", { signal: ending }), []);
  const found = places.value.value;
  return (
    <>
      <header class="head">
        <h2 class="grow">{texts.title}</h2>
        <button type="button" class="button small" onClick={places.reload}>
          {texts.again}
        </button>
      </header>
      <div class="body">
        <FaultNotice fault={places.fault.value} onRetry={places.reload} />
        {found === undefined ? (
          places.loading.value && <p class="soft">{words.loading}</p>
        ) : (
          <Found places={found} />
        )}
      </div>
    </>
  );
}

function Found({ places: { commands, sandboxes, nodes } }: { places: Places }) {
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
              <p class="text">{visible(text)}</p>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>{texts.sandboxes}</h2>
        {sandboxes.length === 0 && <p class="soft">{texts.noSandboxes}</p>}
        <ul class="cards">
          {sandboxes.map(({ id, backend, scope, sessions, state, limits, use, network }) => (
            <li key={id} class="card">
              <h3 class="mono">{visibleLine(id)}</h3>
              <p class="card-line">
                <Mark word={state === "running" ? "ok" : "quiet"} text={visibleLine(state)} bare />
                <span class="soft">{visibleLine([backend, scope ?? ""].filter(Boolean).join(", "))}</span>
              </p>
              <dl class="facts small">
                {Object.entries(limits).map(([name, limit]) => (
                  <div key={name}>
                    <dt>{visibleLine(name)}</dt>
                    <dd>{visibleLine(use?.[name] === undefined ? limit : texts.useOf(use[name], limit))}</dd>
                  </div>
                ))}
                {network !== undefined && (
                  <div>
                    <dt>{texts.network}</dt>
                    <dd>{visibleLine(network)}</dd>
                  </div>
                )}
                <div>
                  <dt>{texts.sessions}</dt>
                  <dd>{visibleLine(sessions.join(", "))}</dd>
                </div>
              </dl>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>{texts.nodes}</h2>
        {nodes.length === 0 && <p class="soft">{texts.noNodes}</p>}
        <ul class="cards">
          {nodes.map(({ id, name, state, commands: offered, lastSeenAt }) => (
            <li key={id} class="card">
              <h3>{visibleLine(name)}</h3>
              <p class="card-line">
                <Mark word={state.endsWith(", there") ? "ok" : "quiet"} text={visibleLine(state)} bare />
                {lastSeenAt !== undefined && (
                  <span class="soft small">{texts.seen(tookShort(Math.max(0, now.value - lastSeenAt)))}</span>
                )}
              </p>
              <p class="mono small">{visibleLine(offered.join(", "))}</p>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
