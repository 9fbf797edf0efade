import { createHost } from "@haft/host";
import type { SessionContainment } from "@haft/host/internal/contained";
import { formatTable } from "@haft/policy";
import type { ContainmentPlan } from "@haft/sandbox/view";
import { escapeInvisible } from "@haft/utils";
import { statSync } from "node:fs";
import { readSessionValues, type SessionValues } from "../session-arguments.ts";
import { describeReach } from "./describe-reach.ts";

type Containment = SessionContainment & { kind: string; places?: ContainmentPlan };

/** `haft sandbox explain --contained`: exit code 1 when commands of such a session would not be contained. */
export async function explainContainment(values: SessionValues & { json?: boolean }): Promise<number> {
  const { host: options, session } = await readSessionValues(values);
  const host = await createHost(options);
  try {
    const containment = await host.containment(session);
    const places = containment.contained ? await host.containmentPlan(session) : undefined;
    const kind = session.kind ?? "main";
    const all: Containment = { kind, ...containment, ...(places && { places }) };
    console.log(values.json ? JSON.stringify(all) : format(all));
    return containment.contained ? 0 : 1;
  } finally {
    await host.close();
  }
}

function format({ kind, wanted, contained, reason, fix, places }: Containment): string {
  const rows: [string, string | undefined][] = [
    ["because", contained ? undefined : reason],
    [wanted === undefined ? "to change" : "to have it", contained ? undefined : fix],
    ["wanted by", wanted?.source],
    ...(places === undefined ? [] : rowsOf(places)),
    [
      "leaving",
      contained
        ? 'a call with "outside": true and a "reason"; a person decides, and so about hosts beyond its network and ports of it'
        : undefined,
    ],
  ];
  const title = contained
    ? `Commands of a ${kind} session here would be contained: ${wanted!.mode === "read-only" ? "they write in caches of Haft's own" : "they write in its folders and in the caches and repositories named below"}, and nowhere else of the host.`
    : `Commands of a ${kind} session here would not be contained.`;
  return [escapeInvisible(title), tableOf(rows)].filter(Boolean).join("\n\n");
}

function rowsOf(places: ContainmentPlan): [string, string | undefined][] {
  const { git, notHeld, unlooked } = places;
  return [
    ["written", listOf(places.writable) ?? "nothing of the session's folders"],
    ...places.rights.map((sentence): [string, string] => ["rights", sentence]),
    ["caches", listOf(places.caches)],
    [
      "own caches",
      `${quote(places.ownCaches)}, for package managers of contained sessions of this workspace`,
    ],
    ["private", `${places.private.join(", ")}; empty at first, gone with the session`],
    ["stays as it is", listOf(places.held)],
    ["once it is there", listOf(places.heldOnceThere)],
    ["is not moved", listOf(places.pinned)],
    ["not there", listOf(places.hidden)],
    ["as git has it", listOf(places.shownAsTracked)],
    ["sockets covered", listOf(places.sockets.filter((path) => !isFifo(path)))],
    ["FIFOs covered", listOf(places.sockets.filter(isFifo))],
    ["git", git.program === undefined ? "none was found" : git.program],
    [
      "its settings",
      git.repositories.length === 0
        ? undefined
        : `changed in a copy, of which harmless keys come back: ${listOf(git.repositories)}`,
    ],
    ["written for git", listOf(git.outside)],
    ...git.notices.map((notice): [string, string] => ["about git", notice]),
    ["network", describeReach(places.network)],
    ...notHeld.map(({ path, why }): [string, string] => ["not held", `${quote(path)}: ${why}`]),
    [
      "made by commands",
      "settings that start programs, and repositories: looked for after each command and held back",
    ],
    ...unlooked.map((path): [string, string] => [
      "not held",
      `secrets deep in ${quote(path)}, as there is too much in it to look for them everywhere`,
    ]),
  ];
}

function isFifo(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
}

function listOf(paths: readonly string[]): string | undefined {
  return paths.length === 0 ? undefined : paths.map(quote).join(", ");
}

/** Names may hold anything, commas and line breaks, too. */
function quote(path: string): string {
  return /^[^\s,"'\p{C}]+$/u.test(path) ? path : JSON.stringify(path);
}

function tableOf(rows: readonly [string, string | undefined][]): string {
  const lines = rows.flatMap(([name, text]) =>
    text === undefined ? [] : [[`  ${name}`, escapeInvisible(text)]],
  );
  return formatTable(lines).join("\n");
}
