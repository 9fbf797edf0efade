/** What is shown instead. */
const COVER = "[secret]";

/** Beginnings that providers give their keys, so that they can be found. */
const KNOWN_KEYS =
  /\b(?:sk-(?:[a-z]+-)*[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|A(?:KIA|SIA)[A-Z0-9]{16}|AIza[\w-]{30,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,})/g;
/** `Authorization: Bearer …`, `Basic …`. */
const AUTHORIZATION = /\b((?:bearer|basic|token)\s+)[A-Za-z0-9+/=._~-]{12,}/gi;
/** `password=…`, `API_KEY: "…"`, `--token …`. Groups: what stays, the quote. */
const NAMED =
  /((?:^|[\s"'{,&?;-])[\w.-]{0,40}(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)["']?\s{0,3}(?:[:=]\s{0,3}|\s)(["']?))([^\s"'&,;]{6,})/gi;
/** `https://user:password@host`. */
const IN_URL = /([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,200}:)([^\s/@]{1,200})(@)/gi;
const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,20000}?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g;

/**
 * A text in which what looks like a secret is covered: for prompts, which reach chats and logs. It finds common
 * shapes only; that something is not covered does not make it public.
 */
export function redactSecrets(text: string): string {
  return text
    .replace(PRIVATE_KEY, COVER)
    .replace(KNOWN_KEYS, COVER)
    .replace(AUTHORIZATION, `$1${COVER}`)
    .replace(IN_URL, `$1${COVER}$3`)
    .replace(NAMED, `$1${COVER}`);
}
