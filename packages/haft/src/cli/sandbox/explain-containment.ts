import { createHost } from "@haft/host";
import type { SessionContainment } from "@haft/host/internal/contained";
import { formatTable } from "@haft/policy";
import type { ContainmentPlan } from "@haft/sandbox/view";
import { escapeInvisible } from "@haft/utils";
import { statSync } from "node:fs";
import { readSessionValues, type SessionValues } from "../session-arguments.ts";
import { describeReach } from "./describe-reach.ts";

type Containment = SessionContainment & { kind: string; places?: ContainmentPlan };

/** Exit code 1: not contained. */
export async function explainContainment(values: SessionValues & { json?: boolean }): Promise<number> {
  const { host: options, session } = await readSessionValues(values);
  const host = await createHost(options);
  try {
    const containment = await host.containment(session);
    const plan = containment.contained ? await host.containmentPlan(session) : undefined;
    const kind = session.kind ?? "main";
    const all: Containment = { kind, ...containment, ...(plan && { places: plan }) };
    console.log(values.json ? JSON.stringify(all) : format(all));
    return containment.contained ? 0 : 1;
  } finally {
    await host.close();
  }
}

function format({ kind, wanted, contained, reason, fix, places: plan }: Containment): string {
  const rows: [string, string | undefined][] = [
    ["because", contained ? undefined : reason],
    [wanted === undefined ? "to change" : "to have it", contained ? undefined : fix],
    ["wanted by", wanted?.source],
    ...(plan === undefined ? [] : rowsOf(plan)),
    [
      "leaving",
      contained
        ? 'a call with "outside": true and a "reason"; a person decides, also about hosts outside its network and about its ports'
        : undefined,
    ],
  ];
  const title = contained
    ? `Commands of a ${kind} session here would be contained: ${wanted!.mode === "read-only" ? "they can write to caches of Haft" : "they can write to its folders and to the caches and repositories below"}, and nowhere else on the host.`
    : `Commands of a ${kind} session here would not be contained.`;
  return [escapeInvisible(title), tableOf(rows)].filter(Boolean).join("\n\n");
}

function rowsOf(plan: ContainmentPlan): [string, string | undefined][] {
  const { git, notHeld, unlooked } = plan;
  return [
    ["written", listOf(plan.writable) ?? "nothing of the session's folders"],
    ...plan.rights.map((sentence): [string, string] => ["rights", sentence]),
    ["caches", listOf(plan.caches)],
    [
      "Haft's caches",
      `${quote(plan.ownCaches)}, for package managers of contained sessions of this workspace`,
    ],
    ["private", `${plan.private.join(", ")}; empty at first, deleted with the session`],
    ["stays as it is", listOf(plan.held)],
    ["protected if created", listOf(plan.heldOnceThere)],
    ["cannot be moved", listOf(plan.pinned)],
    ["hidden", listOf(plan.hidden)],
    ["as tracked by git", listOf(plan.shownAsTracked)],
    ["sockets masked", listOf(plan.sockets.filter((path) => !isFifo(path)))],
    ["FIFOs masked", listOf(plan.sockets.filter(isFifo))],
    ["git", git.program === undefined ? "none was found" : git.program],
    [
      "its settings",
      git.repositories.length === 0
        ? undefined
        : `changed in a copy; harmless keys are copied back: ${listOf(git.repositories)}`,
    ],
    ["written for git", listOf(git.outside)],
    ...git.notices.map((notice): [string, string] => ["about git", notice]),
    ["network", describeReach(plan.network)],
    ...notHeld.map(({ path, why }): [string, string] => ["not protected", `${quote(path)}: ${why}`]),
    [
      "made by commands",
      "settings that start programs, and repositories: Haft looks for them after each command and holds them back",
    ],
    ...unlooked.map((path): [string, string] => [
      "not protected",
      `secrets deep in ${quote(path)}, because it contains too many files to search`,
    ]),
  ];
}

function isFifo(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
}

function listOf(paths: readonly string[]): string | undefined {
  return paths.length === 0 ? undefined : paths.map(quote).join(", ");
}

/** Paths may contain commas and line breaks. */
function quote(path: string): string {
  return /^[^\s,"'\p{C}]+$/u.test(path) ? path : JSON.stringify(path);
}

function tableOf(rows: readonly [string, string | undefined][]): string {
  const lines = rows.flatMap(([name, text]) =>
    text === undefined ? [] : [[`  ${name}`, escapeInvisible(text)]],
  );
  return formatTable(lines).join("\n");
}
