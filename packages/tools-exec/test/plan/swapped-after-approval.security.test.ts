import { existsSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { always, ASK_ALL, EVIL, site } from "../support/site.ts";

describe("swaps between the approval and the start do not run (E18)", () => {
  type At = (name: string) => string;
  const SWAPS: Record<string, { command: string; workdir?: string; swap: (at: At) => void }> = {
    "the program, by name": { command: "tool x", swap: (at) => renameSync(at("other"), at("bin/tool")) },
    "the program, by path": { command: "bin/tool x", swap: (at) => renameSync(at("other"), at("bin/tool")) },
    "the program's content": { command: "tool x", swap: (at) => writeFileSync(at("bin/tool"), EVIL) },
    "the program, for a link": {
      command: "tool x",
      swap: (at) => {
        unlinkSync(at("bin/tool"));
        symlinkSync("../other", at("bin/tool"));
      },
    },
    "one program of several": {
      command: "echo ran > ran && tool x | wc -l",
      swap: (at) => renameSync(at("other"), at("bin/tool")),
    },
    "a script": { command: "sh run.sh", swap: (at) => writeFileSync(at("run.sh"), "echo evil\n") },
    "a script, put back in another form": {
      command: "sh ./run.sh a",
      swap: (at) => {
        unlinkSync(at("run.sh"));
        symlinkSync("other", at("run.sh"));
      },
    },
    "the folder": {
      command: "./tool",
      workdir: "sub",
      swap: (at) => {
        renameSync(at("sub"), at("gone"));
        renameSync(at("aside"), at("sub"));
      },
    },
    "the folder, for a link": {
      command: "./tool",
      workdir: "sub",
      swap: (at) => {
        renameSync(at("sub"), at("gone"));
        symlinkSync("aside", at("sub"));
      },
    },
  };
  const unclear = (command: string): string => `${command}; echo "$(echo unclear)" >> ran`;

  for (const [name, { command, workdir, swap }] of Object.entries(SWAPS)) {
    test.each([
      ["clear", command],
      ["unclear", unclear(command)],
    ])(`${name}, %s`, async (_, text) => {
      let swapped = false;
      const { at, requests, open } = site(ASK_ALL, () => {
        if (swapped) swap(at);
        return "allow-once";
      });
      const call = await open();
      const args = { command: text, ...(workdir === undefined ? {} : { workdir }) };
      const plain = await call("exec", args);
      expect(plain).toMatchObject({ kind: "ok" });
      const before = existsSync(at("ran")) ? readFileSync(at("ran"), "utf8") : "";
      swapped = true;
      const outcome = await call("exec", { ...args, title: "again" });
      expect(outcome).toMatchObject({
        kind: "error",
        code: "PLAN_CHANGED",
        category: "policy",
        receipt: "none",
      });
      expect(requests).toHaveLength(2);
      expect(existsSync(at("ran")) ? readFileSync(at("ran"), "utf8") : "").toBe(before);
    });
  }

  test("a swapped bash script", async () => {
    const { at, open } = site(ASK_ALL, () => {
      renameSync(at("other"), at("bin/tool"));
      return "allow-once";
    });
    const outcome = await (await open())("bash", { script: "tool a\ntool b" });
    expect(outcome).toMatchObject({ kind: "error", code: "PLAN_CHANGED", receipt: "none" });
  });

  test("a grant does not cover a file that replaced the granted file", async () => {
    const { at, requests, open } = site({ security: "allowlist", ask: "on-miss" }, () => always());
    const call = await open();
    expect(await call("exec", { command: "tool" })).toMatchObject({ kind: "ok" });
    expect(await call("exec", { command: "tool", title: "again" })).toMatchObject({ kind: "ok" });
    expect(requests).toHaveLength(1);
    renameSync(at("other"), at("bin/tool"));
    await call("exec", { command: "tool", title: "once more" });
    expect(requests).toHaveLength(2);
  });
});
