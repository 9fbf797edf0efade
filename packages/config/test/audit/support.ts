import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type AuditItem, type AuditReadOptions, readAuditLog } from "../../src/audit/read-audit-log.ts";

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "haft-audit-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Ids of what is in a log, and what is wrong with it. */
export async function idsIn(
  file: string,
  reading: AuditReadOptions = {},
): Promise<{ ids: string[]; problems: string[] }> {
  const ids: string[] = [];
  const problems: string[] = [];
  for await (const item of readAuditLog(file, reading))
    if ("entry" in item) ids.push(item.entry.toolCallId);
    else problems.push(item.problem);
  return { ids, problems };
}

/** Follows a log from here on. */
export function follow(file: string, reading: AuditReadOptions = {}) {
  const stopping = new AbortController();
  const items: AuditItem[] = [];
  const ended = (async () => {
    for await (const item of readAuditLog(file, {
      follow: true,
      pollMs: 5,
      signal: stopping.signal,
      ...reading,
    }))
      items.push(item);
  })();
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  onTestFinished(stop);
  return {
    ids: () => items.flatMap((item) => ("entry" in item ? [item.entry.toolCallId] : [])),
    items,
    stop,
  };
}

const SOURCES = join(import.meta.dirname, "../../src/audit");

/** A process that appends lines `NAME-0`, `NAME-1` … and says each when it is written. */
export function writer(
  name: string,
  options: { file: string; bytes: number; files: number },
  lines: number,
  padding = 0,
) {
  const program = `
    const { AuditLog } = await import(${JSON.stringify(join(SOURCES, "audit-log.ts"))});
    const { line } = await import(${JSON.stringify(join(import.meta.dirname, "lines.ts"))});
    const log = new AuditLog(${JSON.stringify(options)});
    for (let index = 0; index < ${lines}; index++) {
      await log.append(line(${JSON.stringify(name)} + "-" + index, ${padding}));
      process.stdout.write(index + "\\n");
      if (index % 10 === 9) await new Promise((resolve) => setImmediate(resolve));
    }`;
  const child = spawn(
    process.execPath,
    ["--conditions=@haft/source", "--no-warnings", "--input-type=module", "-e", program],
    {
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  return {
    child,
    /** How many it said it has written. */
    written: () => printed.split("\n").length - 1,
    ended: once(child, "close").then(([code]) => code as number | null),
  };
}
