import { describe, expect, test } from "vitest";
import {
  createBubblewrapBackend,
  createDockerBackend,
  createSandboxRuntimeBackend,
  type SandboxBackend,
} from "../src/index.ts";

// Without types a misspelled option would be ignored, and what it was to hold back would not be held back.

const creates = { createBubblewrapBackend, createDockerBackend, createSandboxRuntimeBackend };
type Name = keyof typeof creates;
const create = (name: Name, options: unknown): SandboxBackend => creates[name](options as object);

describe("options of a backend", () => {
  test.for<readonly [name: Name, options: unknown, message: string]>([
    [
      "createBubblewrapBackend",
      { filtr: false },
      'createBubblewrapBackend has no option "filtr". Did you mean filter?',
    ],
    [
      "createBubblewrapBackend",
      { filter: "no" },
      'createBubblewrapBackend: filter must be boolean, and got string "no".',
    ],
    [
      "createBubblewrapBackend",
      { system: "/nix/store" },
      'createBubblewrapBackend: system must be array of string, and got string "/nix/store".',
    ],
    [
      "createBubblewrapBackend",
      { runner: "x" },
      'createBubblewrapBackend: runner must be function, and got string "x".',
    ],
    [
      "createDockerBackend",
      { socket: "/run/x" },
      'createDockerBackend has no option "socket". Did you mean socketPath?',
    ],
    [
      "createDockerBackend",
      { runners: ["host-nod"] },
      'createDockerBackend: runners[0] must be one of "image-node", "host-node", "image-shell", and got string "host-nod". Did you mean host-node?',
    ],
    [
      "createDockerBackend",
      { startMs: "15s" },
      'createDockerBackend: startMs must be number of milliseconds, and got string "15s".',
    ],
    [
      "createSandboxRuntimeBackend",
      { stateFolder: 7 },
      "createSandboxRuntimeBackend: stateFolder must be string, and got number 7.",
    ],
    [
      "createSandboxRuntimeBackend",
      { bwrap: undefined },
      'createSandboxRuntimeBackend has no option "bwrap".',
    ],
    [
      "createSandboxRuntimeBackend",
      null,
      "createSandboxRuntimeBackend takes an object of options, and got null.",
    ],
  ])("%s refuses %j", ([name, options, message]) => {
    expect(() => create(name, options)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTIONS", receipt: "none", message }),
    );
  });

  test("that are right, or left out, are taken", () => {
    for (const name of Object.keys(creates) as Name[]) {
      expect(create(name, {}).id).toBeTypeOf("string");
      expect(create(name, undefined).id).toBeTypeOf("string");
      expect(create(name, { cacheFolder: undefined }).id).toBeTypeOf("string");
    }
  });
});
