import { useSignal } from "@preact/signals";
import { connection } from "../client/event-stream.ts";
import { about, mayAct } from "../data/about.ts";
import { waitingCount } from "../data/approvals.ts";
import { draftCount } from "../data/drafts.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { words } from "../strings/frame.ts";
import { GO_KEYS } from "./go-keys.ts";
import { linkTo, route, type RouteView, VIEWS } from "./routes.ts";
import { chosenTheme, nextTheme } from "./theme.ts";

const ON_PHONES: readonly RouteView[] = ["timeline", "approvals", "policy", "processes"];

export function Navigation({ onKeys }: { onKeys: () => void }) {
  const open = useSignal(false);
  return (
    <nav class={`nav${open.value ? " open" : ""}`} aria-label={words.navigation}>
      <a class="brand" href={linkTo("timeline")}>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" />
          <path d="M9 7v18M23 7v18M9 16h14" />
        </svg>
        <span>{words.product}</span>
      </a>
      <ul class="nav-views">
        {VIEWS.map((view) => (
          <li key={view} class={ON_PHONES.includes(view) ? "" : "nav-rest"}>
            <ViewLink view={view} onFollow={() => (open.value = false)} />
          </li>
        ))}
        <li class="nav-more">
          <button type="button" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
            <Icon name="more" />
            <span>{words.more}</span>
          </button>
        </li>
      </ul>
      <div class="nav-foot">
        <ConnectionLine />
        <div class="nav-tools">
          <Button
            look="plain small"
            icon={({ auto: "auto", light: "sun", dark: "moon" } as const)[chosenTheme.value]}
            onClick={nextTheme}
            title={`${words.theme[chosenTheme.value]} (T)`}
            aria-label={words.theme[chosenTheme.value]}
          />
          <Button
            look="plain small"
            icon="keys"
            onClick={onKeys}
            title={`${words.keys} (?)`}
            aria-label={words.keys}
          />
          <span class="role soft small" title={mayAct.value ? undefined : words.roleLook}>
            {about.value === undefined ? "" : words.role[about.value.role]}
          </span>
        </div>
      </div>
    </nav>
  );
}

function ViewLink({ view, onFollow }: { view: RouteView; onFollow: () => void }) {
  const isHere = route.value.view === view;
  const waiting = view === "approvals" ? waitingCount.value : 0;
  const unsaved = view === "policy" ? draftCount.value : 0;
  return (
    <a
      href={linkTo(view)}
      aria-current={isHere ? "page" : undefined}
      title={`${words.views[view]} (g ${GO_KEYS[view]})`}
      onClick={onFollow}
    >
      <Icon name={view} />
      <span>{words.views[view]}</span>
      {waiting > 0 && <b class="count">{waiting}</b>}
      {unsaved > 0 && (
        <b class="count" title={words.drafts(unsaved)}>
          <span aria-hidden="true">●</span>
          <span class="unseen">{words.drafts(unsaved)}</span>
        </b>
      )}
    </a>
  );
}

function ConnectionLine() {
  const state = connection.value;
  const text =
    state === "live" && about.value?.mode === "kept" ? words.connectionKept : words.connection[state];
  return (
    <p class={`connection ${state}`}>
      <i aria-hidden="true" />
      <span>{text}</span>
    </p>
  );
}
