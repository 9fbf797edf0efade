import { effect, signal } from "@preact/signals";
import { render } from "preact";
import type { ApiError } from "../src/wire/api.ts";
import { App } from "./app/app.tsx";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/lists.css";
import "./styles/details.css";
import "./styles/frame.css";
import "./styles/navigation.css";
import { route } from "./app/routes.ts";
import { followEvents } from "./client/event-stream.ts";
import { tokenRefused } from "./client/request.ts";
import { hasNewToken, getToken } from "./client/token.ts";
import { watchAbout } from "./data/about.ts";
import { waitingCount, watchApprovals } from "./data/approvals.ts";
import { draftCount, draftedFiles, reloadWithDrafts, watchDrafts } from "./data/drafts.ts";
import { watchProgress } from "./data/progress.ts";
import { watchRuns } from "./data/runs.ts";
import { Empty } from "./parts/empty.tsx";
import { escapeInvisibleLine } from "./parts/text/escape-invisible.ts";
import { words } from "./strings/frame.ts";

const refused = signal<{ fault?: ApiError } | undefined>(getToken() === undefined ? {} : undefined);
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
// A new token reloads the page.
addEventListener("hashchange", () => {
  if (hasNewToken()) reloadWithDrafts();
});

function NoToken({ fault }: { fault: ApiError | undefined }) {
  return (
    <main class="no-token">
      <Empty icon="eye" title={fault?.message ?? words.noToken}>
        <p>{fault?.fix ?? words.noTokenFix}</p>
        {draftCount.value > 0 && (
          <p class="text">{escapeInvisibleLine(words.draftsKept(draftedFiles.value))}</p>
        )}
      </Empty>
    </main>
  );
}

function keepTitle(): () => void {
  return effect(() => {
    const waiting = waitingCount.value;
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${words.views[route.value.view]} · ${words.product}`;
  });
}
