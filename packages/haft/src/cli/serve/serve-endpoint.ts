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
import { installUncaughtHandler } from "../uncaught/install-uncaught-handler.ts";
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

const OWN = "own";

/** Serves sessions over HTTP until a signal. @param page with a page beside each token's sessions */
export async function serveEndpoint(values: SessionValues, where: string, page?: string): Promise<number> {
  installUncaughtHandler();
  const until = listenForSignals();
  const beganAt = Date.now();
  const { host: options, session } = await readSessionValues(values);
  const settings = (await findHostConfiguration(options))?.trusted?.config.serve ?? {};
  const tokens = settings.tokens ?? { [OWN]: ownOne(options, session, settings) };
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
  const { address, port } = placeOf(where, settings);
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
        "Each token has a page of its own, which begins with its first session; then its address is told.",
      );
    if (!isLoopback(address))
      logServed("Other machines reach this address, and tokens go there as they are, without TLS.");
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

/** The hosts of tokens, each opened by the first request with it: two of them share nothing but the state folder. */
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

  /** With those that are still being opened: each has read its rules by then, and has its page. */
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
        // Whoever reads one is whoever it stands for.
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

/** Names a conversation of a token. The name of the token is escaped, so that a longer name is not read as name and conversation. */
export function servedSessionKey(token: string, conversation: string | undefined): string {
  const key = `mcp:${token.replaceAll(/[%:]/g, encodeURIComponent)}`;
  return conversation === undefined ? key : `${key}:${conversation}`;
}

function ownOne(
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

function placeOf(where: string, { address, port }: ServeSettings): { address: string; port: number } {
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
  /** Again, when rules were read. @param readAt milliseconds since 1970, of before they were */
  write(readAt: number): void;
  remove(): void;
}

/** Addresses that nobody but this machine has. */
const OWN_ADDRESS = /^http:\/\/(?:127(?:\.\d+){3}|\[::1\]):/;
/** By the clock of files, which is some milliseconds behind. */
const CLOCKS_MS = 50;

/**
 * Has an endpoint say of itself where it listens, and by which rules it decides: the guard's hooks leave calls to it then. Nothing
 * where it decides by rules that those cannot know of, or is reached by others.
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
  if (decidesOtherwise || !OWN_ADDRESS.test(url) || self === undefined) return undefined;
  const stateDir = defaultStateFolder();
  const known = Object.entries(tokens).map(([name, { policy: own = policy }]) => [
    digests[name] ?? "",
    withoutUndefined({ policy: own === undefined ? undefined : resolve(own) }),
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
