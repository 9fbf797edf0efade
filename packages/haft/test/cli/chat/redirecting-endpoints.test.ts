import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere } from "../../support/haft.ts";
import { endpoint } from "./scripted-chat.ts";

const APIS = ["openai", "anthropic", "google"];

describe("a redirect of an endpoint", () => {
  const KEY = "sk-of-mine";

  test.each([
    ...APIS.map((api) => [api, 307] as const),
    ["openai", 302] as const,
    ["anthropic", 308] as const,
  ])("to another address receives neither key nor messages: %s, %d", async (api, status) => {
    const stolen: string[] = [];
    const other = await endpoint(({ url, headers }, response) => {
      stolen.push(`${url} ${JSON.stringify(headers)}`);
      response.writeHead(404).end();
    });
    const named = await endpoint(({ url }, response) => {
      response.writeHead(status, { location: `${other}/deeper${url}` }).end();
    });
    const run = await haftHere(
      ["chat", "-p", "x", "--base-url", named, "--model", `${api}/x`, "--key-env", "MINE"],
      { cwd: await temporaryFolder(), env: { MINE: KEY } },
    );
    expect(stolen).toEqual([]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    const path = api === "google" ? "v1beta" : "v1";
    expect(run.stderr).toContain(`a redirect to ${other}/deeper/${path}/`);
    expect(run.stderr).toContain(`--base-url ${other}/deeper/${path} (`);
    expect(run.stderr).toContain("[MODEL_UNREACHABLE]");
  });

  test("within its address is followed a limited number of times", async () => {
    const keys: unknown[] = [];
    const url = await endpoint(({ url: requestPath, headers }, response) => {
      keys.push(headers["authorization"]);
      if (requestPath?.startsWith("/v1/")) response.writeHead(307, { location: "/there" }).end();
      else if (requestPath === "/there") response.writeHead(401).end("{}");
      else response.writeHead(307, { location: requestPath }).end();
    });
    const options = ["--model", "openai/x", "--key-env", "MINE"];
    const more = { cwd: await temporaryFolder(), env: { MINE: KEY } };
    const followed = await haftHere(["chat", "-p", "x", "--base-url", url, ...options], more);
    expect(followed.stderr).toContain("[MODEL_KEY]");
    expect(keys).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
    const round = await haftHere(["chat", "-p", "x", "--base-url", `${url}/round`, ...options], more);
    expect(round.stderr).toContain("[MODEL_UNREACHABLE]");
  });
});
