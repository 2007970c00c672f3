/** What the bundler tells of a module. */
interface Module {
  importedIds: readonly string[];
  dynamicallyImportedIds: readonly string[];
}

interface Graph {
  getModuleInfo(id: string): Module | null;
}

/** What every command loads. */
const core = /[\\/]src[\\/]cli[\\/](main|connect|output[\\/](record|tsv))\.ts$/;
/** What every command on the embedded service loads. */
const embedded = /[\\/]src[\\/](service[\\/]embedded|storage[\\/]sqlite)\.ts$/;

/**
 * Decides which modules share a file of the build. Every file costs a fraction of a millisecond to find and to
 * load, so what is always used together lies together. A chunk takes all that its
 * roots import at once and no earlier chunk has, so that none needs a later one; the bundler decides the rest.
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
  assign('core', sharedByCommands(all, graph, service));
  assign('embedded', service);
  return names;
}

/** Of so many words of the command line a module is a part before every command loads it. */
const widely = 7;

/**
 * Modules that the commands of many words import at once: of groups, or commands of one word. And those that any of
 * them shares with the service: nobody who speaks to a far one loads that.
 */
function sharedByCommands(all: ReadonlySet<string>, graph: Graph, service: ReadonlySet<string>): string[] {
  const words = new Map<string, string[]>();
  for (const id of all) {
    const word = /[\\/]src[\\/]cli[\\/]commands[\\/](\w+)/.exec(id)?.[1];
    if (word !== undefined) words.set(word, [...(words.get(word) ?? []), id]);
  }
  const counts = new Map<string, number>();
  for (const commands of words.values()) {
    for (const id of closure(commands, graph)) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const commands = [...words.values()].flat();
  const isShared = ([id, count]: [string, number]) => count >= widely || service.has(id);
  return [...counts].filter((each) => isShared(each) && !commands.includes(each[0])).map(([id]) => id);
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
