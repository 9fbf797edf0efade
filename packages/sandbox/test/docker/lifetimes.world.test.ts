import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SandboxSpec } from "../../src/backend.ts";
import { formatHostId } from "../../src/docker/container/container-config.ts";
import { Engine } from "../../src/docker/engine/engine.ts";
import { HOST_USR_IMAGE } from "../../src/docker/host-usr-image.ts";
import { createDockerBackend, type SandboxWorkspace } from "../../src/index.ts";
import { specFor } from "../spec-for.ts";
import { eventually } from "../support.ts";
import { folder, openWithBackend, run, useDocker } from "./support.ts";

const { daemon, socketPath, backend, has, keys, startHost } = await useDocker();
const LONG = { idleMs: 60_000, maxAgeMs: 600_000 };

/** Larger than any process number there is. */
const DEAD = 2 ** 22 + 1;

async function inspected(id: string) {
  return new Engine(socketPath).call<{
    Config: { Labels: Record<string, string> };
    ExecIDs: string[] | null;
  }>("GET", `/containers/${id}/json`);
}

const destroy = async (id: string): Promise<void> => {
  for (const ref of await backend.list()) if (ref.id === id) await backend.destroy(ref);
};

const open = (spec: SandboxSpec, from = backend): Promise<SandboxWorkspace> => openWithBackend(from, spec);
const output = async (sandbox: SandboxWorkspace, script: string): Promise<string> =>
  (await run(sandbox, script)).text;

describe.skipIf(daemon === undefined)("a detached container", () => {
  test("continues with its files, and is found again, also by another host", async () => {
    const spec = specFor(folder(), { key: "found", lifetime: LONG });
    const first = await open(spec);
    await output(first, "echo kept > /tmp/mark");
    await first.close();
    expect(await backend.list()).toMatchObject([{ id: first.ref.id, detached: true, state: "running" }]);
    const second = await open(spec, createDockerBackend({ socketPath }));
    expect(second.ref).toEqual(first.ref);
    expect(await output(second, "cat /tmp/mark")).toBe("kept\n");
  });

  test("ends commands with their connection", async () => {
    const spec = specFor(folder(), { key: "commands", lifetime: LONG });
    const first = await open(spec);
    await first.processes.start("sleeping", { script: "sleep 4321 & setsid sleep 4321" });
    await first.close();
    const second = await open(spec);
    const left = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'sleep 43[2]1'";
    expect(await eventually(async () => (await output(second, left)) === "0\n")).toBe(true);
  });

  test("is replaced for another specification", async () => {
    const hostPath = folder();
    const first = await open(specFor(hostPath, { key: "changed", lifetime: LONG }));
    await first.close();
    const lifetime = { ...LONG, maxAgeMs: 500_000 };
    const second = await open(specFor(hostPath, { key: "changed", lifetime }));
    expect(second.ref.id).not.toBe(first.ref.id);
    expect((await backend.list()).map(({ id }) => id)).toEqual([second.ref.id]);
  });

  test("is not replaced while another host uses it", async () => {
    const hostPath = folder();
    const spec = specFor(hostPath, { key: "used", lifetime: LONG });
    const other = { ...spec, lifetime: { ...LONG, maxAgeMs: 500_000 } };
    const host = startHost(spec);
    const id = await host.said;
    await expect(backend.open(other)).rejects.toMatchObject({
      code: "SANDBOX_START_FAILED",
      fix: expect.stringContaining(id.slice(0, 12)),
    });
    expect(await output(await open(spec), "echo there")).toBe("there\n");
    await host.kill();
    await destroy(id);
  });

  test("is shared by two hosts that open it at once", async () => {
    const spec = specFor(folder(), { key: "both", lifetime: LONG });
    const [one, other] = await Promise.all([open(spec), open(spec, createDockerBackend({ socketPath }))]);
    expect(one.ref.id).toBe(other.ref.id);
    expect(await output(one, "echo 1")).toBe("1\n");
    expect(await output(other, "echo 2")).toBe("2\n");
  });

  test("ends when it is idle or too old, but not during a connection", async () => {
    // A busy machine may take seconds until a runner is in them: until then they are idle too.
    const [idle, old, busy] = await Promise.all(
      [
        { key: "idle", lifetime: { idleMs: 15_000, maxAgeMs: 600_000 } },
        { key: "old", lifetime: { idleMs: 60_000, maxAgeMs: 15_000 } },
        { key: "busy", lifetime: { idleMs: 10_000, maxAgeMs: 600_000 } },
      ].map((more) => open(specFor(folder(), more))),
    );
    await idle!.close();
    await old!.close();
    const isRemoved = async (key: string): Promise<boolean> => !(await has(key));
    expect(await eventually(async () => (await isRemoved("idle")) && (await isRemoved("old")))).toBe(true);
    expect(await output(busy!, "echo there")).toBe("there\n");
  });

  test("is replaced if its host died before the start", async () => {
    const spec = specFor(folder(), { key: "unborn", lifetime: LONG });
    const first = await open(spec);
    const { Id } = await new Engine(socketPath).call<{ Id: string }>("POST", "/containers/create", {
      body: {
        Image: HOST_USR_IMAGE,
        Cmd: ["true"],
        Labels: {
          ...(await inspected(first.ref.id)).Config.Labels,
          "haft.host": formatHostId().replace(` ${process.pid} `, ` ${DEAD} `),
        },
      },
    });
    await backend.destroy(first.ref);
    const second = await open(spec);
    expect(second.ref.id).not.toBe(Id);
    expect((await backend.list()).map(({ id }) => id)).toEqual([second.ref.id]);
  });
});

test.skipIf(daemon === undefined)("ignores containers of others with the label haft", async () => {
  const engine = new Engine(socketPath);
  const body = { Image: HOST_USR_IMAGE, Cmd: ["true"] };
  const made: string[] = [];
  for (const Labels of [{ haft: "1" }, { haft: "mine", "haft.key": "x", "haft.host": "y" }]) {
    const { Id } = await engine.call<{ Id: string }>("POST", "/containers/create", {
      body: { ...body, Labels },
    });
    made.push(Id);
  }
  const listed = (await backend.list()).map(({ id }) => id);
  for (const id of made) {
    expect(listed).not.toContain(id);
    expect((await inspected(id)).Config.Labels["haft"]).toBeDefined();
    await engine.call("DELETE", `/containers/${id}`);
  }
});

describe.skipIf(daemon === undefined)("a setup script", () => {
  test.each(["tethered" as const, LONG])("runs before all commands", async (lifetime) => {
    const workspace = await open(specFor(folder(), { lifetime, setup: "echo made > /tmp/made" }));
    expect(await output(workspace, "cat /tmp/made")).toBe("made\n");
  });

  test.each(["tethered" as const, LONG])(
    "returns its error and leaves no container if it fails",
    async (lifetime) => {
      const opening = backend.open(specFor(folder(), { lifetime, setup: "echo no such thing >&2; exit 3" }));
      await expect(opening).rejects.toMatchObject({
        code: "SANDBOX_SETUP_FAILED",
        message: expect.stringContaining("no such thing"),
      });
      expect(await backend.list()).toEqual([]);
    },
  );

  /** Two hosts, of which the second comes while the script waits. */
  async function twoHosts(end: string) {
    const hostPath = folder();
    const setup = `echo run >> /workspace/runs; until [ -e /workspace/go ]; do sleep 0.1; done; ${end}`;
    const spec = specFor(hostPath, { key: "slow", lifetime: LONG, setup });
    const first = startHost(spec);
    expect(await eventually(async () => existsSync(join(hostPath, "runs")))).toBe(true);
    const second = startHost(spec);
    const { id } = (await backend.list())[0]!;
    expect(await eventually(async () => (await inspected(id)).ExecIDs?.length === 2)).toBe(true);
    return {
      first,
      second,
      id,
      go: () => writeFileSync(join(hostPath, "go"), ""),
      runs: () => readFileSync(join(hostPath, "runs"), "utf8"),
    };
  }

  test("delays a host that connects while it runs", async () => {
    const { first, second, id, go, runs } = await twoHosts("echo made > /tmp/made");
    const early = await Promise.race([first.said, second.said, inspected(id).then(() => "nobody")]);
    expect(early).toBe("nobody");
    go();
    expect([await first.said, await second.said]).toEqual([id, id]);
    expect(runs()).toBe("run\n");
    await destroy(id);
  });

  test("continues if the host that started it dies", async () => {
    const { first, second, id, go, runs } = await twoHosts("echo made > /tmp/made");
    await first.kill();
    go();
    expect(await second.said).toBe(id);
    expect(runs()).toBe("run\n");
    await destroy(id);
  });

  test("returns its error to all waiting hosts", async () => {
    const { first, second, go } = await twoHosts("exit 3");
    go();
    expect([await first.said, await second.said]).toEqual(["SANDBOX_SETUP_FAILED", "SANDBOX_SETUP_FAILED"]);
    expect(await eventually(async () => (await keys()).length === 0)).toBe(true);
  });
});
