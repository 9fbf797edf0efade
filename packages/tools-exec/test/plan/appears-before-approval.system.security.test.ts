import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { always, ASK_ALL, site } from "../support/site.ts";

type At = (name: string) => string;
const EVIL = "#!/bin/sh\necho evil > ran\n";
const make =
  (name: string, content = EVIL) =>
  (at: At): void =>
    writeFileSync(at(name), content, { mode: 0o755 });
const link =
  (name: string, to = "keep") =>
  (at: At): void =>
    symlinkSync(at(to), at(name));
const replace =
  (name: string, to: string) =>
  (at: At): void => {
    rmSync(at(name), { recursive: true });
    symlinkSync(at(to), at(name));
  };

/** What appears, or is put elsewhere, between the question and the answer. */
const CASES: [string, (at: At) => void][] = [
  ["echo hi > out.txt; nosuch", link("out.txt")],
  ["echo hi > out.txt; nosuch", link("out.txt", "made")],
  ["echo hi > out.txt; nosuch", make("out.txt", "user\n")],
  ["ls >> out.txt && nosuch", link("out.txt")],
  ["node -v; echo hi > out.txt", link("out.txt")],
  ["sed -n p run.sh; echo hi > out.txt", make("out.txt", "user\n")],
  ['echo "$(date)" > out.txt', link("out.txt", "made")],
  ["sed -n p run.sh; echo hi >> keep", replace("keep", "other")],
  ["sed -n p run.sh; echo hi > d/out.txt", replace("d", "aside")],
  ["sed -n p run.sh; echo hi > later/out.txt", (at) => symlinkSync(at("aside"), at("later"))],
  ["./new", make("new")],
  ["sub/new --x && true", make("sub/new")],
  ["bash new.sh", make("new.sh")],
  ["python3 new.py", make("new.py", "open('ran', 'w')\n")],
  ["sh < new.sh", make("new.sh")],
  [". ./new.sh", make("new.sh")],
  // Found in the PATH before the program that was asked about.
  ["ls", make("bin/ls")],
  ["ls | cat", make("bin/cat")],
  ["node -v && nosuch", make("bin/nosuch")],
  ["nosuch || true", make("bin/nosuch")],
  ["env ls", make("bin/ls")],
  ["find . -maxdepth 0 -exec ls {} +", make("bin/ls")],
  ["ls", (at) => symlinkSync(at("sub/tool"), at("bin/ls"))],
  ["script", make("bin/interpreter")],
];

describe("files that appear between request and approval are not run or written", () => {
  // One site for all, as it was at first for each.
  let change: (at: At) => void = () => {};
  const ends: (() => Promise<void>)[] = [];
  const shared = site(
    ASK_ALL,
    () => {
      change(shared.at);
      return "allow-once";
    },
    {},
    {},
    (end) => void ends.push(end),
  );
  afterAll(() => Promise.all(ends.map((end) => end())));
  const { at, requests } = shared;
  let count = 0;
  const open = () => {
    shared.fill();
    requests.length = 0;
    return shared.open(`main-${++count}`);
  };

  test.for(CASES)("%s", async ([command, changeFiles]) => {
    change = changeFiles;
    const call = await open();
    writeFileSync(at("keep"), "keep\n");
    mkdirSync(at("d"));
    writeFileSync(at("bin/script"), "#!/usr/bin/env interpreter\n", { mode: 0o755 });
    expect(await call("exec", { command })).toMatchObject({ code: "PLAN_CHANGED", receipt: "none" });
    expect(requests).toHaveLength(1);
    expect(existsSync(at("ran"))).toBe(false);
    expect(existsSync(at("made"))).toBe(false);
    expect(existsSync(at("aside/out.txt"))).toBe(false);
    if (existsSync(at("out.txt"))) expect(readFileSync(at("out.txt"), "utf8")).toMatch(/^(?:keep|user)\n$/);
  });

  test.for([
    ["a link to nothing", "echo hi > dangling; nosuch", "made"],
    ["a new file", "echo hi > out.txt; nosuch", "out.txt"],
    ["a device", "echo hi > /dev/stderr; echo hi > out.txt; nosuch", "out.txt"],
    ["another file that grows", 'echo "$(date)" > out.txt', "out.txt"],
  ] as const)("writes to an unchanged %s", async ([, command, made]) => {
    change = () => {};
    const call = await open();
    symlinkSync("made", at("dangling"));
    expect(await call("exec", { command })).toMatchObject({ kind: "ok" });
    expect(existsSync(at(made))).toBe(true);
  });
});

test.for(["ls", "node -v && nosuch", "env ls"])(
  "requires approval for a program that appears in the PATH, despite earlier grants: %s",
  async (command) => {
    const { at, open, requests } = site({ security: "allowlist", ask: "on-miss" }, () => always("exact"));
    const call = await open();
    await call("exec", { command });
    await call("exec", { command });
    expect(requests).toHaveLength(1);
    make(command.includes("nosuch") ? "bin/nosuch" : "bin/ls")(at);
    await call("exec", { command });
    expect(requests).toHaveLength(2);
  },
);
