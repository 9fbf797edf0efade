import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/parts.css";
import "../styles/lists.css";
import "../styles/details.css";
import "../styles/frame.css";
import type { InspectorInfo } from "../../src/wire/api.ts";
import { bindGoKeys } from "../app/go-keys.ts";
import { NoticeLine } from "../app/notice-line.tsx";
import { goTo, linkTo } from "../app/routes.ts";
import { connection } from "../client/event-stream.ts";
import { setAnswerer } from "../client/request.ts";
import { about, generation, notice } from "../data/about.ts";
import { now } from "../parts/now.ts";
import { escapeInvisibleLine } from "../parts/text/escape-invisible.ts";
import { formatMoment } from "../parts/text/format-values.ts";
import { exported as texts, words } from "../strings/frame.ts";
import { TimelineView } from "../views/timeline/timeline-view.tsx";
import { ExportedData } from "./exported-data.ts";

const element = document.querySelector<HTMLElement>("#haft-data")!;
const data = new ExportedData(element.textContent);
const madeAt = Number(element.dataset["madeAt"]);

setAnswerer(async (address) => {
  const { pathname, search } = new URL(address, "http://exported");
  const found = data.answer(pathname.replace("/api/", ""), new URLSearchParams(search));
  const status = found === undefined ? 404 : 200;
  const error = { code: "NOT_EXPORTED", category: "input", message: texts.notHere };
  return Response.json(found ?? { error }, { status });
});
about.value = { role: "look", mode: "exported", now: madeAt } as InspectorInfo;
now.value = madeAt;
connection.value = "live";
generation.value = 1;
if (data.cut > 0) notice.value = { level: "warning", message: texts.cut(data.cut) };
const [first] = data.runs;
if (first !== undefined) {
  document.title = `${escapeInvisibleLine(first.sessionKey)} · ${words.product}`;
  if (location.hash === "") goTo(linkTo("timeline", [first.runId]), { replace: true });
}
render(<ExportedApp />, document.querySelector("#page")!);

function ExportedApp() {
  const main = useRef<HTMLElement>(null);
  useEffect(() => bindGoKeys(["timeline"]), []);
  return (
    <div class="frame exported">
      <header class="head">
        <h1>{words.product}</h1>
        <span class="soft small">{texts.made(formatMoment(now.value))}</span>
      </header>
      <main id="main" ref={main} tabIndex={-1} class="view view-timeline" aria-label={words.views.timeline}>
        <NoticeLine />
        <TimelineView />
      </main>
    </div>
  );
}
