import { webError } from "./errors.ts";

/** @throws HaftError `INVALID_ARGUMENTS` */
export function readAddress(text: string): URL {
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

/** As rules and plans have it: in lower case, an address without brackets, no dot at its end. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}
