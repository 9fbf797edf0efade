import { claimRole, openBus } from "@haft/host/internal/nodes";
import { formatTable } from "@haft/policy";
import { escapeInvisible } from "@haft/utils";
import { createInterface } from "node:readline/promises";
import { askYesNo, findTerminal } from "../approvals/find-terminal.ts";
import { runInterruptible } from "../call/signal-listener.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { UsageError } from "../usage.ts";
import { print } from "../write-out.ts";
import { commandForPrograms, offerRows } from "./describe-node.ts";
import { findNamed } from "./find-named.ts";
import { type NodeValues, openNode, requireServer } from "./open-node.ts";
import { FIND_MS, type NodesValues, withNodes } from "./open-nodes.ts";

/** Milliseconds for the other side and the comparison. */
const WAIT_MS = 5 * 60_000;
const NOT_PAIRED =
  "Not paired. If the codes differed, a third party may have intercepted the pairing: start again on another network.";

type PairValues = { json?: boolean; "read-code"?: boolean };

export async function pairNodeCommand(
  values: NodesValues & PairValues,
  [word = ""]: readonly string[],
): Promise<number> {
  const { json } = values;
  const agrees = whoAgrees("haft nodes pair", values["read-code"]);
  return runInterruptible(json, (leaving) =>
    withNodes(values, true, async ({ nodes, transport }) => {
      // A full id needs no discovery.
      const id = /^U[A-Z2-7]{55}$/.test(word)
        ? word
        : findNamed(word, await transport.discover(FIND_MS), "node").id;
      const offer = await nodes.pair(id);
      const { node, declaration, code } = offer;
      const { name } = node;
      const { commands, workspaces } = declaration;
      print(
        json,
        { code, node: { id, name, commands: commands.map(commandForPrograms), workspaces } },
        () => {
          const lines = [`${name} (${id}) offers:`, ...formatTable(offerRows(declaration))];
          return `${lines.map(escapeInvisible).join("\n")}\n\n  ${code}`;
        },
      );
      const isAgreed = await agrees(code, AbortSignal.any([leaving, AbortSignal.timeout(WAIT_MS)]));
      leaving.throwIfAborted();
      if (isAgreed) offer.accept();
      print(json, { paired: isAgreed, node: { id, name } }, () =>
        isAgreed
          ? `Paired, if the node agreed as well. No command is approved yet: haft nodes approve ${id.slice(0, 12)}`
          : NOT_PAIRED,
      );
      return isAgreed ? 0 : 1;
    }),
  );
}

export async function acceptHost(values: NodeValues & PairValues): Promise<number> {
  const { json } = values;
  const agrees = whoAgrees("haft nodes accept", values["read-code"]);
  return runInterruptible(json, async (leaving) => {
    const signal = AbortSignal.any([leaving, AbortSignal.timeout(WAIT_MS)]);
    const opened = await openNode(values);
    const { node, identity, folders } = opened;
    let release: (() => void) | undefined;
    try {
      const server = requireServer(opened);
      release = claimRole(folders.node, "pairing");
      const { openKnownHosts, pairNode: pair } = await import("@haft/nodes");
      const bus = await openBus(server, identity, stderrLogger);
      try {
        console.error(
          `haft: ${escapeInvisible(node.name)} (${node.id}) waits for a host. On the host, run: haft nodes pair ${node.id}`,
        );
        const request = await pair(node, { bus, identity, hosts: openKnownHosts(folders.hosts) }, signal);
        const { hostId: id, hostName: name, code } = request;
        const host = { id, name };
        print(
          json,
          { code, host },
          () => `The host ${escapeInvisible(name)} (${id}) requests a pairing.\n\n  ${code}`,
        );
        const isAgreed = await agrees(code, signal);
        if (isAgreed) request.accept();
        else request.refuse();
        print(json, { paired: isAgreed, host }, () =>
          isAgreed
            ? `Paired: this node accepts calls of ${escapeInvisible(name)} while haft nodes start runs.`
            : NOT_PAIRED,
        );
        return isAgreed ? 0 : 1;
      } finally {
        await bus.close();
      }
    } finally {
      release?.();
      await opened.close();
    }
  });
}

type Agreement = (code: string, signal: AbortSignal) => Promise<boolean>;

/** @param readCode reads the other side's code from standard input */
function whoAgrees(command: string, readCode = false): Agreement {
  if (readCode) return async (code, signal) => digitsOf(await firstLine(signal)) === digitsOf(code);
  const terminal = findTerminal();
  if (terminal !== undefined)
    return (_code, signal) => askYesNo(terminal, "Does the other side show the same code?", signal);
  throw new UsageError(
    `${command} needs a terminal to compare the codes, and there is none. With --read-code, it reads the code of the other side from standard input.`,
  );
}

/** Accepts `1234 5678` and `1234-5678`; empty text never matches. */
function digitsOf(text: string): string {
  return text.trim().replaceAll(/[ -]/g, "") || "none";
}

async function firstLine(signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  const close = () => lines.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    signal.removeEventListener("abort", close);
    lines.close();
    process.stdin.pause();
  }
}
