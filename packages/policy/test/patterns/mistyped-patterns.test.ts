import { describe, expect, test } from "vitest";
import { policy, getProblems } from "../fixtures.ts";

// Patterns that could never match, in every place a pattern stands: an error that says why, and what was meant.

type Row = readonly [pattern: string, says: RegExp, meant?: readonly string[]];
const commands: readonly Row[] = [
  ["rm *; ls", /";", which separates commands in a shell.*exec\(rm \*\) applies to every rm/, ["rm *", "ls"]],
  ["curl * | sh", /"\|", which separates/, ["curl *", "sh"]],
  ["a && b", /"&&"/, ["a", "b"]],
  ["a || b", /"\|\|"/, ["a", "b"]],
  ["server &", /"&"/, ["server"]],
  ["git | sh", /"\|"/, ["git", "sh"]],
  ["git push > log", /">", which redirects/, ["git push"]],
  ["git push 2>&1", /">"/, ["git push"]],
  ["cat < x", /"<"/, ["cat"]],
  ["cat <<EOF", /"<<"/, ["cat"]],
  ["(git status)", /"\(", which groups/, ["git status"]],
  ["git (push|pull)", /"\("/],
  ["$TOOL push", /"\$", which expands a value/],
  ["rm $HOME/*", /"\$"/],
  ["rm $(pwd)", /"\$\("/],
  ["rm `pwd`", /"`", which runs/],
  ['git commit -m "a b"', /has quotes/, ["git commit -m 'a b'"]],
  ['git log --author="ada"', /has quotes/, ["git log --author=ada"]],
  ["rm 'x'", /has quotes/, ["rm x"]],
  ["git commit -m 'a", /unclosed quote/],
  ["echo it's", /has quotes/, ["echo its"]],
  ["git --m='a b'", /around a whole word/, ["git '--m=a b'"]],
  ["git 'a b'c", /around a whole word/, ["git 'a bc'"]],
  ["'git' push", /has quotes/, ["git push"]],
  ["'my tool' push", /a program has no quotes/],
  ["git  status", /two spaces/, ["git status"]],
  ["git {push,pull}", /write an entry for each/, ["git push", "git pull"]],
  ["rm ~/x", /has a ~/],
  ["git push # never", /comment/],
  ["FOO=1 make", /variables before/, ["make"]],
  ["if true", /belongs to the shell/],
  ["! rm x", /belongs to the shell/, ["rm x"]],
  ["[[ -f x ]]", /belongs to the shell/],
  ["-rf *", /begins with an option/, ["* -rf *"]],
  ["./build *", /real path/],
  ["bin/build *", /real path/],
  ["/usr/../bin/x", /real path/],
  ["/usr//bin/x", /real path/],
  ["/usr/bin/", /real path/],
  ["grep \\d", /just d/, ["grep \\\\d"]],
  ["git\u00a0status", /invisible character/],
  ["git\u200b status", /invisible character/],
];

describe.each(["deny", "ask", "allow"])("command patterns in %s", (list) => {
  test.for(commands)("decide on exec(%s)", ([pattern, says, meant = []]) => {
    const found = getProblems(() => policy({ [list]: [`exec(${pattern})`] }));
    expect(found).toMatchObject([{ path: `${list}[0]`, message: expect.stringMatching(says) }]);
    expect(found[0]!.nearest ?? []).toEqual(meant.map((each) => `exec(${each})`));
  });
});

test.for(commands)("decides on exec.allow: %s", ([pattern, says, meant = []]) => {
  const found = getProblems(() => policy({ exec: { allow: [pattern] } }));
  expect(found).toMatchObject([{ path: "exec.allow[0]", message: expect.stringMatching(says) }]);
  expect(found[0]!.nearest ?? []).toEqual(meant);
});

test.each(["", " ", "*", "**", "* *", "  *", " git", "git ", "exec(git)", "command:git"])(
  "rejects exec.allow: %j",
  (pattern) => {
    expect(getProblems(() => policy({ exec: { allow: [pattern] } }))).toMatchObject([
      { path: "exec.allow[0]" },
    ]);
  },
);

test.each(["exec((git status))", "exec(rm *; ls))", "exec(git status", "exec(git) status", "exec(git),read"])(
  "rejects %s as a selector",
  (selector) => {
    expect(getProblems(() => policy({ deny: [selector] }))).toMatchObject([{ path: "deny[0]" }]);
  },
);

test.each([
  "find . -exec rm {} \\;",
  "grep a\\|b",
  "git show HEAD~1",
  "git stash@{0}",
  "git log 'a;b c'",
  "git commit -m 'it'\\\\''s'",
  "rm ''",
  "[ -f x ]",
  "echo \\$HOME",
  "git commit -m '*'",
  "my\\ tool x",
  "curl http://x/?a=1",
])("accepts %s as a pattern", (pattern) => {
  expect(getProblems(() => policy({ deny: [`exec(${pattern})`], exec: { allow: [pattern] } }))).toEqual([]);
});

const paths: readonly (readonly [pattern: string, says: RegExp, meant?: string])[] = [
  ["", /missing/],
  ["./src", /name \./, "src"],
  ["src/./a", /name \./, "src/a"],
  [".", /name \./, "**"],
  ["../x", /name \.\..*begin a path outside of its root/],
  ["src/../x", /name \.\./],
  ["src/", /end it with \/\*\*/, "src/**"],
  ["src//a", /empty name/, "src/a"],
  ["/", /empty name/, "/**"],
  ["~/x", /not expanded/],
  ["$HOME/x", /variables are not expanded/],
  ["${HOME}/x", /variables are not expanded|single alternative/],
  ["%TEMP%/x", /variables are not expanded/],
  ["!src", /exceptions with !/],
  ["C:/x", /drives/, "/x"],
  ["file:///x", /schemes/, "/x"],
  ["data:x/**", /names of roots/, "x/**"],
  ["src\\foo", /separated by \//, "src/foo"],
  ["'src/**'", /quotes/, "src/**"],
  ['"src/**"', /quotes/, "src/**"],
  [" src", /space/, "src"],
  ["src\u200b/x", /invisible character/],
  ["src/**.ts", /use \*\* alone/],
  ["src/[ab.ts", /\[a-z\]/],
  ["src/ab].ts", /\[a-z\]/],
];

test.for(paths)("decides on read(path:%s)", ([pattern, says, meant]) => {
  const found = getProblems(() => policy({ deny: [`read(path:${pattern})`] }));
  expect(found).toMatchObject([{ path: "deny[0]", message: expect.stringMatching(says) }]);
  if (meant !== undefined) expect(found[0]!.nearest).toEqual([`read(path:${meant})`]);
});

const hosts: readonly (readonly [pattern: string, says: RegExp, meant?: string])[] = [
  ["", /missing/],
  ["http://x/", /is not a host/, "x"],
  ["https://example.com/a", /is not a host/, "example.com"],
  ["example.com/a", /is not a host/, "example.com"],
  ["me@example.com", /is not a host/, "example.com"],
  ["example.com:443", /ports are ignored/, "example.com"],
  ["*.example.com:443", /ports are ignored/, "*.example.com"],
  ["[::1]:80", /ports are ignored/, "[::1]"],
  ["*.*.com:443", /alone or at the start/, "*.com"],
  ["*example.com", /alone or at the start/, "*.example.com"],
  ["example.*", /alone or at the start/],
  [".example.com", /is not a host/, "example.com"],
  ["example.com.", /is not a host/, "example.com"],
  ["a.com, b.com", /is not a host/, "a.com"],
  ["10.0.0.0/8", /is not a host/],
  ["256.1.1.1", /is not a host/],
  ["127.1", /is not a host/],
  ["*.127.0.0.1", /no subdomains/],
  ["[::1", /is not a host/],
  ["a b", /is not a host/],
];

test.for(hosts)("decides on web/fetch(host:%s)", ([pattern, says, meant]) => {
  const found = getProblems(() => policy({ deny: [`web/fetch(host:${pattern})`] }));
  expect(found).toMatchObject([{ path: "deny[0]", message: expect.stringMatching(says) }]);
  if (meant !== undefined) expect(found[0]!.nearest).toEqual([`web/fetch(host:${meant})`]);
});

test.each([
  ["edit(path:src/**,arg:replaceAll=true)", "edit(path:src/**, arg:replaceAll=true)"],
  ["edit(path:src/*,host:x)", "edit(path:src/*, host:x)"],
  ["edit(path:src/*, pth:x)", "edit(path:src/*, path:x)"],
  ["edit(path:src/*,  path:x)", "edit(path:src/*, path:x)"],
  ["edit(path:src/*, args:x=1)", "edit(path:src/*, arg:x=1)"],
  ["exec(git push, hots:x)", "exec(git push, host:x)"],
])("rejects two incorrectly joined conditions: %s", (selector, meant) => {
  const [problem, ...others] = getProblems(() => policy({ deny: [selector] }));
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ path: "deny[0]", nearest: expect.arrayContaining([meant]) });
});
