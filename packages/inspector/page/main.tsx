import { signal } from "@preact/signals";
import { render } from "preact";
import type { Fault } from "../src/wire/api.ts";
import { App } from "./app/app.tsx";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/lists.css";
import "./styles/details.css";
import "./styles/frame.css";
import "./styles/navigation.css";
import { NoToken } from "./app/no-token.tsx";
import { keepTitle } from "./app/page-title.ts";
import { followEvents } from "./client/event-stream.ts";
import { tokenRefused } from "./client/request.ts";
// First: it takes the token out of the address before anything reads that.
import { hasNewToken, heldToken } from "./client/token.ts";
import { watchAbout } from "./data/about.ts";
import { watchApprovals } from "./data/approvals.ts";
import { reloadWithDrafts, watchDrafts } from "./data/drafts.ts";
import { watchProgress } from "./data/progress.ts";
import { watchRuns } from "./data/runs.ts";

const refused = signal<{ fault?: Fault } | undefined>(heldToken() === undefined ? {} : undefined);
tokenRefused.listener = (fault) => (refused.value = { fault });

function Page() {
  return refused.value === undefined ? <App /> : <NoToken fault={refused.value.fault} />;
}

watchDrafts();
render(<Page />, document.querySelector("#page")!);

if (refused.value === undefined) {
  watchAbout();
  watchRuns();
  watchApprovals();
  watchProgress();
  keepTitle();
  void followEvents(new AbortController().signal);
}
// Another address of the same page with a new token: it is opened anew.
addEventListener("hashchange", () => {
  if (hasNewToken()) reloadWithDrafts();
});
