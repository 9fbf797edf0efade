import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { guard, home, makeHome, policy } from "./guard-home.ts";

describe("haft guard install --native", () => {
  const settings = () => readFileSync(join(home, ".claude/settings.json"), "utf8");

  beforeEach(async () => {
    await makeHome('deny: ["read(path:secrets/**)"]\n');
    mkdirSync(join(home, ".claude"));
  });

  test("follows the policy, is told when it is behind, and goes without a trace", async () => {
    const was = '{\n  "permissions": { "deny": [ "Read(./mine)" ] } // mine\n}\n';
    writeFileSync(join(home, ".claude/settings.json"), was);
    expect(await guard("install", "claude", "--native", "--watch-only")).toMatchObject({ code: 2 });
    const installed = await guard("install", "claude", "pi", "--native", "--policy", policy);
    expect(installed).toMatchObject({ code: 0, stderr: "" });
    expect(installed.stdout).toContain("Its own rules deny, too: Read(./secrets/**)");
    expect(installed.stdout).toContain("pi has no rules for files that its hook is not asked about.");
    expect((await guard("status")).stdout).toContain("its own rules deny, too: Read(./secrets/**)");

    writeFileSync(policy, 'deny: ["read(path:keys/**)"]\n');
    const behind = await guard("status");
    expect(behind.code).toBe(1);
    expect(behind.stdout).toContain(
      "Its own rules are behind: Read(./keys/**) is missing. Run haft guard install claude --native again.",
    );
    expect(behind.stdout).toContain("nothing says Read(./secrets/**) any more");

    // Once it is there, whatever is installed later keeps it as the rules are.
    expect((await guard("install", "claude", "--policy", policy)).code).toBe(0);
    expect(settings()).toContain('"Read(//haft-guard/begin)","Read(./keys/**)","Read(//haft-guard/end)"');
    expect((await guard("status")).code).toBe(0);
    writeFileSync(policy, "deny: []\n");
    expect((await guard("install", "claude", "--policy", policy)).stdout).toContain(
      "The rules deny no path to be read",
    );
    expect(settings()).not.toContain("haft-guard/begin");
    writeFileSync(policy, 'deny: ["read(path:keys/**)"]\n');
    expect((await guard("install", "claude", "--native", "--policy", policy)).code).toBe(0);
    expect((await guard("uninstall", "claude")).code).toBe(0);
    expect(settings()).toBe(was);
  });
});
