/**
 * Each commit of SQLite waits until it is on disk, which costs more than the transaction itself. Transactions that
 * wait for their turn at the same time therefore run as one, and no result is given before its commit. If one of them
 * fails, all of them are undone and run again, between savepoints, so that it alone is undone. Work of a transaction
 * may therefore run twice, as it may on PostgreSQL after a conflict.
 */
import { sql } from 'kysely';
import type { Connection } from './database.ts';
import { turn } from './ports/pause.ts';
import { withState } from './transactions.ts';

export type Transact = <T>(work: (db: Connection) => Promise<T>) => Promise<T>;

interface Member {
  /** May run twice. */
  work: (db: Connection) => Promise<void>;
  /** Gives the caller the result of the work, after the commit. */
  resolve: () => void;
  reject: (fault: unknown) => void;
}

/** The maximum number of transactions in one commit, so that the first does not wait long for the last. */
const max_members = 64;

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
          const result = await withState(db, work);
          member.resolve = () => resolve(result);
        },
        resolve: () => {},
        reject,
      };
      waiting.push(member);
      if (!isRunning) void runAll();
    });
}

/** One of the transactions of a group failed, and the group was rolled back. */
class MemberFailed extends Error {}

/** Resolves with the number of committed transactions. */
async function runTogether(connect: () => Promise<Connection>, waiting: Member[]): Promise<number> {
  const members: Member[] = [];
  try {
    const db = await connect();
    const done = (await runAsOne(db, waiting, members)) ? members : await runApart(db, waiting, members);
    for (const { resolve } of done) resolve();
    return done.length;
  } catch (fault) {
    // Without a transaction no member was taken: none may wait for one that cannot begin. Those that were rejected before
    // stay so.
    const failed = members.length > 0 ? members : waiting.splice(0);
    for (const { reject } of failed) reject(fault);
    return 0;
  }
}

/**
 * Runs transactions that wait as one, and adds them to `members`. False if one of several failed: then all of them are
 * undone. Savepoints would cost more than most transactions: the full-text index is written at the end of each.
 */
async function runAsOne(db: Connection, waiting: Member[], members: Member[]): Promise<boolean> {
  try {
    await db.transaction().execute(async (transaction) => {
      while (members.length < max_members) {
        const member = waiting.shift();
        if (member === undefined) break;
        members.push(member);
        await member.work(transaction).catch((fault: unknown) => {
          throw new MemberFailed('a transaction of the group failed', { cause: fault });
        });
      }
    });
    return true;
  } catch (fault) {
    if (!(fault instanceof MemberFailed)) throw fault;
    if (members.length > 1) return false;
    throw fault.cause;
  }
}

/** Runs transactions again, and more that wait, each between savepoints; resolves with those that did not fail. */
async function runApart(db: Connection, waiting: Member[], members: Member[]): Promise<Member[]> {
  const done: Member[] = [];
  members.push(...waiting.splice(0, max_members - members.length));
  await db.transaction().execute(async (transaction) => {
    for (const member of members) if (await runBetweenSavepoints(transaction, member)) done.push(member);
  });
  return done;
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
    await sql`rollback to member`.execute(db);
    await sql`release member`.execute(db);
    return false;
  }
}
