import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { connection } from "../client/event-stream.ts";
import { newApprovalNotice } from "../data/approvals.ts";
import { Dialog } from "../parts/dialog.tsx";
import { lazyComponent } from "../parts/lazy.tsx";
import { useFocusRestore } from "../parts/use-focus-restore.ts";
import { words } from "../strings/frame.ts";
import { TimelineView } from "../views/timeline/timeline-view.tsx";
import { bindGoKeys } from "./go-keys.ts";
import { getActiveKeys } from "./key-map.ts";
import { Navigation } from "./navigation.tsx";
import { NoticeLine } from "./notice-line.tsx";
import { route, type RouteView, VIEWS } from "./routes.ts";

/** Only the first view is loaded at once. */
const SHOWN: Readonly<Record<RouteView, ComponentType>> = {
  timeline: TimelineView,
  approvals: lazyComponent(async () => (await import("../views/approvals/approvals-view.tsx")).ApprovalsView),
  policy: lazyComponent(async () => (await import("../views/policy/policy-view.tsx")).PolicyView),
  tools: lazyComponent(async () => (await import("../views/tools/tools-view.tsx")).ToolsView),
  processes: lazyComponent(async () => (await import("../views/processes/processes-view.tsx")).ProcessesView),
  places: lazyComponent(async () => (await import("../views/locations/locations-view.tsx")).LocationsView),
  ledger: lazyComponent(async () => (await import("../views/ledger/ledger-view.tsx")).LedgerView),
  owner: lazyComponent(async () => (await import("../views/owner/owner-view.tsx")).OwnerView),
};

export function App() {
  const keys = useSignal(false);
  const main = useRef<HTMLElement>(null);
  const { view } = route.value;
  useEffect(() => bindGoKeys(VIEWS, () => (keys.value = true)), []);
  useFocusRestore(view, () => main.current);
  const isCutOff = connection.value === "lost" || connection.value === "catching-up";
  const Shown = SHOWN[view];
  return (
    <div class="frame">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The fragment keeps the route.
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {words.skip}
      </a>
      <Navigation onKeys={() => (keys.value = true)} />
      <main id="main" ref={main} tabIndex={-1} class={`view view-${view}`} aria-label={words.views[view]}>
        <h1 class="unseen">{words.views[view]}</h1>
        <div role="status">
          {isCutOff && <p class="cut-off">{words.connection[connection.value]}</p>}
          <p class="unseen">{newApprovalNotice.value}</p>
        </div>
        <NoticeLine />
        <Shown key={view} />
      </main>
      {keys.value && <KeysDialog onClose={() => (keys.value = false)} />}
    </div>
  );
}

function KeysDialog({ onClose }: { onClose: () => void }) {
  const inLists = [
    { keys: "↑ ↓", label: words.keysMove },
    { keys: "Enter", label: words.keysOpen },
    { keys: "Esc", label: words.keysBack },
  ];
  // A key's first binding applies.
  const held = new Map(
    getActiveKeys()
      .filter(({ keys }) => keys !== "Escape")
      .toReversed()
      .map((binding) => [binding.keys, binding]),
  );
  return (
    <Dialog title={words.keysTitle} onClose={onClose}>
      <dl class="keys">
        {[...held.values(), ...inLists].map(({ keys, label }) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
