import { HaftError, getErrorMessage } from "@haft/core";
import { loadSandboxBackend } from "@haft/host/internal/sandbox";
import { formatTable } from "@haft/policy";
import type { SandboxBackend, SandboxRef } from "@haft/sandbox";
import type { SessionValues } from "../session-arguments.ts";
import { selectBackends } from "./doctor.ts";

type Values = SessionValues & { json?: boolean };

interface FoundSandboxes {
  found: { backend: SandboxBackend; ref: SandboxRef }[];
  /** Backends that are not installed. */
  unasked: { backend: string; reason: string }[];
}

export async function listSandboxes(values: Values): Promise<number> {
  const { json } = values;
  const { found, unasked } = await findSandboxes(values);
  const refs = found.map(({ ref }) => ref);
  if (json) {
    console.log(JSON.stringify({ sandboxes: refs, unasked }));
    return unasked.length === 0 ? 0 : 1;
  }
  if (refs.length === 0) {
    const known =
      unasked.length === 0 ? "There are no sandboxes." : "The backends that answered have no sandboxes.";
    console.log(known);
  } else {
    const rows = refs.map(({ backend, key, scope, state, detached, createdAt }) => [
      backend,
      key,
      scope,
      state,
      detached ? "detached" : "tethered",
      new Date(createdAt).toISOString(),
    ]);
    console.log(formatTable([["backend", "key", "scope", "state", "lifetime", "since"], ...rows]).join("\n"));
  }
  sayUnasked(unasked);
  return unasked.length === 0 ? 0 : 1;
}

function sayUnasked(unasked: FoundSandboxes["unasked"]): void {
  for (const { backend, reason } of unasked)
    console.error(`haft: ${backend} did not answer, and may have sandboxes: ${reason}`);
}

/** The open backends can destroy sandboxes. */
async function findSandboxes(values: Values): Promise<FoundSandboxes> {
  const all: FoundSandboxes = { found: [], unasked: [] };
  for (const name of selectBackends(values)) {
    const backend = await loadSandboxBackend(name);
    try {
      for (const ref of await backend.list()) all.found.push({ backend, ref });
    } catch (thrown) {
      if (!HaftError.is(thrown)) throw thrown;
      all.unasked.push({ backend: name, reason: thrown.message });
    }
  }
  return all;
}

export async function pruneSandboxes(values: Values & { all?: boolean }): Promise<number> {
  const { json, all } = values;
  const { found, unasked } = await findSandboxes(values);
  const wanted = found.filter(({ ref }) => all === true || ref.state === "stopped");
  const removed: string[] = [];
  const failed: { key: string; reason: string }[] = [];
  for (const { backend, ref } of wanted) {
    try {
      if (await backend.destroy(ref)) removed.push(ref.key);
    } catch (thrown) {
      failed.push({ key: ref.key, reason: getErrorMessage(thrown) });
    }
  }
  const remaining = found.length - wanted.length;
  if (json) console.log(JSON.stringify({ removed, failed, kept: remaining, unasked }));
  else {
    console.log(
      `Removed ${removed.length}, kept ${remaining}${remaining > 0 && !all ? " in use (--all removes them as well)" : ""}.`,
    );
    for (const { key, reason } of failed) console.error(`haft: ${key} could not be removed: ${reason}`);
    sayUnasked(unasked);
  }
  return failed.length + unasked.length === 0 ? 0 : 1;
}
