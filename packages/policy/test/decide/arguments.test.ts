import { describe, expect, test } from "vitest";
import { policy, problemsOf } from "../fixtures.ts";

describe.each(["deny", "ask", "allow"])("an argument that no call has, in %s", (list) => {
  test.each([
    [
      "write(arg:pth=x)",
      /No call of write has an argument "pth"; there are path and content\./,
      "write(arg:path=x)",
    ],
    ["write(arg:file_path=x)", /"file_path" is another spelling of the argument "path"/, "write(arg:path=x)"],
    ["write(arg:file=x)", /another spelling/, "write(arg:path=x)"],
    ["write(arg:filepath=x)", /No call/, "write(arg:path=x)"],
    ["exec(arg:cmd=*)", /"cmd" is another spelling of the argument "command"/, "exec(arg:command=*)"],
    ["exec(arg:comand=*)", /No call of exec/, "exec(arg:command=*)"],
    ["exec(arg:enviroment.PATH=*)", /No call of exec/, undefined],
    ["chat/send_message(arg:to.adress=x)", /No call/, "chat/send_message(arg:to.address=x)"],
    ["chat/send_message(arg:to.mail=x)", /another spelling/, "chat/send_message(arg:to.address=x)"],
    ["chat/send_message(arg:recipient.mail=x)", /another spelling/, "chat/send_message(arg:to.address=x)"],
    ["chat/send_message(arg:recipient.name=x)", /another spelling/, "chat/send_message(arg:to.name=x)"],
    ["edit(arg:edits.path=x)", /No call of edit/, undefined],
    ["edit(arg:edits.0.path=x)", /No call of edit/, undefined],
    ["edit(arg:replaceAll=yes)", /never "yes"; it can be true and false/, undefined],
    ["edit(arg:replaceAll=ture)", /never "ture"/, "edit(arg:replaceAll=true)"],
    ["edit(arg:replaceall=true)", /No call of edit/, "edit(arg:replaceAll=true)"],
    ["edit(path:src/**, arg:replacAll=true)", /No call of edit/, "edit(path:src/**, arg:replaceAll=true)"],
    ["edit(arg:edits=x)", /can compare the argument "edits", which is no text/, undefined],
    ["chat/send_message(arg:to=ada)", /which is no text/, undefined],
    ["write(arg:path==x)", /begins with "="/, "write(arg:path=x)"],
    ["math/add(arg:z=1)", /there are x and y/, undefined],
    ["haft-fs/write(arg:pth=x)", /No call of write/, "haft-fs/write(arg:path=x)"],
    ["math/*(arg:z=1)", /No call of add/, undefined],
    ["write(arg:path= x)", /begins or ends with a space/, "write(arg:path=x)"],
    ["write(arg:path='x')", /stands in quotes/, "write(arg:path=x)"],
    ["write(arg:path=a\\b)", /just b/, undefined],
    ["write(arg:path)", /arg:NAME=PATTERN/, undefined],
    ["write(arg:=x)", /arg:NAME=PATTERN/, undefined],
    ["write(arg: path=x)", /arg:NAME=PATTERN/, undefined],
  ])("%s", (selector, says, meant) => {
    const [problem, ...others] = problemsOf(() => policy({ [list]: [selector] }));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ path: `${list}[0]`, message: expect.stringMatching(says) });
    if (meant !== undefined) expect(problem!.nearest).toContain(meant);
  });
});

test.each([
  "write(arg:path=x)",
  "edit(arg:replaceAll=t*)",
  "exec(arg:env.PATH=*)",
  "chat(arg:to.address=*@example.com)",
  // Some of these have it.
  "*(arg:path=x)",
  "group:fs(arg:content=*)",
  "effect:write(arg:content=*)",
  // It takes any argument, as far as is known.
  "web/fetch(arg:whatever=x)",
])("%s is fine", (selector) => expect(problemsOf(() => policy({ deny: [selector] }))).toEqual([]));

test("one that is another spelling for some would leave those out", () => {
  expect(problemsOf(() => policy({ deny: ["*(arg:file=x)"] }))).toMatchObject([
    { path: "deny[0]", nearest: ["*(arg:path=x)"] },
  ]);
});
