import type { FileChange } from "../../../src/wire/api.ts";
import { timeline } from "../../strings/calls.ts";
import { escapeInvisible, escapeInvisibleLine } from "../text/escape-invisible.ts";
import { DiffText } from "./diff-text.tsx";

export function FileDiffs({ files }: { files: readonly FileChange[] }) {
  return (
    <div class="file-diffs">
      {files.map(({ path, kind, diff, isCut, asAsked }) => (
        <section key={path} class="file-diff">
          <h4>
            {kind !== undefined && <span class={`file-kind ${kind}`}>{kind}</span>}
            <code title={escapeInvisible(path)}>{escapeInvisibleLine(path)}</code>
            {asAsked && <span class="soft small">{timeline.asAsked}</span>}
            {diff !== undefined && <Counts diff={diff} />}
          </h4>
          {diff !== undefined && diff !== "" && <DiffText diff={diff} />}
          {isCut && <p class="soft small">{timeline.diffCut}</p>}
        </section>
      ))}
    </div>
  );
}

function Counts({ diff }: { diff: string }) {
  const lines = diff.split("\n");
  const [added, removed] = ["+", "-"].map(
    (sign) => lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length,
  );
  return (
    <span class="diff-counts number">
      <b class="plus">+{added}</b> <b class="minus">−{removed}</b>
    </span>
  );
}
