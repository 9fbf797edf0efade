import type { Session } from "@haft/core/kernel";
import { expect, test } from "vitest";
import { openHostIn, createFaultWorkspace } from "../../../haft/test/durability/faults/faulty-host.ts";

test("a host notifies an observer of each session and does not close the observer", async () => {
  const seen: Session[] = [];
  const telemetry = {
    observe(session: Session) {
      seen.push(session);
      return () => {};
    },
  };
  const { host } = await openHostIn(await createFaultWorkspace(), { telemetry });
  const session = await host.openSession();
  expect(seen).toEqual([session]);
});

test("unknown settings are refused", async () => {
  await expect(
    openHostIn(await createFaultWorkspace(), { telemetry: { argument: true } as never }),
  ).rejects.toMatchObject({
    code: "INVALID_OPTIONS",
  });
});
