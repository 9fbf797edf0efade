import { expect, test } from "vitest";
import { servedSessionKey } from "../../src/cli/serve/serve-endpoint.ts";

test("gives different keys for all names of tokens and conversations", () => {
  const words = ["a", "b", "a:b", "a:", ":a", "a%3Ab", "a%3ab", "%", "%25", "a:b:c", "b:c", "a%", ":"];
  const keys = words.flatMap((token) =>
    [undefined, ...words].map((conversation) => servedSessionKey(token, conversation)),
  );
  expect(new Set(keys).size).toBe(keys.length);
  expect(servedSessionKey("laptop", undefined)).toBe("mcp:laptop");
  expect(servedSessionKey("my laptop", "work")).toBe("mcp:my laptop:work");
});
