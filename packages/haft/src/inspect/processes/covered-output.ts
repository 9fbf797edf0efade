import type { ProcessOutputPage } from "@haft/inspector";
import { coveredPage } from "../calls/covered-page.ts";
import { textOfSameLength } from "../calls/cut-bytes.ts";

interface Stretch {
  from: number;
  max: number;
  wait: number;
}

/** The same page with secrets covered, as one chunk of whole lines: what a command asks without an end of its line comes with it. */
export async function coveredOutput(
  read: (stretch: Stretch) => Promise<ProcessOutputPage | undefined>,
  stretch: Stretch,
): Promise<ProcessOutputPage | undefined> {
  let last: ProcessOutputPage | undefined;
  const page = await coveredPage(async (part) => {
    last = await read(part);
    if (last === undefined) return undefined;
    const { chunks, next, total, dropped, state } = last;
    const bytes = Buffer.concat(chunks.map(({ base64 }) => Buffer.from(base64, "base64")));
    const [text, from] = [textOfSameLength(bytes), next - bytes.length];
    return { text, from, next, total, dropped, open: state === "running", source: "process" };
  }, stretch);
  if (page === undefined || last === undefined) return undefined;
  const { text, from, next, total, dropped } = page;
  const base64 = Buffer.from(text).toString("base64");
  const chunks = text === "" ? [] : [{ stream: "stdout" as const, offset: from, base64 }];
  return { chunks, next, dropped, total, state: last.state };
}
