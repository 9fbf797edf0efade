import { textOf, type ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What somebody in the sandbox could reach, and whether it was there to be reached at all. */
export interface SandboxVisit {
  /** What opened it. */
  backend: string;
  /** A file of the host, by its path there. */
  file: Attempt;
  /** A server of the host, on an address every process of the host can reach. */
  network: Attempt;
  /** A command on the host, by asking for it. */
  host: Attempt;
}

interface Attempt {
  /** The same attempt succeeds on the host: otherwise it would prove nothing. */
  possible: boolean;
  kept: boolean;
  /** What the sandbox answered. */
  answer: string;
}

/** Tries to get out of the sandbox of a session, in three plain ways, and watches from outside. */
export async function visitSandbox(
  session: Session,
  backend: string,
  file: string,
  secret: string,
): Promise<SandboxVisit> {
  const word = "nobody in the sandbox reads this";
  let visitors = 0;
  const server = createServer((_request, response) => {
    visitors += 1;
    response.end(word);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const run = async (args: Record<string, unknown>) => session.call({ name: "exec", arguments: args });
  try {
    const read = await run({ command: `cat '${file}'` });
    const fetched = await run({
      command: `node -e 'fetch("${url}").then((r) => r.text(), (e) => e.cause.message).then(console.log)'`,
    });
    const before = visitors;
    const outside = await run({ command: "true", host: "gateway" });
    const reached = await (await fetch(url)).text();
    return {
      backend,
      file: {
        possible: (await readFile(file, "utf8")).includes(secret),
        kept: !succeeded(read) && !said(read).includes(secret),
        answer: lastLine(read),
      },
      network: {
        possible: reached === word,
        kept: before === 0 && !said(fetched).includes(word),
        answer: lastLine(fetched),
      },
      host: {
        possible: true,
        kept: outside.kind !== "ok" && outside.receipt === "none",
        answer: "code" in outside ? outside.code : outside.kind,
      },
    };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function succeeded(outcome: ToolOutcome): boolean {
  return outcome.kind === "ok" && (outcome.details as { exitCode?: unknown }).exitCode === 0;
}

function said(outcome: ToolOutcome): string {
  return "content" in outcome ? textOf(outcome.content) : "";
}

/** Without what the tool adds. */
function lastLine(outcome: ToolOutcome): string {
  return (
    said(outcome)
      .split("\n")
      .filter((line) => line.trim() !== "" && !/^[([]/.test(line))
      .at(-1) ?? outcome.kind
  );
}
