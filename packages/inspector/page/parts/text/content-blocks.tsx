import type { ContentBlock } from "@haft/core";
import { lazyComponent } from "../lazy.tsx";
import { Picture } from "../picture/picture.tsx";
import { escapeInvisible, escapeInvisibleLine } from "./escape-invisible.ts";

const DiffText = lazyComponent(async () => (await import("../diff/diff-text.tsx")).DiffText);

/** Shows images, and texts `plain` or with fenced code; markup has no effect. */
export function ContentBlocks({
  blocks,
  plain = false,
}: {
  blocks: readonly ContentBlock[];
  plain?: boolean;
}) {
  return (
    <div class="blocks">
      {blocks.map((block, index) =>
        block.type === "text" ? (
          plain ? (
            <pre key={index} class="block code">
              {escapeInvisible(block.text)}
            </pre>
          ) : (
            <FencedText key={index} text={block.text} />
          )
        ) : (
          <InlineImage key={index} {...block} />
        ),
      )}
    </div>
  );
}

function FencedText({ text }: { text: string }) {
  return (
    <>
      {partsOf(text).map(({ isCode, language, body }, index) =>
        isCode ? (
          language === "diff" ? (
            <DiffText key={index} diff={body} />
          ) : (
            <pre key={index} class="block code">
              {escapeInvisible(body)}
            </pre>
          )
        ) : (
          <div key={index} class="prose text">
            {escapeInvisible(body)}
          </div>
        ),
      )}
    </>
  );
}

interface TextPart {
  isCode: boolean;
  language: string;
  body: string;
}

/** At least as many backticks, or the text's end. */
function partsOf(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let [lines, fence, language]: [string[], number, string] = [[], 0, ""];
  const close = () => {
    const body = lines.join("\n");
    if (fence > 0 || body.trim() !== "") parts.push({ isCode: fence > 0, language, body });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const [, ticks, name] = /^\s*(`{3,})([\w+-]*)\s*$/.exec(line) ?? [];
    if (ticks !== undefined && fence === 0) {
      close();
      [fence, language] = [ticks.length, name!];
    } else if (ticks !== undefined && name === "" && ticks.length >= fence) {
      close();
      [fence, language] = [0, ""];
    } else lines.push(line);
  }
  close();
  return parts;
}

function InlineImage({ data, mimeType }: { data: string; mimeType: string }) {
  const load = async () =>
    new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], { type: mimeType });
  return <Picture load={load} label={escapeInvisibleLine(mimeType)} />;
}
