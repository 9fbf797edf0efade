import { HaftError } from "@haft/core";
import { textTable } from "@haft/policy";
import type { SandboxBackend, SandboxRef } from "@haft/sandbox";
import { loadSandboxBackend } from "../../sandbox/load-backend.ts";
import type { SessionValues } from "../session-arguments.ts";
import { namedBackends } from "./doctor.ts";

/** What the backends of this machine know of Haft's sandboxes. */
export interface FoundSandboxes {
  found: { backend: SandboxBackend; ref: SandboxRef }[];
  /** Backends that could not be asked, and why: one that is not installed has none. */
  unasked: { backend: string; reason: string }[];
}

/** `haft sandbox list`: exit code 1 when a backend could not be asked. */
export async function listSandboxes(values: SessionValues & { json?: boolean }): Promise<number> {
  const { json } = values;
  const { found, unasked } = await findSandboxes(values);
  const refs = found.map(({ ref }) => ref);
  if (json) {
    console.log(JSON.stringify({ sandboxes: refs, unasked }));
    return unasked.length === 0 ? 0 : 1;
  }
  if (refs.length === 0) {
    const known =
      unasked.length === 0 ? "There is no sandbox." : "No sandbox was found where one could look.";
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
    console.log(textTable([["backend", "key", "scope", "state", "lifetime", "since"], ...rows]).join("\n"));
  }
  sayUnasked(unasked);
  return unasked.length === 0 ? 0 : 1;
}

/** What is not known, after what is. */
export function sayUnasked(unasked: FoundSandboxes["unasked"]): void {
  for (const { backend, reason } of unasked)
    console.error(`haft: ${backend} could not be asked, and may have sandboxes: ${reason}`);
}

/** Every sandbox of Haft that can be seen, or those of one backend. Close the backends afterwards. */
export async function findSandboxes(values: SessionValues): Promise<FoundSandboxes> {
  const all: FoundSandboxes = { found: [], unasked: [] };
  for (const name of namedBackends(values)) {
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
