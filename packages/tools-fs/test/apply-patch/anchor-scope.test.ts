import { describe, expect, test } from "vitest";
import { firstConflict, patched, refused, wrap } from "../support/patch-bench.ts";

const ACCOUNT = `class Account:
    def __init__(self):
        self.total = 0

    def deposit(self, n):
        self.total += n
        return self.total

    def withdraw(self, n):
        self.check(-n)
        self.total -= n
        return self.total
`;

const update = (...hunks: string[]): string => wrap("*** Update File: f", ...hunks);
const conflictOf = async (content: string, ...hunks: string[]) =>
  await firstConflict({ f: content }, update(...hunks));
const changed = async (content: string, ...hunks: string[]): Promise<unknown> =>
  (await patched({ f: content }, update(...hunks))).tree["f"];

describe("the location of a hunk below its anchor", () => {
  const withdraw = [
    "@@     def withdraw(self, n):",
    "-        self.check(-n)",
    "+        self.check_limit(n)",
  ];
  const deposit = [
    "@@     def deposit(self, n):",
    "-        return self.total",
    "+        return self.total + n",
  ];

  test("reports an anchor above the previous hunk", async () => {
    const error = await refused({ f: ACCOUNT }, update(...withdraw, ...deposit));
    expect(error.message).toContain("hunk 2");
    expect(error.message).toContain('"    def deposit(self, n):" is at line 5');
    expect(error.message).toContain("above hunk 1, which is at line 10");
    expect(error.message).toContain('"*** Update File: f"');
    expect(error.details.conflicts).toMatchObject([{ cause: "out-of-order", hunk: 1 }]);
  });

  test("applies hunks in file order, or in separate sections", async () => {
    const both = ACCOUNT.replace("self.check(-n)", "self.check_limit(n)").replace(
      "return self.total\n\n",
      "return self.total + n\n\n",
    );
    expect(await changed(ACCOUNT, ...deposit, ...withdraw)).toBe(both);
    expect(await changed(ACCOUNT, ...withdraw, "*** Update File: f", ...deposit)).toBe(both);
    const envelopes = `${update(...withdraw)}\n${update(...deposit)}`;
    expect((await patched({ f: ACCOUNT }, envelopes)).tree["f"]).toBe(both);
  });

  test.each<[string, string, string[]]>([
    [
      "the hunk before has no anchor",
      ACCOUNT,
      ["@@", "-        self.check(-n)", "+        self.check(n)", ...deposit],
    ],
    [
      "its lines stand only below the hunk before",
      ACCOUNT.replace("return self.total\n", "return None\n"),
      [...withdraw, ...deposit],
    ],
    ["nothing but insertions", "f\n1\ng\n2\n", ["@@ g", "+x", "@@ f", "+y"]],
    [
      "the anchor stands loosely further down",
      "def run\n  x\nclass B\n  def run\n    x\n",
      ["@@ class B", "+  y = 1", "@@ def run", "-    x", "+    z"],
    ],
    [
      "the heading of a numbered header",
      ACCOUNT,
      [
        ...withdraw,
        "@@ -7,1 +7,1 @@     def deposit(self, n):",
        "-        return self.total",
        "+        return self.total + n",
      ],
    ],
  ])("rejects hunks out of order if %s", async (_, content, hunks) => {
    expect(await conflictOf(content, ...hunks)).toMatchObject({ cause: "out-of-order" });
  });

  test.each<[string, string, string[]]>([
    ["the next function begins before it", ACCOUNT.replace("return self.total\n", "return None\n"), deposit],
    [
      "lines that nothing else can be, above the anchor",
      "a\nb\nc\ndef f\n  x\n",
      ["@@ def f", " a", "-b", "+B", " c"],
    ],
    [
      "many lines that stand elsewhere as well",
      "def f\n  x\ndef g\n  a\n  b\n  c\ndef h\n  a\n  b\n  c\n",
      ["@@ def f", "   a", "-  b", "+  B", "   c"],
    ],
    [
      "the class ends before it",
      "class A\n  def run\n    a\nclass B\n  def stop\n    b\n",
      ["@@   def run", "-    b", "+    c"],
    ],
    [
      "braces",
      "function connect() {\n  go();\n}\nfunction retry() {\n  wait();\n}\n",
      ["@@ function connect() {", "-  wait();", "+  wait(1);"],
    ],
    [
      "a signature of several lines, closed",
      "def f(\n    a,\n) -> int:\n    x\n\ndef g():\n    y\n",
      ["@@ def f(", "-    y", "+    z"],
    ],
    [
      "brackets within a signature",
      "function f(\n  a,\n) {\n  x();\n}\nfunction g() {\n  y();\n}\n",
      ["@@ function f(", "-  y();", "+  z();"],
    ],
    [
      "a text that ended",
      'def f():\n    """Doc.\n\nLeft:\n    """\n    x\n\ndef g():\n    y\n',
      ["@@ def f():", "-    y", "+    z"],
    ],
    [
      "a numbered header names another function",
      "def a\n  x\ndef b\n  y\n",
      ["@@ -2,1 +2,1 @@ def b", "-  x", "+  z"],
    ],
  ])("rejects lines outside the anchor's block: %s", async (_, content, hunks) => {
    expect(await conflictOf(content, ...hunks)).toMatchObject({ cause: "outside-anchor" });
  });

  test("rejects an inner anchor that exists only in another class", async () => {
    const content = "class A\n  p\nclass B\n  def run\n    x\n";
    expect(await conflictOf(content, "@@ class A", "@@ def run", "-    x", "+    y")).toMatchObject({
      code: "ANCHOR_NOT_FOUND",
    });
  });

  test("finds an inner anchor within the outer anchor, and rejects several matches", async () => {
    const toplevel = "class B\n  run\n    x\nrun\n    x\n";
    expect(await changed(toplevel, "@@ class B", "@@ run", "-    x", "+    y")).toBe(
      "class B\n  run\n    y\nrun\n    x\n",
    );
    const flat = "B\n run\nx\nrun\nx\n";
    expect(await conflictOf(flat, "@@ B", "@@ run", "-x", "+y")).toMatchObject({ code: "HUNK_AMBIGUOUS" });
  });

  test("is ambiguous if a nearer match differs only in trailing white space", async () => {
    const content = "def f\n  a\n  x \n  b\n  x\n";
    expect(await conflictOf(content, "@@ def f", "-  x", "+  y")).toMatchObject({
      code: "HUNK_AMBIGUOUS",
      places: [{ line: 3 }, { line: 5 }],
    });
  });

  test("does not move a hunk down because of an empty line between hunks", async () => {
    const content = "# f\n  a\n  x\n# g\n  x\n\nend\n";
    expect(await conflictOf(content, "@@ # f", "-  x", "+  y", "", "@@", "-end", "+END")).toMatchObject({
      code: "HUNK_AMBIGUOUS",
      places: [{ line: 3 }, { line: 5 }],
    });
  });

  test("does not use the same location twice for a repeated anchor", async () => {
    const content = "class A\n  x\nclass B\n  x\n";
    expect(
      await conflictOf(content, "@@ class A", "-  x", "+  y", "@@ class A", "-  x", "+  z"),
    ).toMatchObject({ cause: "out-of-order" });
  });

  test("does not match around lines that the previous hunk inserted", async () => {
    expect(await conflictOf("a\nb\nc\n", "@@ a", "+x", "@@", " a", "-b", "+z")).toMatchObject({
      cause: "out-of-order",
    });
    expect(await changed("a\nb\nc\n", "@@ a", "+x", "@@ a", "-b", "+z")).toBe("a\nx\nz\nc\n");
  });

  test.each<[string, string, string[], string]>([
    [
      "an anchor shown by the hunk before",
      "a\nclass A\n  x\n  y\n",
      ["@@", "-a", "+b", " class A", "@@ class A", "-  y", "+  z"],
      "b\nclass A\n  x\n  z\n",
    ],
    [
      "a second anchor of the same text, below the hunk before",
      "def run\n  x\nm\ndef run\n  x\n",
      ["@@", "-m", "+n", "@@ def run", "-  x", "+  y"],
      "def run\n  x\nn\ndef run\n  y\n",
    ],
    [
      "a signature of several lines",
      "def f(\n    a,\n) -> int:\n    x\n",
      ["@@ def f(", "-    x", "+    y"],
      "def f(\n    a,\n) -> int:\n    y\n",
    ],
    [
      "a text at the left margin",
      'class A:\n    """Doc.\n\nLeft:\n    """\n    def run(self):\n        x\n',
      ["@@ class A:", "-        x", "+        y"],
      'class A:\n    """Doc.\n\nLeft:\n    """\n    def run(self):\n        y\n',
    ],
    [
      "a label at the left margin",
      "func Run() {\n\ta()\nagain:\n\tb()\n}\n",
      ["@@ func Run() {", "-\tb()", "+\tc()"],
      "func Run() {\n\ta()\nagain:\n\tc()\n}\n",
    ],
    [
      "a label below an opening brace of its own",
      "int run(void)\n{\n\ta();\nout:\n\tb();\n}\n",
      ["@@ int run(void)", "-\tb();", "+\tc();"],
      "int run(void)\n{\n\ta();\nout:\n\tc();\n}\n",
    ],
    [
      "a template at the left margin",
      "class A {\n  url() {\n    return `http://\nhost`;\n  }\n  run() {\n    x();\n  }\n}\n",
      ["@@ class A {", "-    x();", "+    y();"],
      "class A {\n  url() {\n    return `http://\nhost`;\n  }\n  run() {\n    y();\n  }\n}\n",
    ],
    [
      "an opening brace of its own",
      "class A\n{\n  x\n}\n",
      ["@@ class A", "-  x", "+  y"],
      "class A\n{\n  y\n}\n",
    ],
    [
      "an anchor that opens nothing",
      "import a\nimport b\n\ndef f\n  x\n",
      ["@@ import a", "-  x", "+  y"],
      "import a\nimport b\n\ndef f\n  y\n",
    ],
    [
      "a hunk that shows where the next block begins",
      "def f\n  x\ndef g\n  y\n",
      ["@@ def f", " def g", "-  y", "+  z"],
      "def f\n  x\ndef g\n  z\n",
    ],
    [
      "the class whose method the hunk before changed",
      "class A\n  run\n    x\n  stop\n    y\nclass B\n  stop\n    y\n",
      ["@@ class A", "@@ run", "-    x", "+    z", "@@ class A", "-    y", "+    z"],
      "class A\n  run\n    z\n  stop\n    z\nclass B\n  stop\n    y\n",
    ],
    [
      "a function in which the hunk before lies without naming it",
      "def f\n  a\n  b\ndef g\n  b\n",
      ["@@", "-  a", "+  A", "@@ def f", "-  b", "+  B"],
      "def f\n  A\n  B\ndef g\n  b\n",
    ],
    [
      "a method beside its type, named below it",
      "type A struct {\n\tx int\n}\n\nfunc New() {\n\tx()\n}\n\nfunc (a A) Run() {\n\tx()\n}\n",
      ["@@ type A struct {", "@@ func (a A) Run() {", "-\tx()", "+\ty()"],
      "type A struct {\n\tx int\n}\n\nfunc New() {\n\tx()\n}\n\nfunc (a A) Run() {\n\ty()\n}\n",
    ],
    [
      "lines that nothing else can be, though the function that git repeats has ended",
      "def f\n  def inner\n    a\n  loop\n    b\n    c\n    d\n",
      ["@@   def inner", "     b", "-    c", "+    C", "     d"],
      "def f\n  def inner\n    a\n  loop\n    b\n    C\n    d\n",
    ],
    [
      "lines that nothing else can be, though the anchor above the hunk before opens nothing",
      "const a = 1;\nx\ny\nf\ng\nh\n",
      ["@@", "-y", "+Y", "@@ const a = 1;", " f", "-g", "+G", " h"],
      "const a = 1;\nx\nY\nf\nG\nh\n",
    ],
    [
      "a heading above the hunk before, its lines being where the numbers say",
      "const a = 1;\nx\ny\ny\nz\n",
      ["@@ -2,1 +2,1 @@", "-x", "+X", "@@ -4,1 +4,1 @@ const a = 1;", "-y", "+Y"],
      "const a = 1;\nX\ny\nY\nz\n",
    ],
  ])("locates the hunk despite %s", async (_, content, hunks, expected) => {
    expect(await changed(content, ...hunks)).toBe(expected);
  });
});
