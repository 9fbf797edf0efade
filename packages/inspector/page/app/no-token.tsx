import type { Fault } from "../../src/wire/api.ts";
import { draftCount, draftedFiles } from "../data/drafts.ts";
import { Empty } from "../parts/empty.tsx";
import { visibleLine } from "../parts/text/visible-text.ts";
import { words } from "../strings/frame.ts";

/** Instead of the page, where the server does not let it in. */
export function NoToken({ fault }: { fault: Fault | undefined }) {
  return (
    <main class="no-token">
      <Empty icon="eye" title={fault?.message ?? words.noToken}>
        <p>{fault?.fix ?? words.noTokenFix}</p>
        {draftCount.value > 0 && <p class="text">{visibleLine(words.draftsKept(draftedFiles.value))}</p>}
      </Empty>
    </main>
  );
}
