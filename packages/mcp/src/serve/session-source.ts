import type { Mount, ToolFacts } from "@haft/core";
import type { Session, SessionPreview } from "@haft/core/kernel";

/** What whoever serves sessions may say beside which. Everything has a default. */
export interface ServeOptions {
  /** How the server calls itself. Default: `haft`. */
  name?: string;
  /** Its version. Default: that of this package. */
  version?: string;
  /** What clients give their models to read about the tools. Default: made of the tools there are. `false`: nothing. */
  instructions?: string | false;
  /**
   * Who decides about a call that needs approval. `client`: whoever sits at the client is asked, where the client can ask; what
   * is not answered there waits. `operator`: it waits, and no client decides. Default: `client` for sessions of the kind `main`,
   * which are their owner's own, and `operator` for others.
   */
  approvals?: "client" | "operator";
  /**
   * Names of tools with an output schema whose `details` say all that their text says: they are announced with it, and their results have
   * `structuredContent`. Several clients then show their model nothing else. Default: none.
   */
  structured?: readonly string[];
  /** Told what went wrong beside answers: frames that are none, say. Default: nobody. */
  onProblem?: (message: string) => void;
}

/** What is served: sessions of one kind, in one place, under one policy, as the operator said. No client has a say in it. */
export interface SessionSource {
  /** Opens one. Asked at the first call, not before. */
  open(): Promise<Session>;
  /** What such a session would see, with nothing opened: for lists that come before the first call. */
  preview(): Promise<Pick<SessionPreview, "tools" | "facts">>;
  /** Every tool there is, as policy knows it: what calls may do is told to clients. */
  catalogue(): readonly ToolFacts[];
  /**
   * The folders of this machine that it works in, the workspace first, with real paths: what a client has open is told its model by
   * them. Default: none, so that all of it is said to be ignored.
   */
  folders?(): readonly Mount[];
  /** Whether something runs in the background of such a session, which its end would end. Default: nothing does. */
  isBusy?(session: Session): Promise<boolean>;
  /** What is known with it alone; counts before what is said elsewhere. */
  readonly options?: ServeOptions;
}
