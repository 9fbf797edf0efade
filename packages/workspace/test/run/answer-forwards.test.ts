import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { answerForwards } from "../../src/run/network/answer-forwards.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-forwards-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("waits at the host again if the host closes its connection", async () => {
  const path = join(folder, "forwards.sock");
  const host = createServer().listen(path);
  await once(host, "listening");
  const failures: string[] = [];
  answerForwards(path, (why) => failures.push(why));
  const [first] = (await once(host, "connection")) as [Socket];
  first.destroy();
  const [second] = (await once(host, "connection")) as [Socket];
  const [line] = (await once(second, "data")) as [Buffer];
  expect([line.toString(), failures]).toEqual(["waiting\n", []]);
  host.close();
  second.destroy();
});

test("reports that the host cannot be reached, and stops", async () => {
  const told = Promise.withResolvers<string>();
  answerForwards(join(folder, "none.sock"), told.resolve);
  expect(await told.promise).toMatch(/^Ports here cannot be reached from the host: .*ENOENT/);
});
