import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { faultsOfBatch } from './audit.ts';
import { mixes } from './batch-kinds.ts';
import { ledgerOf, strangers } from './batch-records.ts';
import { takeover } from './claims.ts';
import { type Errand, newErrand, pursue, whatIsLeft } from './client-task.ts';
import { advancing, carrying, crashText, creation, type Death, deathFor, numbersFrom } from './crash-plan.ts';
import { postgresReader, type Reader, sqliteReader } from './database-reader.ts';
import { beginLife, faultsOf, type Life, type Place } from './server-process.ts';
import { newTally, type Tally } from './totals.ts';

export interface TeamPlan {
  place: Place;
  /** The number of concurrent processes. */
  members: number;
  kills: number;
  /** In each batch. */
  orders: number;
  /** Average time between two kills from outside. */
  interval_ms: number;
  seed: number;
}

/** A process of the team, with its replacements. */
interface Member {
  life: Life;
  url: string | null;
  death: Death | null;
}

interface Team extends TeamPlan {
  database: Reader;
  tally: Tally;
  chance: () => number;
  members_now: Member[];
  takeovers: Promise<number>[];
  errands: Errand[];
  isOver: boolean;
}

/** The time limit of a batch, including all crashes. */
const patience_ms = 600_000;

/** Several processes on one database execute batches, while they are killed and restarted one after another. */
export async function runTeam(plan: TeamPlan): Promise<{ tally: Tally; takeovers_ms: number[] }> {
  const { place } = plan;
  const first = beginLife(place, null);
  const ready = await first.ready;
  if (ready?.keys == null) throw new Error('the first process told no keys');
  const team: Team = {
    ...plan,
    database: postgresReader(place.database),
    tally: newTally(),
    chance: numbersFrom(plan.seed),
    members_now: [{ life: first, url: ready.url, death: null }],
    takeovers: [],
    errands: [],
    isOver: false,
  };
  // At the end of the test, processes are not replaced anymore.
  onTestFinished(() => {
    team.isOver = true;
  });
  while (team.members_now.length < plan.members) team.members_now.push(begin(team, null));
  const watches = team.members_now.map((_, place) => replace(team, place));
  const killing = kill(team);
  await sendAll(team, ready.keys.test);
  team.isOver = true;
  await Promise.all([killing, ...team.members_now.map(({ life }) => life.kill())]);
  await Promise.all(watches);
  await checkAll(team);
  return { tally: team.tally, takeovers_ms: await Promise.all(team.takeovers) };
}

function begin({ place }: Team, death: Death | null): Member {
  const member: Member = {
    life: beginLife(place, death === null ? null : crashText(death)),
    url: null,
    death,
  };
  void member.life.ready.then((ready) => {
    member.url = ready?.url ?? null;
  });
  return member;
}

const points = [...carrying, ...advancing, ...creation];

/** A dead process is replaced immediately; every second one kills itself. */
async function replace(team: Team, place: number): Promise<void> {
  for (;;) {
    const member = team.members_now[place];
    if (member === undefined) throw new Error('the team has no such place');
    const { isOurs } = await member.life.death;
    member.url = null;
    if (team.isOver) return;
    const { tally, kills, chance, database } = team;
    tally.note({ death: member.death ?? { after_ms: 0 }, isOurs, isEarly: false, first: null });
    team.takeovers.push(takeover(database));
    const isLate = tally.kills + team.members >= kills;
    team.members_now[place] = begin(
      team,
      isLate ? null : deathFor(tally.kills, { points, most: 12 }, chance),
    );
  }
}

/**
 * Kills a process now and then, until there were enough deaths; not before there is a batch. If a request was
 * interrupted before anything was written, its process is not known to be dead, so its key stays in use for long.
 */
async function kill(team: Team): Promise<void> {
  const { interval_ms, kills, tally, chance, errands } = team;
  while (!team.isOver && errands.every(({ batch_id }) => batch_id === null)) await pause(10);
  while (!team.isOver && tally.kills < kills) {
    await pause(interval_ms * (0.5 + chance()));
    if (team.isOver || tally.kills >= kills) return;
    await team.members_now[Math.floor(chance() * team.members)]?.life.kill();
  }
}

/** Sends batch after batch, each to any live process, until there were enough deaths. */
async function sendAll(team: Team, key: string): Promise<void> {
  const { errands } = team;
  while (team.tally.kills < team.kills) {
    const mix = mixes[errands.length % mixes.length];
    if (mix === undefined) throw new Error('there is no mix');
    const errand = newErrand(mix, `batch-${errands.length}`, team.orders);
    errands.push(errand);
    const ends_at = performance.now() + patience_ms;
    let turn = 0;
    const url = () => {
      const urls = team.members_now.flatMap((member) => member.url ?? []);
      turn += 1;
      return urls[turn % urls.length] ?? null;
    };
    await pursue(errand, { url, key, isOver: () => performance.now() > ends_at }, team.database);
    expect(errand.complaints).toEqual([]);
    if (!errand.isComplete) throw new Error(await whatIsLeft(team.database, errand));
  }
}

/** All processes are stopped while the records are read, so that nothing changes. */
async function checkAll({ place, database, tally, errands }: Team): Promise<void> {
  const books = sqliteReader(place.books);
  for (const errand of errands) {
    const ledger = await ledgerOf(database, books, errand.batch_id ?? '');
    expect(faultsOfBatch(ledger, errand.sent)).toEqual([]);
    tally.add(ledger);
  }
  const batch_ids = errands.map(({ batch_id }) => batch_id ?? '');
  expect(await strangers(database, books, batch_ids)).toEqual([]);
  expect(faultsOf(place)).toEqual([]);
}
