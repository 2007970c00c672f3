/** What the bundler tells of a module. */
interface Module {
  importedIds: readonly string[];
  dynamicallyImportedIds: readonly string[];
}

interface Graph {
  getModuleInfo(id: string): Module | null;
}

/** Whether a chunk has code of this project in it: that of packages is left as it is. */
export function hasOwnCode({ moduleIds }: { moduleIds: readonly string[] }): boolean {
  return moduleIds.some((id) => /[\\/]src[\\/]/.test(id) && !id.includes('node_modules'));
}

/** What every command loads. */
const core = /[\\/]src[\\/]cli[\\/](main|connect|output[\\/](record|tsv))\.ts$/;
/** What every command on the embedded service loads. */
const embedded = /[\\/]src[\\/](service[\\/]embedded|storage[\\/]sqlite)\.ts$/;

/** A look-up, which is quick: what it loads beside the above lies together, by its word. */
const lookup = /[\\/]src[\\/]cli[\\/]commands[\\/](\w+)[\\/]get\.ts$/;

/**
 * Decides which modules share a file of the build. Every file costs a fraction of a millisecond to find and to
 * load, so what is always used together lies together. A chunk takes all that its
 * roots import at once and no earlier chunk has, so that none needs a later one; the bundler decides the rest. What
 * commands share with the service is in the core: nobody who speaks to a far one loads that.
 */
export function chunking(entry: string): (id: string, graph: Graph) => string | null {
  let names: Map<string, string> | undefined;
  return (id, graph) => {
    names ??= chunkNames(entry, graph);
    return id.includes('rolldown/runtime') ? 'core' : (names.get(id) ?? null);
  };
}

function chunkNames(entry: string, graph: Graph): Map<string, string> {
  const all = reached([entry], graph, (module) => [...module.importedIds, ...module.dynamicallyImportedIds]);
  const names = new Map<string, string>();
  const assign = (name: string, ids: Iterable<string>) => {
    for (const id of ids) if (!names.has(id)) names.set(id, name);
  };
  const from = (roots: RegExp) =>
    closure(
      [...all].filter((id) => roots.test(id)),
      graph,
    );
  assign('core', from(core));
  const service = from(embedded);
  const shared = sharedByCommands(all, graph);
  const isService = (id: string) => service.has(id);
  assign('core', [...shared.keys()].filter(isService));
  assign('embedded', service);
  const lookups = [...all].filter((id) => lookup.test(id));
  const looked = countsOf(
    lookups.map((id) => [id]),
    graph,
  );
  const isWide = (id: string) => (shared.get(id) ?? 0) >= widely;
  assign(
    'lookups',
    [...looked.keys()].filter((id) => isWide(id) || (looked.get(id) ?? 0) > 1),
  );
  assign('commands', [...shared.keys()].filter(isWide));
  for (const id of lookups) assign(lookup.exec(id)?.[1] ?? '', closure([id], graph));
  return names;
}

/** Of so many words of the command line a module is a part before most commands load it. */
const widely = 7;

/** What commands import at once, by how many words' commands do: of groups, or commands of one word. */
function sharedByCommands(all: ReadonlySet<string>, graph: Graph): Map<string, number> {
  const words = new Map<string, string[]>();
  for (const id of all) {
    const word = /[\\/]src[\\/]cli[\\/]commands[\\/](\w+)/.exec(id)?.[1];
    if (word !== undefined) words.set(word, [...(words.get(word) ?? []), id]);
  }
  const counts = countsOf([...words.values()], graph);
  for (const id of [...words.values()].flat()) counts.delete(id);
  return counts;
}

/** Modules, by how many of the sets of modules import them at once. */
function countsOf(sets: readonly (readonly string[])[], graph: Graph): Map<string, number> {
  const counts = new Map<string, number>();
  for (const set of sets) for (const id of closure(set, graph)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function closure(starts: readonly string[], graph: Graph): Set<string> {
  return reached(starts, graph, (module) => module.importedIds);
}

function reached(starts: readonly string[], graph: Graph, next: (module: Module) => readonly string[]) {
  const found = new Set<string>();
  const waiting = [...starts];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const module = found.has(id) ? null : graph.getModuleInfo(id);
    found.add(id);
    if (module !== null) waiting.push(...next(module));
  }
  return found;
}
