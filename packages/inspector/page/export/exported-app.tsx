import { useEffect, useRef } from "preact/hooks";
import { holdGoKeys } from "../app/go-keys.ts";
import { NoticeLine } from "../app/notice-line.tsx";
import { now } from "../parts/now.ts";
import { moment } from "../parts/text/times.ts";
import { exported as texts, words } from "../strings/frame.ts";
import { TimelineView } from "../views/timeline/timeline-view.tsx";

export function ExportedApp() {
  const main = useRef<HTMLElement>(null);
  useEffect(() => holdGoKeys(["timeline"]), []);
  return (
    <div class="frame exported">
      <header class="head">
        <h1>{words.product}</h1>
        <span class="soft small">{texts.made(moment(now.value))}</span>
      </header>
      <main id="main" ref={main} tabIndex={-1} class="view view-timeline" aria-label={words.views.timeline}>
        <NoticeLine />
        <TimelineView />
      </main>
    </div>
  );
}
