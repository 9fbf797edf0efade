import { contentToText } from "@haft/core";
import {
  appendFileSync,
  copyFileSync,
  linkSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { always, site } from "../support/site.ts";

const LISTED = { security: "allowlist", ask: "on-miss" } as const;

describe("the interpreter of a script", () => {
  test.each([
    ["#!/bin/sh", /run by \/\S*sh/],
    ["#! /usr/bin/env sh", /run by \/\S*sh/],
    ["#!/usr/bin/env -S sh -eu", /run by \/\S*sh/],
    ["#!/no/such/interpreter", /run by \/no\/such\/interpreter, which is missing/],
  ])("is shown for %s", async (line, shown) => {
    const { at, requests, open } = site(LISTED);
    writeFileSync(at("deploy.sh"), `${line}\necho deployed\n`, { mode: 0o755 });
    await (
      await open()
    )("exec", { command: "./deploy.sh" });
    const preview = contentToText(requests[0]!.preview);
    expect(preview).toMatch(shown);
    expect(preview).toContain("files that ./deploy.sh reads or starts");
  });

  test("is part of the call, and a swapped interpreter is not started", async () => {
    let swapping = false;
    const { at, requests, open } = site(LISTED, () => {
      if (swapping) copyFileSync("/bin/echo", at("bin/runner"));
      return always();
    });
    copyFileSync("/bin/sh", at("bin/runner"));
    writeFileSync(at("deploy.sh"), "#!/usr/bin/env runner\necho good\n", { mode: 0o755 });
    const call = await open();
    const run = async (title: string) => call("exec", { command: "./deploy.sh", title });
    expect(contentToText((await run("first")).content)).toContain("good");
    await run("second");
    expect(requests).toHaveLength(1);
    rmSync(at("bin/runner"));
    copyFileSync("/bin/sh", at("bin/runner"));
    await run("the same again, byte by byte");
    expect(requests).toHaveLength(1);
    appendFileSync(at("bin/runner"), "another one");
    await run("third");
    expect(requests).toHaveLength(2);
    swapping = true;
    appendFileSync(at("bin/runner"), "and another");
    expect(await run("fourth")).toMatchObject({ kind: "error", code: "PLAN_CHANGED", receipt: "none" });
  });
});

const alwaysTheProgram: Parameters<typeof site>[1] = ({ offers }) =>
  always(offers.some(({ kind }) => kind === "program") ? "program" : "exact");

describe("“always this program”", () => {
  /** Programs outside of the workspace, where the agent is not supposed to write. */
  function programs(decide: Parameters<typeof site>[1] = alwaysTheProgram) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-programs-")));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const testSite = site(LISTED, decide);
    return { ...testSite, program: (name: string) => join(folder, name) };
  }

  test("covers the current file", async () => {
    const { requests, open } = programs();
    const call = await open();
    for (const word of ["a", "b"]) await call("exec", { command: `basename ${word}` });
    expect(requests).toHaveLength(1);
    expect(requests[0]!.offers[1]?.summary).toContain("as it is now");
  });

  test.each([
    "npm --version",
    "gcc --version",
    "tee x",
    "cp a b",
    "sort a",
    "systemd-analyze",
    "something-new",
  ])("is not offered for %s, which may start other programs", async (command) => {
    const { requests, open } = programs(() => "deny");
    await (
      await open()
    )("exec", { command });
    expect(requests[0]!.offers.map(({ kind }) => kind)).toEqual(["exact"]);
    expect(requests[0]!.noProgramGrant).toMatch(/known to start nothing else|is not there|runs what/);
  });

  test("is not offered for a changed copy of a shell with a harmless name", async () => {
    const { requests, open, program } = programs();
    copyFileSync("/bin/sh", program("cat"));
    appendFileSync(program("cat"), "\0");
    const call = await open();
    await call("exec", { command: `${program("cat")} a` });
    await call("exec", { command: `${program("cat")} -c true` });
    expect(requests.map(({ offers }) => offers.length)).toEqual([1, 1]);
    expect(requests[0]!.noProgramGrant).toContain("is not known to start nothing else");
  });

  test.each<[string, (path: string) => void, string]>([
    ["a copy of a shell", (path) => copyFileSync("/bin/sh", path), "is the same file as"],
    ["a link to a shell", (path) => symlinkSync("/bin/sh", path), "runs any code it is given"],
    ["a copy of awk", (path) => copyFileSync(realpathSync("/usr/bin/awk"), path), "is the same file as"],
    [
      "a script that a shell runs as its text",
      (path) => writeFileSync(path, "#!/bin/sh -c\n", { mode: 0o755 }),
      "is run by /bin/sh",
    ],
    [
      "a program of awk",
      (path) => writeFileSync(path, "#!/usr/bin/awk -f\n", { mode: 0o755 }),
      "is run by /usr/bin/awk",
    ],
    [
      "a script without an interpreter",
      (path) => writeFileSync(path, "#!/no/such/program\n", { mode: 0o755 }),
      "which is missing",
    ],
    ["a link to a multi-call program", (path) => symlinkSync("busybox", path), "contains many programs"],
  ])("is not offered for %s", async (_, make, why) => {
    const { requests, open, program } = programs(() => "deny");
    writeFileSync(program("busybox"), "#!/bin/sh\n", { mode: 0o755 });
    make(program("tool"));
    await (
      await open()
    )("exec", { command: `${program("tool")} a` });
    expect(requests[0]!.offers.map(({ kind }) => kind)).toEqual(["exact"]);
    expect(requests[0]!.noProgramGrant).toContain(why);
  });

  test("is not offered for a copy of a multi-call program", async () => {
    const { at, requests, open, program } = programs(() => "deny");
    for (const path of [at("bin/busybox"), program("head")]) writeFileSync(path, "many\n", { mode: 0o755 });
    await (
      await open()
    )("exec", { command: `${program("head")} -n 1` });
    expect(requests[0]!.noProgramGrant).toContain("contains many programs");
  });

  test("is not offered for a hard link of a shell", async () => {
    const { at, requests, open } = programs();
    copyFileSync("/bin/sh", at("bin/bash"));
    linkSync(at("bin/bash"), at("bin/mine"));
    await (
      await open()
    )("exec", { command: "mine a" });
    expect(requests[0]!.noProgramGrant).toContain(`mine is the same file as `);
  });
});
