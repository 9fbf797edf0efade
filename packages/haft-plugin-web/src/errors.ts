import { defineErrors } from "@haft/plugin-sdk";

/** A source of docs/reference/errors.md. */
export const webError = /* @__PURE__ */ defineErrors(({ input, operational }) => ({
  PAGE_NOT_FOUND: operational(
    "A server has no such page, does not show it, or failed: the message has its status.",
    "Check the address; look for the page from the start page of its site.",
    "none",
  ),
  PAGE_TYPE: input(
    "An address leads to something that is no text: a picture, an archive, a document.",
    "Look for a page that says the same in text.",
    "none",
  ),
  INVALID_ARGUMENTS: {
    category: "input",
    fix: "Give the whole address, with https:// in front.",
    receipt: "none",
  },
}));
