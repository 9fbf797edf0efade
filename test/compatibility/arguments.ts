import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Difference } from "./difference.ts";

export const ofArguments: readonly Difference[] = [
  {
    title: "Other names of parameters",
    theirs:
      "The schema lists `file_path`, `filePath` and `file` as other names of `path`; `oldText` and `newText` have other names, too. Later versions of OpenClaw accept `path` only.",
    here: "All these names are accepted, also `timeout` for `timeoutSeconds` and similar ones. Models see one name. Policy and ledger use this name only.",
    why: "Models keep using the names that they learned. If a schema lists two names, models send both. A rule on one name would miss the other.",
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
    theirs: "The first one counts. The other is ignored.",
    here: "If the values differ, the call is rejected and nothing happens. If they are equal, it runs.",
    why: "Haft cannot know which value the model meant. A guard could check one value while the tool uses the other.",
    async shows({ call, cwd }) {
      await writeFile(join(cwd, "two.txt"), "");
      assert.equal((await call("read", { path: "two.txt", file: "other.txt" })).code, "INVALID_ARGUMENTS");
      assert.equal((await call("read", { path: "two.txt", file: "two.txt" })).code, "ok");
    },
  },
  {
    title: "Unknown parameters",
    theirs: "They are ignored.",
    here: "The call is rejected, and the error lists the known parameters.",
    why: "A misspelled name (`replaceall` for `replace_all`) would change the result without notice.",
    async shows({ call }) {
      const { code, text } = await call("ls", { path: ".", recursively: true });
      assert.equal(code, "INVALID_ARGUMENTS");
      assert.match(text, /unknown parameter recursively[^]*Supply correct parameters/);
    },
  },
  {
    title: "Invalid `offset` and `limit` of `read`",
    theirs: "An `offset` of 0, below 0 or without a number reads from the first line; 2.5 means 2.",
    here: "`offset` and `limit` are whole numbers from 1. Other values are rejected.",
    why: "The model has counted wrongly. With other lines than it asked for, it would edit the wrong one.",
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
    theirs: "`content` is required. OpenClaw rejected an empty text at that time.",
    here: "It writes an empty file.",
    why: "Some files are empty on purpose (`__init__.py`). A missing `content` is still rejected.",
    async shows({ call, cwd }) {
      assert.equal((await call("write", { path: "__init__.py", content: "" })).code, "ok");
      assert.equal(await readFile(join(cwd, "__init__.py"), "utf8"), "");
      assert.equal((await call("write", { path: "__init__.py" })).code, "INVALID_ARGUMENTS");
    },
  },
];
