import { expect, test } from "vitest";
import { coveringFolders } from "../../../src/view/git/find-repositories.ts";

test("covers hundreds of thousands of folders with few", () => {
  const many = Array.from({ length: 300_000 }, (_, at) => `/root/${at % 3}/${at}`);
  expect(coveringFolders(many, ["/root"], 64)).toEqual(["/root/0", "/root/1", "/root/2"]);
});
