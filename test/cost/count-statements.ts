import { DatabaseSync, StatementSync } from 'node:sqlite';
import pg from 'pg';

/** The statements that a piece of work sent to its database. */
export interface Cost {
  /** All of them, with those that begin and end transactions. */
  statements: number;
  /** Those that begin a transaction. */
  transactions: number;
  /** How often each text was sent. */
  texts: Map<string, number>;
}

const beginning = /^(begin|start transaction)/i;
let current: Cost | undefined;

function count(text: unknown): void {
  if (current === undefined || typeof text !== 'string') return;
  current.statements += 1;
  if (beginning.test(text)) current.transactions += 1;
  current.texts.set(text, (current.texts.get(text) ?? 0) + 1);
}

function textOf(query: unknown): unknown {
  return typeof query === 'object' && query !== null && 'text' in query ? query.text : query;
}

/** Counts the statements of this process on both engines while the work runs. */
export async function countStatements(work: () => Promise<void>): Promise<Cost> {
  const restore = countCalls();
  const cost: Cost = { statements: 0, transactions: 0, texts: new Map() };
  current = cost;
  try {
    await work();
  } finally {
    current = undefined;
    restore();
  }
  return cost;
}

/** Counts what passes the engines' drivers, so that nothing in the service can miss the count. */
function countCalls(): () => void {
  const { query } = pg.Client.prototype;
  const { exec } = DatabaseSync.prototype;
  const { all, get, run, iterate } = StatementSync.prototype;
  const prepared = <Call extends (...parameters: never[]) => unknown>(call: Call) =>
    counted(call, (statement) => (statement instanceof StatementSync ? statement.sourceSQL : null));
  pg.Client.prototype.query = counted(query, (_client, [text]) => textOf(text));
  DatabaseSync.prototype.exec = counted(exec, (_database, [text]) => text);
  Object.assign(StatementSync.prototype, {
    ...{ all: prepared(all), get: prepared(get), run: prepared(run), iterate: prepared(iterate) },
  });
  return () => {
    pg.Client.prototype.query = query;
    DatabaseSync.prototype.exec = exec;
    Object.assign(StatementSync.prototype, { all, get, run, iterate });
  };
}

function counted<Call extends (...parameters: never[]) => unknown>(
  call: Call,
  textIn: (self: unknown, parameters: unknown[]) => unknown,
): Call {
  return new Proxy(call, {
    apply: (target, self, parameters) => {
      count(textIn(self, parameters));
      return Reflect.apply(target, self, parameters);
    },
  });
}
