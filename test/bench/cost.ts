/**
 * Counts the statements, transactions and bytes of the service on both engines, and prints them beside their targets.
 * They do not depend on the machine. `TEXTS=1` also prints the most frequent statements.
 */
import { join } from 'node:path';
import type { Cost } from '../cost/count-statements.ts';
import { batchCost, bytesOfDelivery, type Counted, idleCost, initiateCost } from '../cost/measure.ts';
import { startPostgres } from '../postgres.ts';
import { inFolder } from './output.ts';

const idle_seconds = 10;

export async function cost(): Promise<void> {
  const postgres = await startPostgres();
  await inFolder(async (folder) => {
    console.log('| Statements and transactions | Engine | Counted | Goal |\n|---|---|---|---|');
    let files = 0;
    for (const engine of ['SQLite', 'PostgreSQL'] as const) {
      const place = () =>
        engine === 'SQLite' ? Promise.resolve(join(folder, `${++files}.db`)) : postgres.newDatabase();
      const line = (what: string, counted: string, goal: string) =>
        console.log(`| ${what} | ${engine} | ${counted} | ${goal} |`);
      const both = (what: string, counted: Counted & { cost: Cost }, goal: string) => {
        line(what, `${counted.statements.toFixed(1)} and ${counted.transactions.toFixed(2)}`, goal);
        if (process.env.TEXTS !== undefined) printTexts(counted.cost);
      };
      const batch = 'one order of a batch of 100';
      both(`${batch}, by minutes`, await batchCost(await place(), 'minutes'), '30 and 3');
      both(`${batch}, remote couriers`, await batchCost(await place(), 'remote'), '30 and 3');
      both(
        `${batch}, remote couriers that take 20 to 120 ms`,
        await batchCost(await place(), 'slow'),
        '30 and 3',
      );
      both(`${batch}, by one advance`, await batchCost(await place(), 'advance'), '30 and 3');
      both('`delivery_information` with `initiate`', await initiateCost(await place()), '14 and 2');
      both('an idle service, each second', await idleCost(await place(), idle_seconds), '0.2');
      const { bytes, tables } = await bytesOfDelivery(await place());
      const named = tables.filter(([name, size]) => name !== 'file' && size > 0);
      const parts = named.map(([name, size]) => `${name} ${size}`).join(', ');
      line(
        'bytes of the database for a delivered order',
        `${bytes} ${parts}`,
        engine === 'SQLite' ? '8,000' : '14,000',
      );
    }
  }).finally(postgres.stop);
}

function printTexts({ texts }: Cost): void {
  const sorted = [...texts].sort(([, a], [, b]) => b - a).slice(0, 90);
  for (const [text, count] of sorted) console.log(`${String(count).padStart(7)} ${text.slice(0, 150)}`);
}
