import { useSignal } from "@preact/signals";
import type { CallDetail, ResultBlock } from "../../../src/wire/api.ts";
import { callApi, send } from "../../client/request.ts";
import { isExported } from "../../data/about.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { lazyComponent } from "../../parts/lazy.tsx";
import { Picture } from "../../parts/picture/picture.tsx";
import { escapeInvisible } from "../../parts/text/escape-invisible.ts";
import { formatBytes } from "../../parts/text/format-values.ts";
import { timeline } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";

const DiffText = lazyComponent(async () => (await import("../../parts/diff/diff-text.tsx")).DiffText);

export function CallResult({ call }: { call: CallDetail }) {
  const { result } = call;
  if (result === undefined) {
    const isOpen = call.stand === "running" || call.stand === "waiting";
    return <p class="soft">{isOpen ? timeline.noResultYet : timeline.noResult}</p>;
  }
  return (
    <div class="blocks">
      {result.kept === "head" && result.isTextWhole !== true && (
        <p class="soft small">{timeline.headOnly(formatBytes(result.bytes))}</p>
      )}
      {result.blocks.map((block, index) => (
        <Block key={index} call={call} block={block} index={index} />
      ))}
    </div>
  );
}

function Block({ call, block, index }: { call: CallDetail; block: ResultBlock; index: number }) {
  if (block.type === "image") {
    const address = `./api/runs/${encodeURIComponent(call.runId)}/calls/${encodeURIComponent(call.toolCallId)}/image?block=${index}`;
    return <RemoteImage address={address} label={timeline.image(block.mimeType, formatBytes(block.bytes))} />;
  }
  const isWhole = utf8Length(block.text) >= block.bytes;
  if (block.language === "diff" && isWhole) return <DiffText diff={block.text} />;
  return <PagedText call={call} first={block.text} total={block.bytes} index={index} />;
}

interface PagedTextProps {
  call: CallDetail;
  first: string;
  total: number;
  index: number;
}

function PagedText({ call, first, total, index }: PagedTextProps) {
  const page = useSignal({ text: first, from: 0, next: utf8Length(first) });
  const starts = useSignal<readonly number[]>([]);
  const failed = useSignal(false);
  const { text, from, next } = page.value;
  const show = async (at: number, before: readonly number[]) => {
    try {
      const path = { run: call.runId, call: call.toolCallId };
      const found = await callApi("GET /api/runs/:run/calls/:call/text", {
        path,
        query: { block: index, from: at },
      });
      page.value = { text: found.text, from: found.from, next: found.next };
      starts.value = before;
      failed.value = false;
    } catch {
      failed.value = true;
    }
  };
  return (
    <>
      <pre class="block result-text">{escapeInvisible(text)}</pre>
      <CopyButton text={text} label={timeline.copyText} />
      {total > next - from && isExported.value && (
        <p class="soft small">{timeline.headOnly(formatBytes(total))}</p>
      )}
      {total > next - from && !isExported.value && (
        <p class="pager">
          <Button
            look="small"
            text={timeline.output.earlier}
            disabled={from === 0}
            onClick={() => void show(starts.value.at(-1) ?? 0, starts.value.slice(0, -1))}
          />
          <span class="soft small number">
            {timeline.output.shown(formatBytes(from), formatBytes(next), formatBytes(total))}
          </span>
          <Button
            look="small"
            text={timeline.output.later}
            disabled={next >= total}
            onClick={() => void show(next, [...starts.value, from])}
          />
          {failed.value && <span role="alert">{words.unreachable}</span>}
        </p>
      )}
    </>
  );
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The image needs the token. */
function RemoteImage({ address, label }: { address: string; label: string }) {
  const load = async (signal: AbortSignal) => (await send(address, { signal })).blob();
  return <Picture key={address} load={load} label={label} />;
}
