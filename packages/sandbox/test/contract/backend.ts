import { describe, expect, onTestFinished, test } from "vitest";
import type { SandboxBackend, SandboxConnection, SandboxProbe, SandboxSpec } from "../../src/backend.ts";
import { openSandbox, sandboxKey } from "../../src/index.ts";
import { eventually, catchFailure } from "../support.ts";

/** A backend to try the contract on. */
export interface BackendSite {
  backend: SandboxBackend;
  /** What it opens without complaint, on a new folder each time. */
  spec: () => SandboxSpec;
  /** What it cannot hold, by name. */
  refused: Readonly<Record<string, Partial<SandboxSpec>>>;
  /** Ends one as an accident would, from outside. */
  lose: (connection: SandboxConnection) => unknown;
  /** What another host on this machine has. */
  another?: SandboxBackend;
  /** Traces on this machine of what this backend has opened. */
  traces: () => unknown[] | Promise<unknown[]>;
}

export interface BackendContractOptions {
  without?: readonly "limits"[];
}

/** What every backend of sandboxes keeps to. The site is asked for in each test. */
export function backendContract(
  name: string,
  site: () => BackendSite,
  { without = [] }: BackendContractOptions = {},
): void {
  const open = async (more: Partial<SandboxSpec> = {}) => {
    const { backend, spec } = site();
    const connection = await backend.open({ ...spec(), ...more });
    onTestFinished(() => connection.close());
    // Nobody has to listen to it.
    connection.stream.on("error", () => {}).resume();
    return connection;
  };
  const workspaceOf = async (more: Partial<SandboxSpec> = {}) => {
    const { backend, spec } = site();
    const workspace = await openSandbox(backend, { ...spec(), ...more });
    onTestFinished(() => workspace.close());
    const run = async (script: string) => {
      const { id } = await workspace.processes.start(crypto.randomUUID(), { script });
      const { exitCode } = await workspace.processes.wait(id);
      const { chunks } = await workspace.processes.read(id, 0);
      return { exitCode, text: Buffer.concat(chunks.map(({ bytes }) => bytes)).toString() };
    };
    return { workspace, run };
  };
  const nothingLeft = async () => {
    const { backend, traces } = site();
    let left: unknown[] = [];
    await eventually(async () => {
      left = [...(await traces()), ...(await backend.list())];
      return left.length === 0;
    });
    expect(left).toEqual([]);
  };

  // What it found is asked for once.
  let probing: Promise<SandboxProbe> | undefined;
  const probed = () => (probing ??= site().backend.probe());

  describe(`the contract of backends: ${name}`, () => {
    test("opens a sandbox for the probe and leaves no remains", async () => {
      const { backend } = site();
      const probe = await probed();
      expect(probe.reason).toBeUndefined();
      expect(probe).toMatchObject({ backend: backend.id, available: true });
      expect(JSON.parse(JSON.stringify(probe))).toEqual(probe);
      await nothingLeft();
    });

    test.skipIf(without.includes("limits"))("reports for each limit whether it is enforced", async () => {
      const { spec } = site();
      const { details } = await probed();
      const silent = Object.keys(spec().limits).filter(
        (limit) => !/\benforced\b|\bonly\b/.test(details[`limit ${limit}`] ?? details["limits"] ?? ""),
      );
      expect(silent).toEqual([]);
    });

    test.skipIf(without.includes("limits"))("reports the actual limits of files and /tmp", async () => {
      const { spec } = site();
      const { details } = await probed();
      const { run } = await workspaceOf({ limits: { ...spec().limits, fileMb: 1, tmpMb: 1 } });
      const { text } = await run("head -c 3000000 /dev/zero 2>/dev/null >big; stat -c %s big");
      expect(Number(text.trim())).toBeLessThanOrEqual(1024 * 1024);
      if (details["limit tmpMb"]?.startsWith("holds") !== true) return;
      const all =
        "for n in 1 2 3; do head -c 900000 /dev/zero 2>/dev/null >/tmp/$n; done; cat /tmp/[123] | wc -c";
      expect(Number((await run(all)).text.trim())).toBeLessThanOrEqual(1024 * 1024);
    });

    test("serves files and commands in its first mount", async () => {
      const { workspace, run } = await workspaceOf();
      await workspace.fs.write("greeting.txt", Buffer.from("from outside"));
      expect(await run("pwd; cat greeting.txt")).toEqual({
        exitCode: 0,
        text: `${workspace.describe().cwd}\nfrom outside`,
      });
      await run("echo from inside >greeting.txt");
      const { bytes } = await workspace.fs.read("greeting.txt");
      expect(Buffer.from(bytes).toString()).toBe("from inside\n");
      expect(workspace.facts).toEqual({
        mount: expect.stringMatching(/^(none|ro|rw)$/) as string,
        network: expect.stringMatching(/^(none|limited|full)$/) as string,
      });
    });

    test("lists two sandboxes, lets another host destroy one, and allows a second close", async () => {
      const { backend, another = backend } = site();
      const spec = { key: "+41 79 123 45 67", scope: "agent" } as const;
      const key = sandboxKey(spec);
      expect(key).toMatch(/^agent-[0-9a-f]{16}$/);
      // Of the same key: each is its own, all the same.
      const [one, other] = await Promise.all([open(spec), open(spec)]);
      const { ref } = one;
      expect(ref).toMatchObject({ backend: backend.id, key, scope: "agent", state: "running" });
      expect(ref.detached).toBe(false);
      expect(ref.id).not.toBe(other.ref.id);
      for (const from of [backend, another]) {
        const listed = await from.list();
        expect(listed).toHaveLength(2);
        for (const { id, specHash } of [ref, other.ref])
          expect(listed).toContainEqual(expect.objectContaining({ id, specHash, key }));
      }
      // Destroyed by its name, by another host where that sees it; a second time it is gone, and the other one stays.
      expect(await another.destroy(ref)).toBe(true);
      await one.ended;
      expect(await another.destroy(ref)).toBe(false);
      expect((await backend.list()).map(({ id }) => id)).toEqual([other.ref.id]);
      // Closed twice at once and once more: gone, and that is why.
      await Promise.all([other.close(), other.close()]);
      await other.close();
      expect(await other.ended).toMatchObject({ why: "it was closed" });
      await nothingLeft();
    });

    test("reports why a sandbox was lost, and leaves no remains", async () => {
      const connection = await open();
      const streamEnded = new Promise((resolve) =>
        connection.stream.once("end", resolve).once("error", resolve),
      );
      await site().lose(connection);
      const { why } = await connection.ended;
      expect(why).toMatch(/^(?!it was closed)./);
      await streamEnded;
      await connection.close();
      await nothingLeft();
    });

    test("opens no sandbox if cancelled before the start", async () => {
      const { backend, spec } = site();
      const failure = await catchFailure(backend.open(spec(), AbortSignal.abort()));
      expect(failure).toMatchObject({ code: "ABORTED", receipt: "none", details: { backend: backend.id } });
      await nothingLeft();
    });

    test.each([0, 5, 20, 60, 150, 400])("leaves no remains if cancelled after %d ms", async (ms) => {
      const { backend, spec } = site();
      await backend.open(spec(), AbortSignal.timeout(ms)).then(
        (connection) => connection.close(),
        (thrown: unknown) => expect(thrown).toMatchObject({ code: "ABORTED", receipt: "none" }),
      );
      await nothingLeft();
    });

    test("refuses unsupported specifications with a solution, and creates nothing", async () => {
      const { backend, spec, refused } = site();
      for (const more of Object.values(refused)) {
        const failure = await catchFailure(backend.open({ ...spec(), ...more }));
        expect(failure).toMatchObject({
          code: "SANDBOX_UNSUPPORTED",
          category: "input",
          receipt: "none",
          details: { backend: backend.id },
        });
        expect(failure.fix).toMatch(/\.$/);
      }
      await nothingLeft();
    });
  });
}
