import type { ServeOptions, SessionSource } from "../session-source.ts";

/** What one token opens: sessions of one kind, in one place, under one policy. Never shared with another token. */
export interface Tenant extends ServeOptions {
  /** Names it in messages. */
  label: string;
  /**
   * The sessions it opens. Asked once for each conversation.
   *
   * @param session what the client calls this conversation (`Haft-Session`); `undefined` where it says nothing
   */
  source(session: string | undefined): SessionSource | Promise<SessionSource>;
}

/** How much is served at once. */
export interface HttpLimits {
  /** Sessions of one token that may be open. Default 64. */
  sessions?: number;
  /** Minutes after which a session that nobody uses is closed, with what runs in its background. Default 240. */
  idleMinutes?: number;
  /** Bytes of one request. Default 4 MiB. */
  bodyBytes?: number;
}

/** How sessions are served over HTTP. */
export interface HttpOptions {
  /** Where it listens. Default: `127.0.0.1`, so that no other machine reaches it. */
  address?: string;
  /** Default: one that is free. */
  port?: number;
  /** Further names by which clients reach it, as they write them in addresses, without a port. Default: those of this machine itself. */
  hosts?: readonly string[];
  /** What keeps one client from taking everything; each has a default. */
  limits?: HttpLimits;
  /** Told what went wrong beside answers. Default: nobody. */
  onProblem?: (message: string) => void;
  /**
   * Whose token it is. Asked at each request, so that what is taken back counts from the next one on; compare in constant time.
   *
   * @param token as it came, or `undefined` where there is none
   * @returns the same object for the same tenant; `undefined` refuses the request
   */
  resolveTenant(token: string | undefined): Tenant | undefined;
}
