import { tmpdir } from "node:os";
import { sep } from "node:path";
import { afterAll, expect } from "vitest";

// For files that share a process: what is the whole process's is for the next file as it was for this one.

const FOUND = Symbol.for("haft.test.found");
const ROOTS = Symbol.for("@haft/workspace: roots of sessions");
const shared = globalThis as { [FOUND]?: object; [ROOTS]?: ReadonlySet<string> };

const found = (shared[FOUND] ??= whatThereIs());
afterAll(() => {
  expect(whatThereIs()).toEqual(found);
});

function whatThereIs(): object {
  // The library that shrinks images sets its own for good when it is loaded, whatever the thread.
  const environment = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("VITEST") && name !== "VIPSHOME",
  );
  // A root stays one: of what lies in it nothing is started any more.
  const roots = [...(shared[ROOTS] ?? [])].filter((root) =>
    `${tmpdir()}${sep}`.startsWith(root === sep ? root : `${root}${sep}`),
  );
  return {
    folder: process.cwd(),
    environment: Object.fromEntries(environment),
    roots: roots.length === 0 ? "none with the temporary folder" : roots,
  };
}
