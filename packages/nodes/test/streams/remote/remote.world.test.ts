import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { NATS_SERVER } from "../../../../store/test/nats/support/nats-server.ts";
import {
  countingScript,
  type RemoteSetup,
  hashCountingOutput,
  startRemoteSetup,
  streamOutput,
} from "./remote-setup.ts";

const MIB = 1024 * 1024;

async function far(checkMs?: number): Promise<RemoteSetup> {
  const made = await startRemoteSetup(checkMs);
  onTestFinished(() => made.close());
  return made;
}

/** Commands of a test that still run. */
function running(text: string): number {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(`sleep\0${text}`);
    } catch {
      return false;
    }
  }).length;
}

let sleeps = 0;
const uniqueSeconds = () => `${4_000 + ++sleeps}.${process.pid}`;

describe.skipIf(NATS_SERVER === undefined)(
  "a workspace on a node of another process, over a NATS server",
  () => {
    test("a host that pauses during much output gets all of it, in bounded memory", async () => {
      const end = await streamOutput(48 * MIB, 2_000);
      expect(end).toMatchObject({ bytes: 48 * MIB, dropped: 0, isWhole: true });
      expect(end.mostMb).toBeLessThan(400);
    });

    test("reports the number of dropped bytes above the limit", async () => {
      const { host } = await far();
      const bytes = 24 * MIB;
      const { end } = await host(`sleep 0; ${countingScript(bytes)}`, MIB);
      const { bytes: read, dropped } = await end;
      expect(read + dropped).toBe(bytes);
    });

    test("a restart of the server during output loses no byte", async () => {
      const { host, server } = await far();
      const bytes = 48 * MIB;
      const reader = await host(countingScript(bytes));
      await reader.has(8 * MIB);
      await server.kill();
      await setTimeout(300);
      await server.start();
      expect(await reader.end).toMatchObject({ bytes, dropped: 0, sha256: hashCountingOutput(bytes) });
    });

    test("a killed host leaves no process on the node", async () => {
      const { host, node } = await far(150);
      const seconds = uniqueSeconds();
      const one = await host(`sleep ${seconds} & sleep ${seconds}`);
      await vi.waitFor(() => expect(running(seconds)).toBe(2), 20_000);
      one.process.kill("SIGKILL");
      await vi.waitFor(() => expect(running(seconds)).toBe(0), 30_000);
      expect(node.exitCode).toBeNull();
    });

    test("a killed node is reported to its host and leaves no process", async () => {
      const { host, node } = await far();
      const seconds = uniqueSeconds();
      const one = await host(`sleep ${seconds} & sleep ${seconds}`, MIB, 200);
      await vi.waitFor(() => expect(running(seconds)).toBe(2), 20_000);
      node.kill("SIGKILL");
      await vi.waitFor(() => expect(running(seconds)).toBe(0), 30_000);
      await expect(one.end).rejects.toThrow("the host ended with 1");
    });
  },
);
