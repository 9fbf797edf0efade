import { statSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { Database } from "../../src/sqlite/database/database.ts";
import { temporaryDatabase } from "../support/temporary-store.ts";

test("moves a large write-ahead file into the file in the background", () => {
  const path = temporaryDatabase();
  const database = new Database({ path, durability: "process", hasRow: () => true });
  onTestFinished(() => database.close());
  const write = (times: number) => {
    for (let time = 0; time < times; time++)
      database.write(() =>
        database.run("INSERT INTO paths (path) VALUES (?)", `${Math.random()}`.repeat(20)),
      );
  };
  const size = () => statSync(path).size;
  write(100);
  const before = size();
  database.checkpoint();
  expect(size()).toBe(before);
  write(400);
  // No commit has waited for the disk.
  expect(size()).toBe(before);
  database.checkpoint();
  expect(size()).toBeGreaterThan(before + 100_000);
});
