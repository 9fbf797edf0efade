import { describe, expect, test } from "vitest";
import { analyzeCommand, type TemplateCommand } from "../src/index.ts";

const analyze = (text: string, shell?: string) =>
  analyzeCommand(text, { cwd: "/work", ...(shell && { shell }) });
const first = async (text: string): Promise<TemplateCommand | undefined> => (await analyze(text)).commands[0];

describe("reasons for an unclear line", () => {
  test.each([
    ["a $(b)", "a gets $(b), not known before it runs"],
    ["a `b`", "` `"],
    ["a $x", "a gets ${x}, not known before it runs"],
    ["a *.ts", "a gets *.ts, not known before it runs"],
    ["a {b,c}", "{ }"],
    ["a ~", "~"],
    ["a <<E\n$x\nE", "here-document"],
    ["a <<<b", "here-string"],
    ["a 3> b", "writes to a file"],
    ["a <> b", "writes to a file"],
    ["a |& b", "|&"],
    ["! ! a", "!"],
    ["(a) 2>&1", "redirects several"],
    ["case a in b) c;; esac", "case"],
    ["if cd a; then b; fi", "cd in a condition (if)"],
    ["while a; do cd b; done", "cd in a loop (while)"],
    ["for ((;;)); do c; done", "for"],
    ["[[ a ]]", "[[ ]]"],
    ["X=1 a", "sets a variable (X)"],
    ["echo $((x+2))", "calculates with $(( ))"],
    ["echo $((x=2))", "calculates with $(( ))"],
    ["echo $((a[0]))", "calculates with $(( ))"],
    ["echo $(($(a)+1))", "calculates with $(( ))"],
    ["echo ${x:=1}", "variable ($)"],
    ["echo ${x:-$(a)}", "variable ($)"],
    ["echo ${x@P}", "variable ($)"],
    ["echo ${!x}", "variable ($)"],
    ["set -f", "set"],
    ["set -- a", "set"],
    ["set +o posix", "set"],
    ["command a", "command"],
    ["umask -S", "umask"],
    ["ulimit -n 5", "ulimit"],
    ["for f in *; do cd d; done", "cd in a loop"],
    ["for f in *; do $f; done", "something else than a text"],
    ["cat <(a)", "runs a command inside another (<( ))"],
    ["docker build -f other .", "docker -f"],
    ["docker compose -f other up", "docker -f"],
    ["make -f other", "make -f"],
    ["eval a", "eval"],
    ["cd a; b", "join them with &&"],
    ["a\rb", "control characters"],
    ["a '", "not complete"],
    ["'a '", "space"],
    ["\u0430", "unusual characters"],
    ["xargs a", "xargs"],
    ["node -e 1", "node with -e"],
    ["", "no command"],
    ["a;".repeat(1001), "more than 1000 commands"],
    [`a ${"b".repeat(200_000)}`, "longer than"],
    ["<<a ".repeat(100), "too many here-documents"],
  ])("%j", async (text, reason) => {
    expect((await analyze(text)).unclear).toContain(reason);
  });

  test("include nesting beyond the stack of the engine", async () => {
    expect((await analyze("coproc ".repeat(5000))).unclear).toMatch(/cannot be parsed|expected command/);
  });

  test.each(["docker rm -f x", "docker logs -f x", "kubectl logs -f x", "apt-get -f install", "npm -f test"])(
    "exclude %s, because its -f names no file",
    async (text) => {
      expect((await analyze(text)).unclear).toBeUndefined();
    },
  );

  test("include shells with another syntax", async () => {
    for (const shell of ["zsh", "fish", "/usr/bin/pwsh", "cmd.exe"]) {
      expect((await analyze("ls", shell)).unclear).toContain("in its own way");
    }
    for (const shell of ["sh", "/bin/bash", "dash"])
      expect((await analyze("ls", shell)).unclear).toBeUndefined();
  });
});

describe("facts about a command", () => {
  test("contain its words, wrappers and required programs", async () => {
    expect(await first("env LANG=C nice ./a 'b c' 2>&1")).toEqual({
      name: "./a",
      argv: ["./a", "b c"],
      through: ["env", "nice"],
      wrappers: [["env", "LANG=C"], ["nice"]],
      cwd: "/work",
      assignments: [],
      fills: new Map(),
      redirects: ["2>&1"],
      programs: ["env", "nice", "/work/./a"],
      scripts: [],
      sources: [],
    });
  });

  test("contain the folder after a cd", async () => {
    const { commands, unclear } = await analyze("a && cd ../b && c && cd /d && ./e");
    expect(unclear).toBeUndefined();
    expect(commands.map(({ cwd }) => cwd)).toEqual(["/work", "/work", "/b", "/b", "/d"]);
    expect(commands.at(-1)?.programs).toEqual(["/d/./e"]);
  });

  test("mark a builtin, unless a wrapper needs a program", async () => {
    expect(await first("echo a")).toMatchObject({ builtin: true, harmless: true, programs: [] });
    expect(await first("nice echo a")).not.toHaveProperty("builtin");
    expect(await first("nice echo a")).toMatchObject({ programs: ["nice", "echo"] });
  });

  test("contain files of redirects in the folder of the command", async () => {
    const { files } = await analyze("a > b 2>/dev/null && cd c && d < e >> /f");
    expect(files).toEqual([
      { path: "/work/b", access: "write", from: 0, to: 0 },
      { path: "/work/c/e", access: "read", from: 2, to: 2 },
      { path: "/f", access: "write", from: 2, to: 2 },
    ]);
  });

  test.each([
    ["sh -eu build.sh a", ["/work/build.sh"]],
    ["node --no-warnings tool.js x.js", ["/work/tool.js"]],
    ["python3 -u /a.py", ["/a.py"]],
    ["cd x && ruby a.rb", ["/work/x/a.rb"]],
    ["/usr/bin/env perl a.pl", ["/work/a.pl"]],
    ["node --version", []],
    ["cat a.js", []],
  ])("contain the files that %j executes", async (text, scripts) => {
    const { commands, unclear } = await analyze(text);
    expect(unclear).toBeUndefined();
    expect(commands.at(-1)?.scripts).toEqual(scripts);
  });

  test("contain the certain commands of an unclear line", async () => {
    const { commands } = await analyze("a b; c `x`; d | e");
    expect(commands.map(({ name }) => name)).toEqual(["a", "d", "e"]);
  });
});

describe("commands that are harmless with these arguments", () => {
  test.each([
    "cut -d, -f1,2",
    "cut --delimiter=: --fields 1-3",
    "cut -d ' ' -f 2",
    "sort -rn -k2,2n -t,",
    "uniq -c",
    "head -20",
    "head -n 5",
    "tail -n +2",
    "tail -c 1K",
    "tr -d '\\n'",
    "tr a-z A-Z",
    "wc -l",
    "wc -l -",
    "grep -e a -i",
    "grep -ie 'a$'",
    "grep -E -e 'a|b' -m1",
    "nl -ba",
    "fold -w 80 -s",
    "rev",
    "/usr/bin/cut -f1",
    "nice head",
  ])("%s", async (text) => {
    const { commands, unclear } = await analyze(text);
    expect(unclear).toBeUndefined();
    expect(commands[0]?.harmless).toBe(true);
  });

  test.each([
    "cut -d, -f1 x",
    "cut -f ../x",
    "cut --fiel=1",
    "sort -o x",
    "sort --output=x",
    "sort -k 1 -o x",
    "sort -mo x",
    "sort -S1 x",
    "sort --parallel=2",
    "sort -z x",
    "uniq x",
    "head x",
    "head -n x",
    "head -n",
    "tail -f",
    "tail -20f",
    "tail --pid=1",
    "tr",
    "wc x",
    "wc --files0-from=-",
    "grep a",
    "grep -e a -f x",
    "grep -e a -r",
    "grep -r -e a",
    "grep -e a --include=x",
    "grep -e a -- x",
    "grep --color x -e a",
    "nl -b p^x",
    "rev x",
    "tac x",
    "/tmp/cut -f1",
    "./head",
    "constructor",
    "head --toString",
    "cut -__proto__",
    "jq .",
    "tee",
    "cat",
  ])("exclude %s", async (text) => {
    expect((await first(text))?.harmless ?? false).toBe(false);
  });
});

test("reports the content of files only for programs that files of their folder control", async () => {
  expect((await first("docker rm x"))?.carrier).toBe("docker can start other programs");
  expect((await first("npm test"))?.carrier).toBe("npm runs what files of its folder say");
});

test("does not follow assignments to variables of the environment, whose new value programs get", async () => {
  const context = {
    variables: {},
    exported: new Set(["MY_TOOL"]),
    list: async () => [],
    getType: async () => undefined,
  };
  for (const line of ["MY_TOOL=./evil; make", "for MY_TOOL in ./evil; do make; done"]) {
    const { unclear } = await analyzeCommand(line, { cwd: "/work", context });
    expect({ line, unclear }).toEqual({ line, unclear: expect.stringContaining("MY_TOOL") });
  }
  expect(await analyzeCommand("OTHER=./a; ls $OTHER", { cwd: "/work", context })).not.toHaveProperty(
    "unclear",
  );
});
