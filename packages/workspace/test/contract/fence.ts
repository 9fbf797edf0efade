import { HaftError, type Processes } from "@haft/core";
import { fenceWorkspace } from "@haft/core/internal";
import { uptimeMs } from "@haft/system/processes";
import { describe, expect, test } from "vitest";
import type { ContractOptions } from "./support.ts";
import { bytes, catchFailure, listNames, run, type Site, start, textAt, decodeChunks } from "./support.ts";

const HOUR_MS = 3_600_000;

/** A fence that ends in so many milliseconds. The first `late` looks do not notice: this program stood still in between. */
function fenceIn(ms: number, late = 0) {
  return {
    endsAt: uptimeMs() + ms,
    check() {
      if (late-- <= 0 && uptimeMs() >= this.endsAt)
        throw new HaftError("SESSION_LEASE_LOST", "It is over.", { receipt: "none" });
    },
  };
}

/** What every workspace does behind a fence. @param elsewhere does a runner serve its files, which has to look itself? */
export function fileFenceContract(site: Site, elsewhere: () => boolean): void {
  describe("file operations behind a fence", () => {
    const setUp = async (ms: number, late = 0) => {
      const dir = await site.folder();
      await site.fs.write(`${dir}/a`, bytes("one"));
      // A new one for each effect, so that each is late in the same way.
      const on = () => fenceWorkspace(site.workspace, fenceIn(ms, late)).fs;
      const effects: Readonly<Record<string, () => Promise<unknown>>> = {
        write: () => on().write(`${dir}/a`, bytes("two")),
        "write of a new file": () => on().write(`${dir}/new/b`, bytes("two")),
        append: () => on().append(`${dir}/a`, bytes("two")),
        "append to a missing file": () => on().append(`${dir}/c`, bytes("two")),
        mkdirp: () => on().mkdirp(`${dir}/new/er`),
        rename: () => on().rename(`${dir}/a`, `${dir}/d`),
        remove: () => on().remove(`${dir}/a`),
      };
      return { dir, fs: on(), effects };
    };

    test.each([HOUR_MS, Number.POSITIVE_INFINITY])("succeed if it ends in %s ms", async (ms) => {
      const { dir, effects } = await setUp(ms);
      for (const effect of Object.values(effects).slice(0, -1)) await effect();
      expect(await listNames(site, dir)).toEqual(["c", "d", "new"]);
      expect(await textAt(site, `${dir}/d`)).toBe("twotwo");
    });

    test.each([0, 1, Number.POSITIVE_INFINITY])(
      "fail for changes and succeed for reads after it ended, with %s checks that missed the end",
      async (late) => {
        // On this side somebody notices in the end, or there is nobody to.
        if (late > 1 && !elsewhere()) return;
        const { dir, fs, effects } = await setUp(-1, late);
        for (const [name, effect] of Object.entries(effects)) {
          const thrown = await effect().catch((error: unknown) => error);
          expect({ name, thrown }).toMatchObject({ thrown: { code: "SESSION_LEASE_LOST", receipt: "none" } });
        }
        expect(await listNames(site, dir)).toEqual(["a"]);
        expect(Buffer.from((await fs.read(`${dir}/a`)).bytes).toString()).toBe("one");
      },
    );
  });
}

export function processFenceContract(
  site: Site,
  without: NonNullable<ContractOptions["without"]> = [],
): void {
  describe("commands behind a fence", () => {
    const behind = (fence: ReturnType<typeof fenceIn>): Processes =>
      fenceWorkspace(site.workspace, fence).processes!;

    test.each([HOUR_MS, Number.POSITIVE_INFINITY])("start if it ends in %s ms", async (ms) => {
      const processes = behind(fenceIn(ms));
      expect(await run(processes, "echo yes")).toMatchObject({ exitCode: 0, text: "yes\n" });
      const { id } = await start(processes, { script: "cat", stdin: "open" });
      await processes.write(id, bytes("typed"));
      await processes.closeStdin(id);
      await processes.wait(id);
      expect(decodeChunks(await processes.read(id, 0))).toBe("typed");
    });

    test.skipIf(without.includes("a second look at fences"))(
      "are rejected at their start if the caller missed the end",
      async () => {
        const dir = await site.folder();
        const cwd = `${site.root}/${dir}`;
        const late = behind(fenceIn(-1, Number.POSITIVE_INFINITY));
        const starts = [
          { script: "echo > started", cwd },
          // Not by a shell that waits.
          { argv: ["touch", "started"], cwd },
        ];
        for (const spec of [...starts, ...starts]) {
          const failure = await catchFailure(start(late, spec));
          expect(failure).toMatchObject({ code: "SESSION_LEASE_LOST", receipt: "none" });
          expect(failure.message).toContain("not dispatched");
        }
        expect(await listNames(site, dir)).toEqual([]);
        await site.fs.write(`${dir}/typed`, bytes(""));
        const { id } = await start(site.processes, { script: "cat >> typed", stdin: "open", cwd });
        for (const effect of [
          () => late.write(id, bytes("typed")),
          () => late.closeStdin(id),
          () => late.signal(id, "SIGTERM"),
        ])
          expect(await catchFailure(effect())).toMatchObject({ code: "SESSION_LEASE_LOST", receipt: "none" });
        expect(await site.processes.info(id)).toMatchObject({ state: "running", stdin: "open" });
        // What it started it may end.
        expect(await late.kill(id, { graceMs: 0 })).toMatchObject({ reason: "killed" });
        expect(await textAt(site, `${dir}/typed`)).toBe("");
      },
    );
  });
}
