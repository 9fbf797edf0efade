import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { CREDENTIAL_PATTERNS } from "../../src/boundary/credential-patterns.ts";
import { createDenyList, escapeGlob, READ_ONLY_PATTERNS } from "../../src/boundary/deny.ts";

const context = { root: "/work/app", home: "/home/ada" };
const credentials = createDenyList(CREDENTIAL_PATTERNS, context);

describe("credentials", () => {
  it.each([
    "/home/ada/.ssh",
    "/home/ada/.ssh/config",
    "/home/bob/.ssh/authorized_keys",
    "/work/app/.ssh/known_hosts",
    "/home/ada/.aws/credentials",
    "/home/ada/.aws/sso/cache/token.json",
    "/work/app/id_rsa",
    "/work/app/ID_RSA",
    "/home/ada/keys/id_ed25519",
    "/home/ada/.config/gh/hosts.yml",
    "/home/ada/.kube/config",
    "/home/ada/.docker/config.json",
    "/home/ada/.netrc",
    "/work/app/.git-credentials",
    "/home/ada/.npmrc",
    "/home/ada/.cargo/credentials.toml",
    "/etc/shadow",
    "/etc/gshadow-",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/ssl/private/site.key",
    "/proc/1/environ",
    "/proc/12/task/13/environ",
  ])("denies %s", (path) => {
    expect(credentials.denies(path)).toBe(true);
  });

  it.each([
    "/work/app/.env",
    "/work/app/.npmrc",
    "/work/app/certs/server.pem",
    "/work/app/.aws/task-definition.json",
    "/work/app/id_rsa.pub",
    "/work/app/src/id_rsa_parser.ts",
    "/work/app/.docker/Dockerfile",
    "/work/app/src/ssh/client.ts",
    "/work/app/shadow",
    "/etc/ssh/ssh_host_rsa_key.pub",
    "/proc/cpuinfo",
    "/work/app",
  ])("allows %s", (path) => {
    expect(credentials.denies(path)).toBe(false);
  });
});

describe("patterns", () => {
  const denies = (pattern: string, path: string) => createDenyList([pattern], context).denies(path);

  it("match at any depth without a slash, and below the root with a slash", () => {
    expect(denies(".env", "/work/app/a/b/.env")).toBe(true);
    expect(denies("config/*.key", "/work/app/config/a.key")).toBe(true);
    expect(denies("config/*.key", "/work/app/x/config/a.key")).toBe(false);
    expect(denies("**/config/*.key", "/work/app/x/config/a.key")).toBe(true);
    expect(denies("/srv/**/private", "/srv/a/b/private/x")).toBe(true);
    expect(denies("~/notes", "/home/ada/notes/today.md")).toBe(true);
    expect(denies("~/notes", "/home/bob/notes/today.md")).toBe(false);
  });

  it("cover the content of a matching folder, with or without a trailing slash", () => {
    for (const pattern of ["secrets", "secrets/", "secrets/**"]) {
      expect(denies(pattern, "/work/app/secrets/deep/x")).toBe(true);
      expect(denies(pattern, "/work/app/secrets")).toBe(true);
      expect(denies(pattern, "/work/app/secretsanta")).toBe(false);
    }
  });

  it("are relative to the root if they contain a slash, also before two stars", () => {
    expect(denies("docs/**", "/work/app/docs/x.md")).toBe(true);
    expect(denies("docs/**", "/work/app/docs")).toBe(true);
    expect(denies("docs/**", "/work/app/src/docs/x.md")).toBe(false);
    expect(denies("docs", "/work/app/src/docs/x.md")).toBe(true);
    expect(denies("docs/", "/work/app/src/docs/x.md")).toBe(true);
    expect(denies("**/docs/**", "/work/app/src/docs/x.md")).toBe(true);
    for (const doubled of ["secrets//", "**/secrets//", "secrets/./", "/work/app/secrets//"])
      expect(denies(doubled, "/work/app/secrets/key")).toBe(true);
    for (const home of ["~/", "~/**", "~//"]) expect(denies(home, "/home/ada/x")).toBe(true);
    expect(() => createDenyList([String.raw`\w`], context)).toThrow("which is just w");
    expect(denies("./docs/**", "/work/app/docs/x.md")).toBe(true);
    expect(denies("/**", "/other/x")).toBe(true);
  });

  it("support character sets, and two stars before braces for any folders", () => {
    expect(denies("[a-c]*.key", "/work/app/x/B1.key")).toBe(true);
    expect(denies("[!a-c]*.key", "/work/app/x/B1.key")).toBe(false);
    expect(denies("src/**{.key,.pem}", "/work/app/src/deep/x.pem")).toBe(true);
    expect(denies("src/**.key", "/work/app/src/deep/x.key")).toBe(false);
  });

  it.each([
    "a|b",
    "@(a|b)",
    "app/(admin)",
    "secret[0-9]+",
    "{a,b}+",
    "x{1..3}",
    '"a*"',
    "[a",
    "{a,b",
    "a".repeat(5000),
  ])("are rejected if they would silently deny less than in another matcher: %s", (pattern) => {
    expect(() => createDenyList([pattern], context)).toThrow("Invalid path pattern");
  });

  it("match escaped characters literally", () => {
    const path = '/work/app/a (b)+[c]{d,e}|"f"*?!@\\g';
    const list = createDenyList([escapeGlob(path)], context);
    expect(list.denies(path)).toBe(true);
    expect(list.denies(`${path}x`)).toBe(false);
  });

  it("ignore case and Unicode composition", () => {
    expect(denies("gehe\u0069m-\u00e4.txt", "/work/app/GEHEIM-A\u0308.TXT")).toBe(true);
  });

  it("treat glob characters in the root as plain text", () => {
    const list = createDenyList(["x/secret"], { root: "/work/[app] (1)", home: "/" });
    expect(list.denies("/work/[app] (1)/x/secret")).toBe(true);
    expect(list.denies("/work/a/x/secret")).toBe(false);
  });

  it("pin the folders that their paths contain", () => {
    const list = createDenyList(["config/prod/*.key", "**/.aws/credentials", ".env"], context);
    expect(["/work/app/config", "/work/app/config/prod", "/x/.aws"].map(list.pins)).toEqual([
      true,
      true,
      true,
    ]);
    expect(["/work/app/src", "/work/app/config/dev"].map(list.pins)).toEqual([false, false]);
  });

  it("deny nothing if the list is empty", () => {
    expect(createDenyList([], context).denies("/home/ada/.ssh/id_rsa")).toBe(false);
  });
});

describe("patterns at any depth match only below a root", () => {
  const roots = ["/x/build/proj", "/x/build/proj/lib/build", "/srv/build"];
  const at = (pattern: string, path: string, list = roots) =>
    createDenyList([pattern], { root: list[0]!, home: "/home/ada", roots: list }).denies(path);

  it.each([
    ["build", "/x/build/proj/README.md", false],
    ["build", "/x/build/proj", false],
    ["build", "/x/build/proj/build", true],
    ["build", "/x/build/proj/src/build/a.js", true],
    ["**/build", "/x/build/proj/README.md", false],
    ["**/build/proj", "/x/build/proj/a", false],
    ["proj", "/x/build/proj/a", false],
    ["proj", "/x/build/proj/proj/a", true],
    // A root in another one: the outer one has it denied.
    ["build", "/x/build/proj/lib/build/a", true],
    ["build", "/srv/build/a", false],
    ["build", "/srv/build/build", true],
    // In none of them: from / on.
    ["build", "/other/build/a", true],
    ["/x/build", "/x/build/proj/a", true],
    ["/srv/**/build", "/srv/build/a", true],
  ])("%s, %s: %s", (pattern, path, denied) => expect(at(pattern, path)).toBe(denied));

  it("temporary files below /private, as on macOS", () => {
    const list = ["/private/var/folders/x/T/proj"];
    expect(at("private", `${list[0]}/a`, list)).toBe(false);
    expect(at("private", `${list[0]}/src/private/a`, list)).toBe(true);
  });

  it("denies credentials and .git for any root", () => {
    const list = (root: string) =>
      createDenyList([...CREDENTIAL_PATTERNS, ...READ_ONLY_PATTERNS], {
        root,
        home: "/home/ada",
        roots: [root],
      });
    expect(list("/home/ada/.ssh").denies("/home/ada/.ssh/config")).toBe(true);
    expect(list("/home/bob/.ssh/keys").denies("/home/bob/.ssh/keys/a")).toBe(true);
    expect(list("/x/proj/.git").denies("/x/proj/.git/config")).toBe(true);
  });

  it("also pins only paths below a root", () => {
    const list = createDenyList(["**/config/secret"], { root: "/x/config/p", home: "/h" });
    expect(list.pins("/x/config/p")).toBe(false);
    expect(list.pins("/x/config/p/config")).toBe(true);
  });

  const names = fc.array(fc.constantFrom("a", "b", "build", "x.y"), { minLength: 1, maxLength: 4 });
  property.prop([names, names, fc.constantFrom("build", "**/build", "a", "**/a/b", "x.*", "{a,b}")])(
    "matches independently of the location of a root",
    (above, below, pattern) => {
      const judge = (root: string) =>
        createDenyList([pattern], { root, home: "/h" }).denies(`${root}/${below.join("/")}`);
      expect(judge(`/${above.join("/")}`)).toBe(judge("/elsewhere"));
    },
  );
});
