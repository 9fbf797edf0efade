import { describe, expect, test } from "vitest";
import type { SandboxSpec } from "../../src/backend.ts";
import { DETACHED_LIFETIME } from "../../src/defaults.ts";
import { hashSpec } from "../../src/docker/container/container-config.ts";
import { resolveLifetime } from "../../src/launch/resolve-lifetime.ts";
import { specFor } from "../spec-for.ts";

describe("the lifetime of a detached sandbox", () => {
  test("defaults to one hour without use and seven days in total", () => {
    expect(resolveLifetime({})).toEqual({ idleMs: 3_600_000, maxAgeMs: 604_800_000 });
  });

  test("uses a default for each value that is missing or undefined", () => {
    expect(resolveLifetime({ idleMs: 1 })).toEqual({ ...DETACHED_LIFETIME, idleMs: 1 });
    expect(resolveLifetime({ idleMs: undefined, maxAgeMs: 2 } as object)).toEqual({
      ...DETACHED_LIFETIME,
      maxAgeMs: 2,
    });
  });

  test("finds the same container if a default is written out", () => {
    const hash = (lifetime: SandboxSpec["lifetime"]) =>
      hashSpec(specFor("/srv/project", { lifetime }), "image");
    expect(hash({})).toBe(hash(DETACHED_LIFETIME));
    expect(hash({ idleMs: 1 })).not.toBe(hash({}));
    expect(hash("tethered")).not.toBe(hash({}));
  });
});
