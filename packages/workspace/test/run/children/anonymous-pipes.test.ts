import { attempt } from "@haft/system";
import { closeSync, readdirSync, readlinkSync, readSync, writeSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { AnonymousPipes } from "../../../src/run/children/anonymous-pipes.ts";

const linkOf = (fd: number): string | undefined => attempt(() => readlinkSync(`/proc/self/fd/${fd}`));
const openPipes = (): Set<string> =>
  new Set(
    readdirSync("/proc/self/fd").flatMap((fd) => {
      const link = linkOf(Number(fd));
      return link?.startsWith("pipe:") === true ? [link] : [];
    }),
  );

describe.skipIf(process.platform !== "linux")("anonymous pipes", () => {
  test("are distinct and empty for concurrent callers; unused pipes are closed", async () => {
    const before = openPipes();
    const pipes = new AnonymousPipes();
    onTestFinished(() => pipes.close());
    const taken = await Promise.all(Array.from({ length: 10 }, () => pipes.take()));
    const links = taken.map((pipe) => linkOf(pipe!.reader));
    expect(new Set(links).size).toBe(10);
    const bytes = Buffer.alloc(10);
    for (const [at, { reader, writer }] of taken.map((pipe) => pipe!).entries()) {
      expect(linkOf(writer)).toBe(links[at]);
      expect(before).not.toContain(links[at]);
      writeSync(writer, `${at}`);
      expect(readSync(reader, bytes)).toBe(1);
      expect(bytes.toString("latin1", 0, 1)).toBe(`${at}`);
      closeSync(writer);
      expect(readSync(reader, bytes)).toBe(0);
      closeSync(reader);
    }
    expect([...openPipes()].some((link) => !before.has(link))).toBe(true);
    pipes.close();
    for (const link of openPipes()) expect(before).toContain(link);
  });
});
