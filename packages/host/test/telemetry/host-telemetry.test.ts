import type { Session } from "@haft/core/kernel";
import { expect, test } from "vitest";
import { openHostIn, createFaultWorkspace } from "../../../haft/test/durability/faults/faulty-host.ts";

test("a host tells an observer of each session that it opens, and leaves it open", async () => {
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

test("settings that there are not are refused", async () => {
  await expect(
    openHostIn(await createFaultWorkspace(), { telemetry: { argument: true } as never }),
  ).rejects.toMatchObject({
    code: "INVALID_OPTIONS",
  });
});
