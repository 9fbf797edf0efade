import { expect, test } from "vitest";
import { toPackagePage } from "../scripts/lib/package-guides.ts";

const host = { name: "@haft/host", folder: "packages/host" };
const readme = (text: string) => toPackagePage("packages/host/README.md", text, host);
const page = (text: string) => toPackagePage("docs/guides/durability.md", text, host);

test("links out of the package become text that reads as a sentence", () => {
  expect(page("See [the store on NATS](../architecture/store-on-nats.md).")).toBe(
    "See the store on NATS (`docs/architecture/store-on-nats.md` in the repository).",
  );
  expect(page("It stays ([reasons](../architecture/view.md#macos)).")).toBe(
    "It stays (reasons: `docs/architecture/view.md` in the repository).",
  );
  expect(page("| [Codex](clients/codex.md) | removed |")).toBe("| Codex | removed |");
  expect(page("[`call.ts`](../../packages/core/src/call.ts) runs it.")).toBe("`call.ts` runs it.");
  expect(page("Write [a plugin](write-a-plugin.md).")).toBe(
    "Write a plugin (`docs/guides/write-a-plugin.md` of `@haft/plugin-sdk`).",
  );
});

test("a README links the package's own pages, and names other packages", () => {
  expect(readme("[Hosts](../../docs/guides/hosts.md#limits) of [Haft](../../README.md)")).toBe(
    "[Hosts](docs/guides/hosts.md#limits) of Haft",
  );
  expect(readme("[the table](../../docs/reference/errors.md), [`haft`](../haft/README.md)")).toBe(
    "the table (`docs/reference/errors.md` of `haft`), `haft`",
  );
  expect(readme("a [host](../core/README.md#quick-start), [here](#here) or [there](https://nats.io)")).toBe(
    "a host (the README of `@haft/core`), [here](#here) or [there](https://nats.io)",
  );
});

test("a page links the README and the pages of its package", () => {
  expect(
    page("[README](../../packages/host/README.md), [hosts](hosts.md), [start](../start/agent-hosts.md)"),
  ).toBe("[README](../../README.md), [hosts](hosts.md), [start](../start/agent-hosts.md)");
});
