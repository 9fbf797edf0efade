import { getCurrentProcess } from "@haft/system";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { haftHere, start } from "../support/haft.ts";
import { env, home, installBuild, makeHome, project } from "./guard-home.ts";

beforeEach(() => makeHome());

test("removes its folder when interrupted, and after a kill at the next probe", async () => {
  const tmp = join(home, "tmp");
  const { pid, started } = getCurrentProcess();
  const running = `haft-guard-probe-${pid}-${started}-aaaaaa`;
  mkdirSync(join(tmp, running), { recursive: true });
  const shell = { ...env, TMPDIR: tmp };
  const folders = () =>
    readdirSync(tmp).filter((name) => name.startsWith("haft-guard-probe-") && name !== running);
  await installBuild("claude");
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const) {
    const child = start(["guard", "status", "--probe"], project, shell);
    const closed = once(child, "exit");
    await until("it probes", () => folders().length > 0);
    child.kill(signal);
    expect(await closed).toEqual([null, signal]);
    expect(folders()).toHaveLength(signal === "SIGKILL" ? 1 : 0);
  }
  await haftHere(["guard", "status", "--probe"], { cwd: project, env: shell });
  expect(folders()).toEqual([]);
  expect(readdirSync(tmp)).toContain(running);
});
