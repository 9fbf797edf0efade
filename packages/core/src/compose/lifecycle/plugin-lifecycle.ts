import { withoutUndefined, withTimeout } from "@haft/utils";
import { HaftError, type HaftErrorOptions, getErrorMessage } from "../../contract/errors.ts";
import type { CallPlan } from "../../contract/plan.ts";
import type { Logger } from "../../contract/ports.ts";
import type { Plugin } from "../../contract/registration.ts";
import type { ToolResult } from "../../contract/result.ts";
import type { AnyTool } from "../../contract/tool.ts";
import { coreError } from "../../errors.ts";
import { messageWithCauses } from "../../format/causes.ts";
import { registerRecordedSecrets } from "../../format/known-secrets.ts";
import type { SecretMasker } from "../../format/secret-masker.ts";
import {
  checkConfig,
  type CheckedConfig,
  type ConfigSourceLookup,
  formatConfigProblem,
} from "./checked-config.ts";

export interface LifecycleOptions {
  timeoutMs: number;
  getSource: ConfigSourceLookup;
}

export interface LifecycleProblem {
  code: "PLUGIN_CONFIG_INVALID" | "SETUP_FAILED" | "DISPOSE_FAILED";
  message: string;
  fix: string;
}

const FOR_AUTHORS = "Report it to the plugin's author. All other tools work.";

export class PluginLifecycle {
  readonly #plugin: Plugin;
  readonly #timeoutMs: number;
  readonly #getSource: ConfigSourceLookup;
  readonly #checked: CheckedConfig;
  readonly #forgetSecrets: () => void;
  readonly #end = new AbortController();
  #ready: Promise<void> | undefined;
  #config: unknown;
  #state: unknown;
  #running = 0;
  #whenIdle: PromiseWithResolvers<void> | undefined;
  #isOver = false;
  #isStarting = false;
  #hasFailed = false;
  #log: { over: Logger; logger: Logger } | undefined;

  static create(plugin: Plugin, options: LifecycleOptions): PluginLifecycle | undefined {
    const { configSchema, setup, dispose } = plugin;
    return (configSchema ?? setup ?? dispose) === undefined
      ? undefined
      : new PluginLifecycle(plugin, options);
  }

  constructor(plugin: Plugin, { timeoutMs, getSource }: LifecycleOptions) {
    this.#plugin = plugin;
    this.#timeoutMs = timeoutMs;
    this.#getSource = getSource;
    this.#checked = checkConfig(plugin, getSource);
    this.#config = this.#checked.config;
    this.#forgetSecrets = registerRecordedSecrets(this.#checked.secrets);
  }

  get problem(): LifecycleProblem | undefined {
    const { problems } = this.#checked;
    if (problems.length === 0) return undefined;
    return this.#misconfigured(problems.map((each) => formatConfigProblem(each, this.#getSource)).join(" "));
  }

  get secretMasker(): SecretMasker {
    return this.#checked.secretMasker;
  }

  get config(): unknown {
    return this.#config;
  }

  get state(): unknown {
    return this.#state;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get needsWrapping(): boolean {
    const { setup, dispose } = this.#plugin;
    return (
      setup !== undefined ||
      dispose !== undefined ||
      !this.secretMasker.isEmpty ||
      this.#checked.finish !== undefined
    );
  }

  logger(over: Logger): Logger {
    if (this.secretMasker.isEmpty) return over;
    if (this.#log?.over !== over) this.#log = { over, logger: coveredLogger(over, this.secretMasker) };
    return this.#log.logger;
  }

  /** Validates the configuration and sets up, once; a failure is final. @throws HaftError of a {@link LifecycleProblem} */
  ready(logger: Logger): Promise<void> {
    return (this.#ready ??= this.#startOnce(logger));
  }

  /** Runs code of a tool after the setup; masks secrets in its errors. @throws HaftError `PLUGIN_DISPOSED` */
  async run<T>(name: string, logger: Logger, part: () => T | Promise<T>): Promise<T> {
    await this.ready(logger);
    if (this.#isOver)
      throw coreError(
        "PLUGIN_DISPOSED",
        `Plugin "${this.#plugin.id}" was disposed of, so ${name} did not run.`,
      );
    this.#running++;
    try {
      return await part();
    } catch (thrown) {
      throw coveredError(thrown, this.secretMasker);
    } finally {
      if (--this.#running === 0) this.#whenIdle?.resolve();
    }
  }

  wrapTool(tool: AnyTool): AnyTool {
    if (!this.needsWrapping) return tool;
    const { name } = tool;
    const { secretMasker } = this;
    return Object.freeze<AnyTool>({
      ...tool,
      execute: (id, params, signal, onUpdate, context) => {
        const update = onUpdate && ((partial: ToolResult) => onUpdate(secretMasker.maskValue(partial)));
        return this.run(name, context.logger, async () =>
          secretMasker.maskValue(await tool.execute(id, params, signal, update, context)),
        );
      },
      ...(tool.plan && {
        plan: (params, context, signal) =>
          this.run(name, context.logger, async () => {
            const plan = await tool.plan!(params, context, signal);
            return plan && coveredPlan(plan, secretMasker);
          }),
      }),
      ...(tool.wantsPlan && {
        wantsPlan: (params, context) =>
          this.run(name, context.logger, () => tool.wantsPlan!(params, context)),
      }),
    });
  }

  /** Waits for running calls first. Never rejects. */
  async dispose(): Promise<LifecycleProblem | undefined> {
    try {
      return await this.#dispose();
    } finally {
      this.#forgetSecrets();
    }
  }

  async #dispose(): Promise<LifecycleProblem | undefined> {
    const { id } = this.#plugin;
    if (this.#isOver) return undefined;
    this.#isOver = true;
    if (this.#ready === undefined) return undefined;
    if (this.#isStarting) this.#end.abort();
    const late = (what: string) => () => new Error(`${what} took longer than ${this.#timeoutMs} ms`);
    try {
      const limitMs = this.#timeoutMs;
      const ready = this.#ready.then(
        () => true,
        () => false,
      );
      const isUp = await withTimeout(ready, limitMs, { error: late("its setup") }).finally(() =>
        this.#running === 0 ? this.#end.abort() : undefined,
      );
      if (!isUp) return undefined;
      if (this.#running > 0) {
        const idle = (this.#whenIdle = Promise.withResolvers<void>());
        await withTimeout(idle.promise, limitMs);
      }
      this.#end.abort();
      await withTimeout(() => this.#plugin.dispose?.(this.#state), limitMs, { error: late("its dispose") });
      return undefined;
    } catch (thrown) {
      const why = this.secretMasker.maskText(messageWithCauses(thrown));
      return {
        code: "DISPOSE_FAILED",
        message: `Plugin "${id}" was not disposed of: ${why}. Its resources may stay in use until the process ends.`,
        fix: "Report it to the plugin's author: dispose has to release the state of setup fast.",
      };
    } finally {
      this.#end.abort();
    }
  }

  async #startOnce(logger: Logger): Promise<void> {
    this.#isStarting = true;
    try {
      await this.#start(this.logger(logger));
    } catch (thrown) {
      this.#hasFailed = true;
      throw thrown;
    } finally {
      this.#isStarting = false;
    }
  }

  async #start(logger: Logger): Promise<void> {
    const { id, setup } = this.#plugin;
    const { problem } = this;
    if (problem !== undefined) throw errorOf(problem);
    try {
      if (this.#checked.finish !== undefined)
        this.#config = await withTimeout(this.#checked.finish, this.#timeoutMs, {
          error: () => new Error("its check took too long"),
        });
    } catch (thrown) {
      throw errorOf(this.#misconfigured(getErrorMessage(thrown)));
    }
    if (setup === undefined) return;
    let isLate = false;
    let making: Promise<unknown> | undefined;
    const { config } = this;
    try {
      this.#state = await withTimeout(
        () => (making = (async () => setup({ config, logger, signal: this.#end.signal }))()),
        this.#timeoutMs,
        {
          error: () => {
            isLate = true;
            return new Error(`it took longer than ${this.#timeoutMs} ms`);
          },
        },
      );
    } catch (thrown) {
      this.#end.abort(thrown);
      if (isLate) making?.then((state) => this.#plugin.dispose?.(state)).catch(() => {});
      const why = this.secretMasker.maskText(messageWithCauses(thrown));
      throw errorOf({
        code: "SETUP_FAILED",
        message: `The setup of plugin "${id}" failed: ${why}.`,
        fix: `${FOR_AUTHORS} It is set up again when the host reloads.`,
      });
    }
  }

  #misconfigured(why: string): LifecycleProblem {
    const { id } = this.#plugin;
    return {
      code: "PLUGIN_CONFIG_INVALID",
      message: `The configuration of plugin "${id}" is invalid. ${why}`,
      fix: `Correct the configuration of the plugin. haft plugins info ${id} shows the valid keys.`,
    };
  }
}

function errorOf({ code, message, fix }: LifecycleProblem): HaftError {
  return coreError(code, message, { fix });
}

function coveredLogger(logger: Logger, cover: SecretMasker): Logger {
  const write =
    (level: keyof Logger): Logger["info"] =>
    (message, fields) =>
      logger[level](cover.maskText(message), fields && cover.maskValue(fields));
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

function coveredError(thrown: unknown, cover: SecretMasker): unknown {
  if (cover.isEmpty) return thrown;
  const whole = messageWithCauses(thrown);
  if (HaftError.is(thrown)) {
    const { code, category, fix, details, receipt } = thrown;
    const options = { category, fix: fix && cover.maskText(fix), details: cover.maskValue(details), receipt };
    return new HaftError(
      cover.maskText(code),
      cover.maskText(getErrorMessage(thrown)),
      withoutUndefined<HaftErrorOptions>(options),
    );
  }
  const covered = cover.maskText(whole);
  return covered === whole ? thrown : new Error(covered);
}

/** Masks the visible parts of a plan. */
function coveredPlan(plan: CallPlan, cover: SecretMasker): CallPlan {
  if (cover.isEmpty) return plan;
  const { preview, programs, noProgramGrant, noAlways, refused, consent } = plan;
  const shown = cover.maskValue({ preview, noProgramGrant, noAlways, refused });
  return withoutUndefined<CallPlan>({
    ...plan,
    ...shown,
    programs: programs?.map((offer) => ({ ...offer, summary: cover.maskText(offer.summary) })),
    consent: consent?.map((each) => ({ ...each, reason: cover.maskText(each.reason) })),
  });
}

export class PluginLifecycles {
  readonly all = new Map<Plugin, PluginLifecycle>();

  /** @param before Previous registry: plugins in both continue, unless their setup failed. */
  take(
    plugin: Plugin,
    options: LifecycleOptions,
    before?: PluginLifecycles,
  ): { lifecycle: PluginLifecycle | undefined; isNew: boolean } {
    const known = before?.all.get(plugin);
    const life = known?.hasFailed === false ? known : PluginLifecycle.create(plugin, options);
    if (life !== undefined) this.all.set(plugin, life);
    return { lifecycle: life, isNew: life !== known };
  }

  get hasFailed(): boolean {
    return [...this.all.values()].some((life) => life.hasFailed);
  }

  async setUp(ids: ReadonlySet<string>, logger: Logger): Promise<void> {
    const wanted = [...this.all].filter(([{ id }]) => ids.has(id));
    await Promise.all(wanted.map(([, life]) => life.ready(logger)));
  }

  /** Disposes of plugins that `next` does not have. Never rejects. */
  async close(next?: PluginLifecycles): Promise<(LifecycleProblem & { pluginId: string })[]> {
    const goOn = new Set(next?.all.values());
    const ending = [...this.all].filter(([, life]) => !goOn.has(life));
    const ended = await Promise.all(
      ending.map(async ([{ id: pluginId }, life]) => {
        const problem = await life.dispose();
        return problem === undefined ? [] : [{ ...problem, pluginId }];
      }),
    );
    return ended.flat();
  }
}
