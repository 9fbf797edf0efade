import { describe, expect, test } from "vitest";
import { analyzeCommand } from "../../src/index.ts";

/** Groups of files that decide what the command does, relative to its folder where they are in it. */
async function sourcesOf(text: string, cwd = "/home/ada/work"): Promise<string[]> {
  const { commands } = await analyzeCommand(text, { cwd });
  return commands.flatMap(({ sources }) =>
    sources.map((group) => group.map((path) => path.replace(`${cwd}/`, "")).join(" ")),
  );
}

describe("files that control a command", () => {
  test.each([
    ["make", ["GNUmakefile makefile Makefile"]],
    // A target may be a file, and another one whenever it is made.
    ["make all build/app", ["GNUmakefile makefile Makefile"]],
    ["make --eval=x", ["GNUmakefile makefile Makefile", "x"]],
    ["ninja", ["build.ninja"]],
    ["docker build .", [expect.stringMatching(/^compose\.yaml /), "Dockerfile", "build", "."]],
    ["python3 app", ["app/__main__.py"]],
    ["python3 -m tool", ["tool/__main__.py", "tool.py", "tool/__init__.py", "tool/__main__.py", "tool"]],
    ["node app.js x", [expect.stringMatching(/^app\.js /), expect.stringMatching(/^app\.js /)]],
    ["sudo ./run.sh --config=x -fy", ["./run.sh", "x", "y"]],
    ["gcc @options", ["options"]],
    ["sh x.sh", []],
    ["git status", []],
    ["cat x", []],
  ])("%s", async (text, expected) => {
    expect(await sourcesOf(text)).toEqual(expected);
  });

  test("include files in folders above if the program searches there", async () => {
    expect((await sourcesOf("npm test"))[0]).toBe(
      "package.json /home/ada/package.json /home/package.json /package.json",
    );
    expect((await sourcesOf("just build"))[0]).toMatch(/^justfile \.justfile \S+ \S+ \/home\/ada\/justfile /);
    for (const [text, file] of [
      ["cargo build", "Cargo.toml"],
      ["go run .", "go.mod"],
      ["yarn build", "package.json"],
      ["pnpm test", "package.json"],
      ["rake", "rakefile"],
    ] as const) {
      expect((await sourcesOf(text))[0]).toMatch(new RegExp(`^${file} .*/home/ada/${file}`));
    }
  });

  test.each(["make -C sub", "make -Csub", "make --directory=sub", "make --directory sub"])(
    "are resolved from the folder that an option names: %s",
    async (text) => {
      expect(await sourcesOf(text)).toContain("sub/GNUmakefile sub/makefile sub/Makefile");
    },
  );

  test("are resolved from the folder of their command, and are found behind an unknown wrapper", async () => {
    expect(await sourcesOf("cd sub && make")).toEqual(["sub/GNUmakefile sub/makefile sub/Makefile"]);
    expect(await sourcesOf("sudo make")).toEqual(["GNUmakefile makefile Makefile", "make"]);
  });

  test("set readsMore if the program reads unlisted files", async () => {
    const { commands } = await analyzeCommand("git log && make && sh x.sh && cat y", { cwd: "/" });
    expect(commands.map(({ readsMore }) => readsMore)).toEqual([true, true, true, undefined]);
  });
});
