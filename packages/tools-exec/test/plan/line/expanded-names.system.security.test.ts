import { contentToText } from "@haft/core";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ARGS, listedSite, type Site } from "../../support/listed-site.ts";
import { always } from "../../support/site.ts";

describe("expanded file names", () => {
  test("never become options, commands or several words", async () => {
    const { at, output } = await listedSite();
    mkdirSync(at("d"));
    const names = [
      "-rf",
      "--help",
      "$(touch ran)",
      "; touch ran",
      "a b",
      "new\nline",
      "'q'",
      "*",
      "`touch ran`",
      ".dot",
      "~",
    ];
    for (const name of names) writeFileSync(join(at("d"), name), "");
    const sorted = names
      .filter((name) => !name.startsWith("."))
      .map((name) => (name.startsWith("-") ? `./${name}` : name));
    const plain = (all: readonly string[]) =>
      all.toSorted((a, b) => (a.replace("./", "") < b.replace("./", "") ? -1 : 1));
    expect(await output("cd d && args *")).toBe(
      plain(sorted)
        .map((name) => `<${name}>`)
        .join(""),
    );
    expect(await output("args d/-*")).toBe("<d/--help><d/-rf>");
    expect(await output('for f in d/n*; do args "$f"; done')).toBe("<d/new\nline>");
    expect(existsSync(at("d/ran")) || existsSync(at("ran"))).toBe(false);
  });

  test("are the approved names, even if files changed before the start", async () => {
    const { at, requests, run } = await listedSite(["none"], {}, () => {
      writeFileSync(at("-rf.log"), "");
      writeFileSync(at("z.log"), "");
      return "allow-once";
    });
    for (const name of ["a.log", "b.log"]) writeFileSync(at(name), "");
    writeFileSync(at("bin/other"), ARGS, { mode: 0o755 });
    expect(contentToText((await run("other *.log")).content)).toBe("<a.log><b.log>");
    expect(contentToText(requests[0]!.preview)).toContain("as other a.log b.log");
  });

  test("are bound by “always”, so other names require approval", async () => {
    const { at, requests, run } = await listedSite([], {}, () => always("exact"));
    writeFileSync(at("a.log"), "");
    writeFileSync(at("bin/other"), ARGS, { mode: 0o755 });
    for (const text of ["<a.log>", "<a.log>"])
      expect(contentToText((await run("other *.log")).content)).toContain(text);
    expect(requests).toHaveLength(1);
    writeFileSync(at("b.log"), "");
    expect(contentToText((await run("other *.log")).content)).toContain("<a.log><b.log>");
    expect(requests).toHaveLength(2);
  });

  test.each([
    // What there is when the line comes to it is another question.
    "tool && args *.txt",
    "args ../*",
    "args /etc/*.conf",
    "args $GONE",
    'args "$GONE"',
    "args $IFS",
    "args $1 $@ $? $$ $_ $RANDOM",
    "args ~root",
    "args ~+ ~-",
    "args .*",
    "args [a-ż]*",
    "args [[:alpha:]]*",
    "args @(a|b)",
    "args $HOME/$GONE",
    "$(args args) x",
    "args *.txt | xargs args",
    "shopt -s dotglob; args *",
    "set -f; args *",
    "GLOBIGNORE=x; args *",
    "IFS=a; args $HOME",
  ])("are never listed if they are uncertain: %s", async (command) => {
    const { run } = await listedSite(["tool"]);
    expect(await run(command)).toMatchObject({ kind: "blocked", receipt: "none" });
  });
});

describe("variables before a command", () => {
  test.each(
    "PATH LD_PRELOAD LD_LIBRARY_PATH GIT_SSH_COMMAND GIT_DIR NODE_OPTIONS PAGER EDITOR VISUAL BASH_ENV ENV IFS HOME PYTHONSTARTUP PYTHONPATH PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS CC MAKEFLAGS npm_config_script_shell https_proxy RIPGREP_CONFIG_PATH LESSOPEN TMPDIR X".split(
      " ",
    ),
  )("are blocked if they can change the program: %s", async (name) => {
    const { run } = await listedSite(["ls", "git", "node"]);
    for (const command of [
      `${name}=./evil args`,
      `${name}=./evil; ls`,
      `${name}=./evil ls`,
      `for ${name} in ./evil; do ls; done`,
    ]) {
      const isForOther =
        name === "X" ||
        name === "CC" ||
        /^(?:PAGER|EDITOR|VISUAL|LESSOPEN|MAKEFLAGS|NODE|PYTHON|PERL|RUBY|JAVA|RIPGREP|GIT)/.test(name);
      // `ls` hears none of these, and a variable of the line alone is none of a program's.
      if (isForOther && !command.endsWith("args")) continue;
      expect({ command, outcome: await run(command) }).toMatchObject({
        command,
        outcome: { kind: "blocked" },
      });
    }
  });

  test("are blocked if the value contains code for the program", async () => {
    const { run, output } = await listedSite(["make"]);
    for (const command of [
      "DEBUG='$(touch ran)' make",
      'NODE_ENV="a;b" make',
      "LC_ALL=/tmp/x args",
      "VERBOSE='a b' args",
    ])
      expect(await run(command)).toMatchObject({ kind: "blocked" });
    expect(await output("NODE_ENV=test LANG=C args x")).toBe("<x>");
  });
});

describe("redirects follow the rules for write and read", () => {
  test("in the workspace they run, on the checked file", async () => {
    const { at, output } = await listedSite();
    await output("args one > out.txt");
    await output("args two >> sub/../out.txt");
    expect(readFileSync(at("out.txt"), "utf8")).toBe("<one><two>");
    await output(`for a in 1 2; do echo "<$a>" >> new; printf "<$a>" > twice; done && args 3 > out.txt`);
    expect(["new", "twice", "out.txt"].map((name) => readFileSync(at(name), "utf8"))).toEqual([
      "<1>\n<2>\n",
      "<2>",
      "<3>",
    ]);
    writeFileSync(at("in"), "text\n");
    expect(await output("args < in")).toBe("[text]");
    expect(await output("args <<'E'\n$(touch ran) `x` \\\nEND\nE")).toBe("[$(touch ran) `x` \\]");
    expect(existsSync(at("ran"))).toBe(false);
  });

  test("they are blocked at the boundary, and for files of git", async () => {
    const { at, run } = await listedSite(["ln"]);
    const outside = at("../outside");
    writeFileSync(outside, "kept");
    symlinkSync(outside, at("link"));
    symlinkSync(join(outside, ".."), at("up"));
    mkdirSync(at(".git"));
    execFileSync("mkfifo", [at("pipe")]);
    for (const target of [
      "link",
      "../outside",
      "up/outside",
      outside,
      ".git/config",
      ".gitattributes",
      "pipe",
      "sub",
      "/dev/tty",
      "gone/x",
      "~/x",
      "*.txt",
    ]) {
      expect({ target, outcome: await run(`args x > ${target}`) }).toMatchObject({
        target,
        outcome: { kind: "blocked" },
      });
    }
    for (const command of [
      `ln -s ${outside} l && args x > l`,
      `args x > l | ln -s ${outside} l`,
      "args < link",
      "args < gone",
      "args x 3> out",
      "args x >& out",
      "args x <> out",
      "{ args; } > out",
      "> out",
      'args > "$(args out)"',
    ])
      expect({ command, outcome: await run(command) }).toMatchObject({
        command,
        outcome: { kind: "blocked" },
      });
    expect(readFileSync(outside, "utf8")).toBe("kept");
    rmSync(outside);
  });

  test.each([
    { deny: ["write(path:secret/**)"] },
    { deny: ["effect:write(path:secret/**)"] },
    { deny: ["write"] },
    { ask: ["write(path:**/*.txt)"] },
    { profile: "minimal", allow: ["exec"] },
  ] as const)("they follow rules about paths: %j", async (rules) => {
    const { at, run } = await listedSite([], structuredClone(rules) as Site[2]);
    mkdirSync(at("secret"));
    expect(await run("args x > secret/out.txt")).toMatchObject({ kind: "blocked" });
    expect(existsSync(at("secret/out.txt"))).toBe(false);
  });

  test("they follow rules for read on input", async () => {
    const { at, run, output } = await listedSite([], { deny: ["read(path:secret/**)"] });
    mkdirSync(at("secret"));
    for (const name of ["secret/in", "in"]) writeFileSync(at(name), "text\n");
    expect(await run("args < secret/in")).toMatchObject({ kind: "blocked" });
    expect(await output("args < in")).toBe("[text]");
  });

  test("they do not write through a link that appears later", async () => {
    const { at, run } = await listedSite([], {}, () => {
      symlinkSync(at("../elsewhere"), at("out"));
      return "allow-once";
    });
    expect(await run("tool x > out")).toMatchObject({ kind: "error", code: "PLAN_CHANGED" });
    expect(existsSync(at("../elsewhere"))).toBe(false);
    const swapped = await listedSite([], {}, () => {
      renameSync(swapped.at("sub"), swapped.at("moved"));
      symlinkSync(swapped.at(".."), swapped.at("sub"));
      return "allow-once";
    });
    expect(await swapped.run("tool x > sub/out")).toMatchObject({ kind: "error", code: "PLAN_CHANGED" });
  });
});
