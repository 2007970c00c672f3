/**
 * What auto dispatch costs: accepting 300 orders over HTTP beside writing the same rows by hand, and carrying 300
 * orders out with couriers that take 50 ms for each answer, undisturbed and with three kills.
 * `REQUESTS=50 npm run bench -- batch` takes more requests than the usual 30.
 */
import { join } from 'node:path';
import { percentile } from '../kills/totals.ts';
import { acceptance } from './batch-acceptance.ts';
import { builtScript, carrying } from './batch-completion.ts';
import { inFolder, printer } from './output.ts';
import { median } from './pairs.ts';

const accepted_ms = 150;
const carried_ms = 5_000;
const killed_ms = 7_000;
const rounds = 3;

const print = printer(36, 12);

function over(value: number, target: number): string[] {
  return [String(target), value > target ? 'over' : ''];
}

async function printAcceptance(folder: string): Promise<void> {
  const requests = Math.max(20, Number(process.env.REQUESTS ?? 30));
  const { by_hand_ms, over_http_ms } = await acceptance(folder, requests);
  const ratios = over_http_ms.map((ms, index) => ms / (by_hand_ms[index] ?? Number.NaN));
  print(`300 orders, ${requests} times in turn`, 'median ms', 'p95 ms', 'target', '');
  print('  the same rows by hand', median(by_hand_ms).toFixed(1), percentile(by_hand_ms, 95).toFixed(1));
  const value = percentile(over_http_ms, 95);
  print('  202 over HTTP', median(over_http_ms).toFixed(1), value.toFixed(1), ...over(value, accepted_ms));
  print('  ratio', median(ratios).toFixed(2), (value / percentile(by_hand_ms, 95)).toFixed(2));
}

async function printCarrying(folder: string): Promise<void> {
  print('300 orders to their end, 50 ms', 'median ms', 'worst ms', 'target', '');
  const script = await builtScript(folder);
  const times: number[][] = [];
  for (const kills of [0, 3]) {
    const took: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const place = join(folder, `carried-${kills}-${round}`);
      const of = median(times[0] ?? [carried_ms]);
      const kills_ms = Array.from({ length: kills }, (_, index) => (of * (index + 1)) / 4);
      took.push(await carrying(script, place, kills_ms));
    }
    times.push(took);
    const value = Math.max(...took);
    const target = kills === 0 ? carried_ms : killed_ms;
    print(`  ${kills} kills`, median(took).toFixed(0), value.toFixed(0), ...over(value, target));
  }
  const [calm = [], killed = []] = times;
  print('  ratio', (median(killed) / median(calm)).toFixed(2));
}

/** Prints the tables. */
export async function batch(): Promise<void> {
  await inFolder(async (folder) => {
    console.log(`Node ${process.version}, SQLite`);
    await printAcceptance(folder);
    await printCarrying(folder);
  });
}
