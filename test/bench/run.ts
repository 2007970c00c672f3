/** `npm run bench` runs every benchmark, `npm run bench -- NAME...` those that are named. */
const benchmarks: Record<string, () => Promise<void>> = {
  start: async () => (await import('./start.ts')).start(),
  service: async () => (await import('./service.ts')).service(),
  million: async () => (await import('./million.ts')).million(),
  cost: async () => (await import('./cost.ts')).cost(),
  lives: async () => (await import('./lives.ts')).lives(),
  workers: async () => (await import('./workers.ts')).workers(),
  fairness: async () => (await import('./fairness.ts')).fairness(),
};

const named = process.argv.slice(2);
const names = named.length > 0 ? named : Object.keys(benchmarks);
for (const name of names) {
  const benchmark = benchmarks[name];
  if (benchmark === undefined) {
    console.error(`No benchmark "${name}": there are ${Object.keys(benchmarks).join(', ')}.`);
    process.exitCode = 2;
    continue;
  }
  await benchmark();
}
