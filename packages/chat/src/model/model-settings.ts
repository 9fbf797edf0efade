import { didYouMean, nearestNames } from "@haft/utils";
import { chatError } from "../errors.ts";
import { isModelApi, type ModelApi, type Provider, SERVICES } from "./providers.ts";

/**
 * Selects the model.
 *
 * @example
 * ```ts
 * import type { ModelSettings } from "@haft/chat";
 * const settings: ModelSettings = {
 *   model: "gateway/gpt-5.5",
 *   providers: { gateway: { api: "openai", baseUrl: "https://models.example.com", keyEnv: "GATEWAY_KEY" } },
 * };
 * ```
 */
export interface ModelSettings {
  /** Names the model: `provider/model`. Default: the model of the first provider whose key is set. */
  model?: string | undefined;
  /** Sets the address of the endpoint. Default: the provider's own. */
  baseUrl?: string | undefined;
  /** Names the environment variable with the key. Default: the provider's own. */
  keyEnv?: string | undefined;
  /** Adds providers by name. */
  providers?: Readonly<Record<string, Provider>> | undefined;
}

export interface ModelEndpoint {
  name: string;
  model: string;
  api: ModelApi;
  baseUrl: string;
  keyEnv?: string;
  byDefault: boolean;
}

/**
 * Resolves the model. A key goes to a command line's address only if the command line names its variable.
 *
 * @throws HaftError `MODEL_SETTINGS`, `MODEL_KEY`
 */
export function resolveModelEndpoint(settings: ModelSettings, env: NodeJS.ProcessEnv): ModelEndpoint {
  const { model: named } = settings;
  const given = named === undefined ? defaultName(settings, env) : named;
  const slash = given.indexOf("/");
  const provider = given.slice(0, Math.max(0, slash));
  const model = given.slice(slash + 1);
  if (slash < 1 || model === "")
    throw chatError(
      "MODEL_SETTINGS",
      `The model must be provider/model, such as openai/gpt-5-mini; got ${JSON.stringify(given)}.`,
    );
  const known = { ...builtIn(env), ...settings.providers };
  const found = Object.hasOwn(known, provider) ? known[provider] : undefined;
  if (found === undefined)
    throw chatError(
      "MODEL_SETTINGS",
      `The provider ${JSON.stringify(provider)} is unknown. Known: ${Object.keys(known).join(", ")}.${didYouMean(nearestNames(provider, Object.keys(known)))}`,
      {
        fix: "Add other providers to a configuration: chat: { providers: { NAME: { baseUrl, key: { env: NAME } } } }.",
      },
    );
  const api = found.api ?? "openai";
  const baseUrl = addressOf(settings.baseUrl ?? found.baseUrl ?? SERVICES[api].baseUrl, api);
  const keyEnv = settings.keyEnv ?? (settings.baseUrl === undefined ? found.keyEnv : undefined);
  if (keyEnv !== undefined && !env[keyEnv]) throw keyMissing(keyEnv, provider, api);
  if (keyEnv !== undefined && !isPrivate(baseUrl))
    throw chatError(
      "MODEL_SETTINGS",
      `The key in ${keyEnv} would be sent to ${new URL(baseUrl).host} unencrypted.`,
      {
        fix: "Use an https: address. A key over http: is allowed only to this machine (127.0.0.1, [::1], localhost).",
      },
    );
  return {
    name: given,
    model,
    api,
    baseUrl,
    ...(keyEnv !== undefined && { keyEnv }),
    byDefault: named === undefined,
  };
}

function builtIn(env: NodeJS.ProcessEnv): Record<string, Provider> {
  return Object.fromEntries(
    (Object.keys(SERVICES) as ModelApi[]).map((api): [string, Provider] => {
      const { baseUrl, baseEnv, keyEnv } = SERVICES[api];
      const elsewhere = baseEnv.map((name) => env[name]).find(Boolean);
      const set = keyEnv.find((name) => env[name]);
      // Other addresses may need no key.
      const key = set ?? (elsewhere === undefined ? keyEnv[0] : undefined);
      return [api, { api, baseUrl: elsewhere ?? baseUrl, ...(key !== undefined && { keyEnv: key }) }];
    }),
  );
}

function defaultName({ baseUrl, keyEnv }: ModelSettings, env: NodeJS.ProcessEnv): string {
  const api = (Object.keys(SERVICES) as ModelApi[]).find((each) =>
    SERVICES[each].keyEnv.some((name) => env[name]),
  );
  if (api !== undefined && baseUrl === undefined && keyEnv === undefined)
    return `${api}/${SERVICES[api].model}`;
  throw chatError(
    "MODEL_SETTINGS",
    baseUrl === undefined
      ? "No model is set, and no key of a known service is set."
      : "--base-url sets only the address. Set the model with --model.",
    { fix: firstSteps() },
  );
}

function firstSteps(): string {
  const rows = Object.entries(SERVICES).map(
    ([api, { keyEnv, model }]) => [`export ${keyEnv[0]}=…`, `${api}/${model}`] as const,
  );
  const width = Math.max(...rows.map(([command]) => command.length));
  return [
    "Set one of these keys to use a model of its service:",
    ...rows.map(([command, model]) => `  ${command.padEnd(width)}  ${model}`),
    "Another model:             haft chat --model anthropic/NAME",
    "Your own endpoint:         haft chat --base-url http://127.0.0.1:11434/v1 --model openai/NAME",
    "In a configuration: chat: { model: NAME/MODEL, providers: { NAME: { baseUrl: URL, key: { env: VARIABLE } } } }",
  ].join("\n");
}

function keyMissing(keyEnv: string, provider: string, api: ModelApi) {
  const others =
    isModelApi(provider) && SERVICES[api].keyEnv.includes(keyEnv)
      ? SERVICES[api].keyEnv.filter((name) => name !== keyEnv)
      : [];
  const or = others.length > 0 ? ` (or ${others.join(", ")})` : "";
  return chatError("MODEL_KEY", `The key of ${provider} is missing: ${keyEnv}${or} is not set.`, {
    fix: `Run export ${keyEnv}=… in this shell. Keys are never passed on the command line.`,
  });
}

function addressOf(text: string, api: ModelApi): string {
  const wrong = (why: string) =>
    chatError("MODEL_SETTINGS", `The model's address ${why}; got ${JSON.stringify(withoutUser(text))}.`);
  if (!URL.canParse(text)) throw wrong("is not a URL");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw wrong("must begin with https: or http:");
  if (url.username !== "" || url.password !== "")
    throw wrong("contains a user or a password, which belong in a variable");
  if (url.search !== "" || url.hash !== "") throw wrong("contains a query or a fragment");
  if (url.pathname === "/") url.pathname = SERVICES[api].path;
  return url.href.replace(/\/+$/, "");
}

function withoutUser(text: string): string {
  return text.replace(/\/\/[^/@]*@/, "//…@");
}

function isPrivate(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "https:" || ["127.0.0.1", "[::1]", "localhost"].includes(hostname);
}
