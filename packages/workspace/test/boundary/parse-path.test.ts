import { fc, test } from "@fast-check/vitest";
import { HaftError } from "@haft/core";
import { describe, expect, it } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { parsePath } from "../../src/boundary/parse-path.ts";

const context = {
  home: "/home/ada",
  isRoot: (name: string) => name === "docs",
  existsInRoot: (name: string) => ["@scope", "scope", "src", "@both"].includes(name),
};
const parse = (path: string) => parsePath(path, context);
const relative = (...components: string[]) => ({ root: "", components, folder: false });
const absolute = (...components: string[]) => ({ root: undefined, components, folder: false });

function refusal(path: string): HaftError {
  try {
    parse(path);
  } catch (thrown) {
    if (HaftError.is(thrown)) return thrown;
    throw thrown;
  }
  throw new Error(`${path} was accepted`);
}

describe("rejected paths", () => {
  it.each([
    ["the empty path", ""],
    ["a lone @", "@"],
    ["NUL", "a\0b"],
    ["a line break", "a\nb"],
    ["DEL", "a\u007f"],
    ["a lone surrogate", "a\ud800"],
    ["a Windows drive", "C:\\Users\\ada"],
    ["a Windows drive with slashes", "c:/Users/ada"],
    ["a bare Windows drive", "C:"],
    ["a UNC path", "\\\\server\\share"],
    ["a device path", "\\\\?\\C:\\x"],
    ["a web address", "https://example.org/x"],
    ["a file URL of another machine", "file://server/share"],
    ["a file URL without a path", "file://localhost"],
    ["an encoded slash", "file:///a%2Fb"],
    ["an encoded backslash", "file:///a%5cb"],
    ["an encoded NUL", "file:///a%00b"],
    ["broken encoding", "file:///a%zz"],
    ["all of it behind an @", "@C:\\x"],
    ["more than 4095 bytes", "ä".repeat(2048)],
  ])("%s", (_, path) => {
    const error = refusal(path);
    expect(error.code).toBe("INVALID_PATH");
    expect(error.category).toBe("input");
    expect(error.fix).toBeTruthy();
    expect(error.message.length).toBeLessThan(400);
  });
});

describe("accepted paths", () => {
  it.each([
    ["a.ts", relative("a.ts")],
    ["src//./a.ts", relative("src", "a.ts")],
    ["src/../a.ts", relative("src", "..", "a.ts")],
    ["../a.ts", relative("..", "a.ts")],
    ["/etc/hosts", absolute("etc", "hosts")],
    ["//etc/hosts", absolute("etc", "hosts")],
    ["~", absolute("home", "ada")],
    ["~/notes.md", absolute("home", "ada", "notes.md")],
    ["./~/notes.md", relative("~", "notes.md")],
    ["~ada/notes.md", relative("~ada", "notes.md")],
    ["file:///etc/hosts", absolute("etc", "hosts")],
    ["file://localhost/a%20b/%C3%A4", absolute("a b", "ä")],
    ["FILE:///a/%2e%2e/b", absolute("a", "..", "b")],
    ["docs:guide.md", { ...relative("guide.md"), root: "docs" }],
    ["docs:/guide.md", { ...relative("guide.md"), root: "docs" }],
    ["docs:../x", { ...relative("..", "x"), root: "docs" }],
    ["./docs:guide.md", relative("docs:guide.md")],
    ["other:guide.md", relative("other:guide.md")],
    ["@src/a.ts", relative("src", "a.ts")],
    ["@scope/a.ts", relative("@scope", "a.ts")],
    ["@src", relative("src")],
    ["@types/foo.d.ts", relative("@types", "foo.d.ts")],
    ["@new.ts", relative("@new.ts")],
    ["@@both/a.ts", relative("@both", "a.ts")],
    ["@@src/a.ts", relative("@@src", "a.ts")],
    ["@./a.ts", relative("a.ts")],
    ["@../a.ts", relative("..", "a.ts")],
    ["@file:///etc/hosts", absolute("etc", "hosts")],
    ["@/etc/hosts", absolute("etc", "hosts")],
    ["@~/x", absolute("home", "ada", "x")],
    ["@docs:x", { ...relative("x"), root: "docs" }],
    ["a\\b", relative("a\\b")],
    ["..\\..\\etc", relative("..\\..\\etc")],
    ["a:b", relative("a:b")],
    ["...", relative("...")],
    [".", { ...relative(), folder: true }],
    ["src/", { ...relative("src"), folder: true }],
    ["src/.", { ...relative("src"), folder: true }],
  ])("%s", (path, expected) => {
    expect(parse(path)).toEqual(expected);
  });
});

test.prop([fc.string({ unit: codePoint, maxLength: 60 })])(
  "never returns empty components, `.` or names with a slash",
  (path) => {
    try {
      for (const component of parse(path).components) {
        expect(component).not.toMatch(/^\.?$|\//);
      }
    } catch (thrown) {
      expect(HaftError.is(thrown) && thrown.code).toBe("INVALID_PATH");
    }
  },
);
