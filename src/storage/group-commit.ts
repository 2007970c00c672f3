import { sql } from 'kysely';
import type { Connection } from './database.ts';
import { turn } from './ports/pause.ts';
import { forgetRows } from './transaction-rows.ts';

// Each commit of SQLite waits until it is on disk, which costs more than the transaction itself. Transactions that
// wait for their turn at the same time therefore share one: each runs between savepoints, so that one that fails is
// undone alone, and no result is given before the shared commit.

export type Transact = <T>(work: (db: Connection) => Promise<T>) => Promise<T>;

interface Member {
  work: (db: Connection) => Promise<void>;
  /** Gives the caller the result of the work, after the commit. */
  resolve: () => void;
  reject: (fault: unknown) => void;
}

/** The maximum number of transactions in one commit, so that the first does not wait long for the last. */
const max_members = 64;

/** Receives the number of transactions in each commit. */
type OnCommit = (members: number) => void;

/** Runs transactions one after the other, and commits those that wait at the same time together. */
export function createGroupCommit(
  connect: () => Promise<Connection>,
  onCommit: OnCommit = () => {},
): Transact {
  const waiting: Member[] = [];
  let isRunning = false;
  const runAll = async () => {
    isRunning = true;
    // Requests that have already arrived join the first group.
    await turn();
    while (waiting.length > 0) onCommit(await runTogether(connect, waiting));
    isRunning = false;
  };
  return <T>(work: (db: Connection) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const member: Member = {
        work: async (db) => {
          const result = await work(db);
          member.resolve = () => resolve(result);
        },
        resolve: () => {},
        reject,
      };
      waiting.push(member);
      if (!isRunning) void runAll();
    });
}

/** A failure of the only transaction of a group, which rolls back the whole group. */
class OnlyMemberFailed extends Error {}

/** Resolves with the number of committed transactions. */
async function runTogether(connect: () => Promise<Connection>, waiting: Member[]): Promise<number> {
  const members: Member[] = [];
  const done: Member[] = [];
  try {
    const db = await connect();
    await db.transaction().execute(async (transaction) => {
      while (members.length < max_members) {
        const member = waiting.shift();
        if (member === undefined) break;
        members.push(member);
        // Without others, the transaction itself is the savepoint.
        const isAlone = members.length === 1 && waiting.length === 0;
        if (await (isAlone ? runAlone : runBetweenSavepoints)(transaction, member)) done.push(member);
      }
    });
    for (const member of done) member.resolve();
    return done.length;
  } catch (fault) {
    // Those that were rejected before stay so.
    for (const member of members) member.reject(fault);
    return 0;
  }
}

async function runAlone(db: Connection, { work, reject }: Member): Promise<boolean> {
  try {
    await work(db);
    return true;
  } catch (fault) {
    reject(fault);
    throw new OnlyMemberFailed('the only transaction failed', { cause: fault });
  }
}

/** Whether the work succeeded; otherwise it was undone and rejected. Throws if SQLite has ended the transaction. */
async function runBetweenSavepoints(db: Connection, { work, reject }: Member): Promise<boolean> {
  await sql`savepoint member`.execute(db);
  try {
    await work(db);
    await sql`release member`.execute(db);
    return true;
  } catch (fault) {
    reject(fault);
    forgetRows(db);
    await sql`rollback to member`.execute(db);
    await sql`release member`.execute(db);
    return false;
  }
}
