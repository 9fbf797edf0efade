/** What is wrong with a plugin. */
export interface PluginProblem {
  /** Which kind, for programs. */
  code:
    | "PLUGIN_NOT_FOUND"
    | "PLUGIN_UNLOADABLE"
    | "PLUGIN_INVALID"
    | "PLUGIN_CHANGED"
    | "PLUGIN_CONFIG_INVALID"
    | "MANIFEST_WRONG"
    | "CONTRACT_UNKNOWN";
  /** What happened, as a sentence. */
  message: string;
  /** What to do next, as a sentence. */
  fix: string;
}
