import { readPolicyFile } from "@haft/config";
import {
  defaultStateFolder,
  type EndpointRecord,
  removeEndpoint,
  writeEndpoint,
} from "@haft/config/internal/boundary";
import { DEFAULT_ADDRESS, DEFAULT_PORT } from "@haft/config/internal/defaults";
import { type ServedToken, type ServeSettings, getExportedEnvironment } from "@haft/config/internal/settings";
import { findProcess } from "@haft/guard/internal/clients";
import { type HostOptions, type HostSessionOptions, createHost, type Host } from "@haft/host";
import { findHostConfiguration } from "@haft/host/internal/host";
import type { ServedHttp, Tenant } from "@haft/mcp";
import { withoutUndefined } from "@haft/utils";
import { escapeGlob } from "@haft/workspace/internal/boundary";
import { resolve } from "node:path";
import { waitForAbort, listenForSignals } from "../call/signal-listener.ts";
import type { InspectorPage } from "../inspect/serve-inspector-page.ts";
import {
  readSessionValues,
  readWorkspaceValue,
  senderFrom,
  type SessionValues,
} from "../session-arguments.ts";
import { UsageError } from "../usage.ts";
import { removeStaleFiles } from "./remove-stale-files.ts";
import {
  openInspectorPage,
  reloadOnSignal,
  toServedOptions,
  createSessionSource,
  logServed,
} from "./served-host.ts";
import { ensureOperatorToken, TokenRegistry } from "./token-registry.ts";

const DEFAULT_TOKEN = "own";

/** @param page each token's role on the inspector page */
export async function serveEndpoint(values: SessionValues, where: string, page?: string): Promise<number> {
  const until = listenForSignals();
  const beganAt = Date.now();
  const { host: options, session } = await readSessionValues(values);
  const settings = (await findHostConfiguration(options))?.trusted?.config.serve ?? {};
  const tokens = settings.tokens ?? { [DEFAULT_TOKEN]: defaultToken(options, session, settings) };
  const book = new TokenRegistry(
    Object.fromEntries(Object.entries(tokens).map(([name, { token }]) => [name, token])),
  );
  for (const { workspace, policy } of Object.values(tokens)) {
    if (workspace !== undefined) readWorkspaceValue(workspace);
    if (policy !== undefined) await readPolicyFile(policy);
  }
  removeStaleFiles(options.stateDir);
  const hosts = new TokenHosts({ options, session, tokens, settings, page });
  const { serveHttp } = await import("@haft/mcp");
  const { address, port } = addressOf(where, settings);
  let served: ServedHttp | undefined;
  let noted: NotedEndpoint | undefined;
  try {
    served = await serveHttp({
      address,
      port,
      hosts: [...(settings.hosts ?? []), ...(isLoopback(address) ? [] : [address])],
      ...(settings.limits && { limits: settings.limits }),
      onProblem: logServed,
      resolveTenant: (token) => {
        const name = book.findName(token);
        return name === undefined ? undefined : hosts.tenant(name);
      },
    });
    const endpoint = served;
    noted = noteEndpoint(values, { url: endpoint.url, tokens, digests: book.digests() });
    noted?.write(beganAt);
    const reload = reloadOnSignal(
      () => hosts.opened(),
      async (readAt) => {
        if (readAt !== undefined) noted?.write(readAt);
        await endpoint.toolsChanged();
      },
    );
    console.log(describe(endpoint.url, tokens));
    if (page !== undefined)
      logServed(
        "Each token has a separate page, which starts with its first session; its address is reported then.",
      );
    if (!isLoopback(address))
      logServed("Other machines can reach this address, and tokens are sent without TLS.");
    await waitForAbort(until.signal);
    reload.end();
    return until.code() ?? 0;
  } finally {
    noted?.remove();
    await served?.close();
    await hosts.close();
    until.end();
  }
}

interface Given {
  options: HostOptions;
  session: HostSessionOptions;
  tokens: Readonly<Record<string, ServedToken>>;
  settings: ServeSettings;
  page: string | undefined;
}

/** Hosts open at their token's first request, and share only the state folder. */
class TokenHosts {
  readonly #given: Given;
  readonly #tenants = new Map<string, Tenant>();
  readonly #opening = new Map<string, Promise<Host>>();
  readonly #opened = new Set<Host>();
  readonly #pages = new Set<InspectorPage>();

  constructor(given: Given) {
    this.#given = given;
  }

  tenant(name: string): Tenant {
    const known = this.#tenants.get(name);
    if (known !== undefined) return known;
    const { approvals = this.#given.settings.approvals } = this.#given.tokens[name]!;
    const { structured } = this.#given.settings;
    const tenant: Tenant = {
      label: name,
      ...(approvals && { approvals }),
      ...(structured && { structured }),
      source: async (session) => createSessionSource(await this.#host(name), this.#sessionOf(name, session)),
    };
    this.#tenants.set(name, tenant);
    return tenant;
  }

  /** Opening hosts have already read their rules. */
  async opened(): Promise<readonly Host[]> {
    await Promise.allSettled(this.#opening.values());
    return [...this.#opened];
  }

  async close(): Promise<void> {
    const hosts = await this.opened();
    await Promise.all([...this.#pages].map((page) => page.close()));
    await Promise.all(hosts.map((host) => host.close()));
  }

  #host(name: string): Promise<Host> {
    const known = this.#opening.get(name);
    if (known !== undefined) return known;
    const opening = this.#open(name);
    this.#opening.set(name, opening);
    opening.catch(() => this.#opening.delete(name));
    return opening;
  }

  async #open(name: string): Promise<Host> {
    const { workspace, policy } = this.#given.tokens[name]!;
    const { boundary } = this.#given.options;
    const files = Object.values(this.#given.tokens).flatMap(({ token: { file } }) =>
      file === undefined ? [] : [escapeGlob(file)],
    );
    const host = await createHost(
      toServedOptions({
        ...this.#given.options,
        ...(workspace === undefined ? {} : { workspaceDir: workspace }),
        ...(policy === undefined ? {} : { policy }),
        // A token file grants its token's rights.
        boundary: { ...boundary, deny: [...(boundary?.deny ?? []), ...files] },
      }),
    );
    try {
      const beside = await openInspectorPage(host, this.#given.page, this.#given.options);
      if (beside !== undefined) this.#pages.add(beside);
    } catch (thrown) {
      await host.close();
      throw thrown;
    }
    this.#opened.add(host);
    return host;
  }

  #sessionOf(name: string, session: string | undefined): HostSessionOptions {
    const { kind = "main", agent, sender } = this.#given.tokens[name]!;
    const { openedWith: _openedWith, sandbox, ...rest } = this.#given.session;
    return {
      ...rest,
      kind,
      sessionKey: servedSessionKey(name, session),
      messageChannel: "mcp",
      ...(kind === "sandboxed" && sandbox !== undefined ? { sandbox } : {}),
      ...(agent === undefined ? {} : { agentId: agent }),
      ...(sender === undefined ? {} : { sender: senderFrom(sender) }),
    };
  }
}

/** Escapes the token's name, so that a colon in it is unambiguous. */
export function servedSessionKey(token: string, conversation: string | undefined): string {
  const key = `mcp:${token.replaceAll(/[%:]/g, encodeURIComponent)}`;
  return conversation === undefined ? key : `${key}:${conversation}`;
}

function defaultToken(
  options: HostOptions,
  { kind }: HostSessionOptions,
  { approvals }: ServeSettings,
): ServedToken {
  return {
    token: { file: ensureOperatorToken(options.stateDir || defaultStateFolder()) },
    ...(kind && { kind }),
    ...(approvals && { approvals }),
  };
}

function addressOf(where: string, { address, port }: ServeSettings): { address: string; port: number } {
  const [, given, number] = /^(?:\[?([\w.:-]+?)\]?:)?(\d{1,5})$/.exec(where) ?? [];
  if (where !== "" && (number === undefined || Number(number) > 65_535))
    throw new UsageError(
      `--http is a port, or an address and a port: 127.0.0.1:${DEFAULT_PORT}; got "${where}".`,
    );
  return {
    address: given ?? address ?? DEFAULT_ADDRESS,
    port: number === undefined ? (port ?? DEFAULT_PORT) : Number(number),
  };
}

function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || address.startsWith("127.");
}

function describe(url: string, tokens: Readonly<Record<string, ServedToken>>): string {
  const lines = Object.entries(tokens).map(
    ([name, { token, kind = "main", workspace }]) =>
      `  ${name}: ${token.file ?? `the variable ${token.env}`} (${kind}${workspace === undefined ? "" : `, ${workspace}`})`,
  );
  return [`Serving MCP at ${url} until Ctrl-C. Tokens:`, ...lines].join("\n");
}

interface NotedEndpoint {
  /** @param readAt before the rules were read, in milliseconds since the epoch */
  write(readAt: number): void;
  remove(): void;
}

const LOOPBACK_URL = /^http:\/\/(?:127(?:\.\d+){3}|\[::1\]):/;
/** The file system's clock is some milliseconds behind. */
const CLOCKS_MS = 50;

/**
 * Hooks of the guard leave calls to a recorded endpoint. `undefined` for options that change rules or an
 * address other than loopback, because hooks cannot know these rules.
 */
function noteEndpoint(
  { config, "no-config": without, "admin-policy": administrator, state, policy }: SessionValues,
  {
    url,
    tokens,
    digests,
  }: {
    url: string;
    tokens: Readonly<Record<string, ServedToken>>;
    digests: Readonly<Record<string, string>>;
  },
): NotedEndpoint | undefined {
  const decidesOtherwise = [config, without, administrator, state].some((value) => value !== undefined);
  const self = findProcess(process.pid);
  if (decidesOtherwise || !LOOPBACK_URL.test(url) || self === undefined) return undefined;
  const stateDir = defaultStateFolder();
  const known = Object.entries(tokens).map(([name, { policy: tokenPolicy = policy }]) => [
    digests[name] ?? "",
    withoutUndefined({ policy: tokenPolicy === undefined ? undefined : resolve(tokenPolicy) }),
  ]);
  const record: Omit<EndpointRecord, "readAt"> = {
    url,
    pid: process.pid,
    started: self.started,
    places: getExportedEnvironment(),
    tokens: Object.fromEntries(known) as EndpointRecord["tokens"],
  };
  return {
    write: (readAt) => writeEndpoint(stateDir, { ...record, readAt: readAt - CLOCKS_MS }),
    remove: () => removeEndpoint(stateDir, { ...record, readAt: 0 }),
  };
}
