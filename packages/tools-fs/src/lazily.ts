/**
 * Loads a module with the first call, and answers the module itself from then on. Calls that come while it is being
 * loaded wait for one promise, so they go on in the order in which they came.
 */
export function lazily<Module>(load: () => Promise<Module>): () => Module | Promise<Module> {
  let loading: Promise<Module> | undefined;
  let loaded: Module | undefined;
  const begin = async (): Promise<Module> => {
    try {
      return (loaded = await load());
    } finally {
      // What could not be loaded now, with too many files open, may be another time.
      loading = undefined;
    }
  };
  return () => loaded ?? (loading ??= begin());
}
