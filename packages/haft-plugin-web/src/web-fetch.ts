import { defineTool, type Tool, Type } from "@haft/plugin-sdk";
import { webError } from "./errors.ts";
import type { PageDetails } from "./page-details.ts";
import { readWebPage } from "./read-page.ts";

/** Default characters of one answer. */
const USUAL = 20_000;
const MAX_LIMIT = 100_000;

const parameters = Type.Object({
  url: Type.String({ description: "Address of the page, with https:// or http://.", maxLength: 8192 }),
  offset: Type.Optional(
    Type.Integer({
      description: "Character of the page's text to begin at: `next` of the answer before. Default: 0.",
      minimum: 0,
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      description: `Characters at most. Default: ${USUAL.toLocaleString("en")}.`,
      minimum: 1,
      maximum: MAX_LIMIT,
    }),
  ),
  whole: Type.Optional(
    Type.Boolean({
      description:
        "Everything on the page, its navigation too. Default: only its main part, where it says which that is.",
    }),
  ),
});

/** Reads a page of the web as Markdown. */
export const webFetch: Tool<typeof parameters, PageDetails> = defineTool({
  name: "web_fetch",
  label: "Read a web page",
  description:
    "Reads a page of the web: HTML as Markdown with its links, text and JSON as they are. Long pages come in parts; the answer says how to go on. It runs no scripts, sends nothing but the request, and is not signed in anywhere.",
  parameters,
  effects: ["network"],
  aliases: { url: ["uri", "href", "address"] },
  // Host of the page, for rules and people. Each redirect needs a new decision.
  plan: ({ url }) => ({ subjects: { hosts: [hostOf(readAddress(url))] } }),
  async execute(
    _toolCallId,
    { url, offset = 0, limit = USUAL, whole = false },
    signal,
    _onUpdate,
    { fetch },
  ) {
    const response = await fetch(readAddress(url), {
      headers: {
        accept: "text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1",
      },
      signal,
    });
    return readWebPage(response, { offset, limit, whole });
  },
});

/** @throws `INVALID_ARGUMENTS` */
function readAddress(text: string): URL {
  const trimmed = text.trim();
  const url = URL.parse(trimmed);
  const shown = JSON.stringify(trimmed.slice(0, 200));
  if (url === null) {
    const meant = URL.parse(`https://${trimmed}`);
    const fix = meant?.hostname.includes(".") ? `Did you mean ${meant.href}?` : undefined;
    throw webError("INVALID_ARGUMENTS", `${shown} is no address.`, fix === undefined ? {} : { fix });
  }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw webError(
      "INVALID_ARGUMENTS",
      `${shown} is no address of the web: ${url.protocol} is neither https: nor http:.`,
    );
  if (url.username !== "" || url.password !== "")
    throw webError(
      "INVALID_ARGUMENTS",
      `The address of ${url.host} names a user, and nobody is signed in here.`,
      {
        fix: "Leave out what stands before the @.",
      },
    );
  return url;
}

/** Returns the form of rules and plans: lower case, addresses without brackets, no final dot. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}
