import type { SandboxBackend, SandboxSpec, SandboxWorkspace } from "@haft/sandbox";

export interface SandboxLease {
  sandbox: SandboxWorkspace;
  isLast(): boolean;
  release(): Promise<void>;
}

interface Shared {
  users: number;
  opening: Promise<SandboxWorkspace>;
  closing?: Promise<void>;
}

/** Opens each sandbox once, and closes it with its last session. Failures are not cached. */
export class SandboxPool {
  readonly #open: (backend: SandboxBackend, spec: SandboxSpec) => Promise<SandboxWorkspace>;
  readonly #there = new Set<SandboxWorkspace>();
  readonly #shared = new Map<SandboxBackend, Map<string, Shared>>();

  constructor(open: (backend: SandboxBackend, spec: SandboxSpec) => Promise<SandboxWorkspace>) {
    this.#open = open;
  }

  async lease(backend: SandboxBackend, spec: SandboxSpec): Promise<SandboxLease> {
    const all = this.#of(backend);
    const name = JSON.stringify(spec);
    let shared = all.get(name);
    while (shared?.closing) {
      await shared.closing;
      shared = all.get(name);
    }
    if (!shared) all.set(name, (shared = { users: 0, opening: this.#open(backend, spec) }));
    const held = shared;
    held.users++;
    const forget = () => {
      if (all.get(name) === held) all.delete(name);
    };
    let sandbox: SandboxWorkspace;
    try {
      sandbox = await held.opening;
      this.#there.add(sandbox);
    } catch (thrown) {
      forget();
      throw thrown;
    }
    let released: Promise<void> | undefined;
    const release = async () => {
      if (--held.users > 0) return;
      this.#there.delete(sandbox);
      const closing = sandbox.close().finally(forget);
      // A session that waits for the name ignores a failed close.
      held.closing = closing.catch(() => {});
      await closing;
    };
    return { sandbox, isLast: () => held.users === 1, release: () => (released ??= release()) };
  }

  get open(): readonly SandboxWorkspace[] {
    return [...this.#there];
  }

  #of(backend: SandboxBackend): Map<string, Shared> {
    let all = this.#shared.get(backend);
    if (!all) this.#shared.set(backend, (all = new Map()));
    return all;
  }
}
