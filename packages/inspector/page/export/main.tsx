import { render } from "preact";
import type { About } from "../../src/wire/api.ts";
import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/parts.css";
import "../styles/lists.css";
import "../styles/details.css";
import "../styles/frame.css";
import { goTo, linkTo } from "../app/routes.ts";
import { connection } from "../client/event-stream.ts";
import { answerFrom } from "../client/request.ts";
import { about, generation, notice } from "../data/about.ts";
import { now } from "../parts/now.ts";
import { visibleLine } from "../parts/text/visible-text.ts";
import { exported as texts, words } from "../strings/frame.ts";
import { ExportedApp } from "./exported-app.tsx";
import { ExportedData } from "./exported-data.ts";

const element = document.querySelector<HTMLElement>("#haft-data")!;
const data = new ExportedData(element.textContent);
const madeAt = Number(element.dataset["madeAt"]);

answerFrom(async (address) => {
  const { pathname, search } = new URL(address, "http://exported");
  const found = data.answer(pathname.replace("/api/", ""), new URLSearchParams(search));
  const status = found === undefined ? 404 : 200;
  const error = { code: "NOT_EXPORTED", category: "input", message: texts.notHere };
  return Response.json(found ?? { error }, { status });
});
about.value = { role: "look", mode: "exported", now: madeAt } as About;
now.value = madeAt;
connection.value = "live";
generation.value = 1;
if (data.cut > 0) notice.value = { level: "warning", message: texts.cut(data.cut) };
const [first] = data.runs;
if (first !== undefined) {
  document.title = `${visibleLine(first.sessionKey)} · ${words.product}`;
  if (location.hash === "") goTo(linkTo("timeline", [first.runId]), { replace: true });
}
render(<ExportedApp />, document.querySelector("#page")!);
