import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Difference } from "./difference.ts";

export const ofArguments: readonly Difference[] = [
  {
    title: "Other names of parameters",
    theirs:
      "`path` may be written `file_path`, `filePath` or `file` (`oldText` and `newText` likewise), and the schema says so. Later versions of OpenClaw know the one name only.",
    here: "All of them are understood, as are `timeout` for `timeoutSeconds` and their like. Models are shown the one name, and policy and ledger know no other.",
    why: "Models go on writing what they learned. A second name in a schema asks for both, and rules on arguments could be got round by another spelling.",
    async shows({ call, cwd, session }) {
      await writeFile(join(cwd, "names.txt"), "one\n");
      for (const name of ["path", "file_path", "filePath", "file"])
        assert.equal((await call("read", { [name]: "names.txt" })).code, "ok");
      const { args } = session.ledger().at(-1)!;
      assert.deepEqual(args, { path: "names.txt" });
      const edit = { file_path: "names.txt", old_string: "one", new_string: "two" };
      assert.equal((await call("edit", edit)).code, "ok");
      const read = session.tools().find(({ name }) => name === "read")!;
      const properties = Object.keys(read.parameters["properties"] as object);
      assert.deepEqual([properties.includes("path"), properties.includes("file_path")], [true, false]);
    },
  },
  {
    title: "Two spellings of one parameter",
    theirs: "The first that is there counts, and the other is dropped.",
    here: "With two values the call is refused and nothing happens. With the same value twice it runs.",
    why: "Which one was meant cannot be known, and a guard may look at one while the tool uses the other.",
    async shows({ call, cwd }) {
      await writeFile(join(cwd, "two.txt"), "");
      assert.equal((await call("read", { path: "two.txt", file: "other.txt" })).code, "INVALID_ARGUMENTS");
      assert.equal((await call("read", { path: "two.txt", file: "two.txt" })).code, "ok");
    },
  },
  {
    title: "Parameters that do not exist",
    theirs: "They are ignored.",
    here: "The call is refused, with what there is.",
    why: "A slip in a name (`replace_all` as `replaceall`) would change what happens without a word.",
    async shows({ call }) {
      const { code, text } = await call("ls", { path: ".", recursively: true });
      assert.equal(code, "INVALID_ARGUMENTS");
      assert.match(text, /unknown parameter recursively[^]*Supply correct parameters/);
    },
  },
  {
    title: "`read` from offset 0 or below, or from the middle of a line number",
    theirs: "`offset` 0, below 0 or no number reads from the first line; 2.5 is 2.",
    here: "`offset` is a whole number from 1 on; anything else is refused, and so is a `limit` below 1.",
    why: "It is a model's mistake in counting. Answered with another line than it asked for, it edits the wrong one.",
    async shows({ call, cwd }) {
      await writeFile(join(cwd, "offset.txt"), "one\ntwo\n");
      for (const offset of [0, -1, 2.5])
        assert.equal((await call("read", { path: "offset.txt", offset })).code, "INVALID_ARGUMENTS");
      for (const limit of [0, -1])
        assert.equal((await call("read", { path: "offset.txt", limit })).code, "INVALID_ARGUMENTS");
      assert.equal((await call("read", { path: "offset.txt", offset: 2 })).text, "two\n");
    },
  },
  {
    title: "Empty content of `write`",
    theirs: "`content` is required, and OpenClaw took an empty one for a missing one at that time.",
    here: "It writes an empty file.",
    why: "Empty files are wanted (`__init__.py`), and a missing `content` is still refused.",
    async shows({ call, cwd }) {
      assert.equal((await call("write", { path: "__init__.py", content: "" })).code, "ok");
      assert.equal(await readFile(join(cwd, "__init__.py"), "utf8"), "");
      assert.equal((await call("write", { path: "__init__.py" })).code, "INVALID_ARGUMENTS");
    },
  },
];
