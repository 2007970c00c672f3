import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { faultsOfBatch } from './audit.ts';
import { mixes } from './batch-kinds.ts';
import { ledgerOf, strangers } from './batch-records.ts';
import { type Errand, newErrand, pursue, whatIsLeft } from './client-task.ts';
import {
  advancing,
  carrying,
  crashText,
  creation,
  type Death,
  deathFor,
  momentOf,
  numbersFrom,
} from './crash-plan.ts';
import { type Reader, sqliteReader } from './database-reader.ts';
import { firstCall } from './recovery.ts';
import { beginLife, faultsOf, type Place } from './server-process.ts';
import { newTally, type Tally } from './totals.ts';

export interface Plan {
  place: Place;
  kills: number;
  /** In each batch. */
  orders: number;
  seed: number;
}

interface Season extends Plan {
  key: string;
  database: Reader;
  books: Reader;
  chance: () => number;
  tally: Tally;
}

/** The maximum number of processes for one batch; more means that it is stuck. */
const livesOfBatch = 200;
/** A process without a kill must finish the rest within this time. */
const calm_ms = 90_000;

/** Sends batches in turn to a service that is killed repeatedly, and checks each when it is complete. */
export async function runSeason(plan: Plan): Promise<Tally> {
  const { place } = plan;
  const season: Season = {
    ...plan,
    key: await firstKey(place),
    database: sqliteReader(place.database),
    books: sqliteReader(place.books),
    chance: numbersFrom(plan.seed),
    tally: newTally(),
  };
  const { tally } = season;
  const batch_ids: string[] = [];
  while (tally.kills < plan.kills) {
    const number = batch_ids.length;
    const mix = mixes[number % mixes.length];
    if (mix === undefined) throw new Error('there is no mix');
    const errand = newErrand(mix, `batch-${number}`, plan.orders);
    await carryOut(season, errand);
    batch_ids.push(errand.batch_id ?? '');
    await check(season, errand, batch_ids);
  }
  expect(faultsOf(place)).toEqual([]);
  return tally;
}

async function firstKey(place: Place): Promise<string> {
  const life = beginLife(place, null);
  const ready = await life.ready;
  await life.kill();
  if (ready?.keys == null) throw new Error('the first process told no keys');
  return ready.keys.test;
}

/** Kills are limited per batch, so that every kind of batch gets some at least twice. */
function killsOfBatch({ kills }: Plan): number {
  return Math.max(6, Math.min(25, Math.ceil(kills / mixes.length / 2)));
}

async function carryOut(season: Season, errand: Errand): Promise<void> {
  const { tally } = season;
  const ends_at = Math.min(season.kills, tally.kills + killsOfBatch(season));
  for (let before = 0; !errand.isComplete; before++) {
    if (before > livesOfBatch) throw new Error(`${errand.batch_id} is not complete after ${before} lives`);
    const isCalm = tally.kills >= ends_at;
    const death = isCalm ? null : nextDeath(season, errand, before);
    await liveOnce(season, errand, death);
    expect(errand.complaints).toEqual([]);
    if (isCalm && !errand.isComplete) throw new Error(await whatIsLeft(season.database, errand));
  }
}

/** A batch that is not accepted yet gets the crash points of its creation first. */
function nextDeath({ tally, chance }: Season, { batch_id, sent }: Errand, before: number): Death {
  const at = batch_id === null ? creation[before] : undefined;
  if (at !== undefined) return { at, passage: 1 };
  const points = sent.mix.rate === 0 ? advancing : carrying;
  return deathFor(tally.kills, { points, most: 25 }, chance);
}

/** One process from its start to its death, or until the batch is complete. */
async function liveOnce(season: Season, errand: Errand, death: Death | null): Promise<void> {
  const { place, key, database, books, tally } = season;
  const watch = await firstCall(database, books);
  const life = beginLife(place, death === null ? null : crashText(death));
  const over = new AbortController();
  const moment = pause(death === null ? calm_ms : momentOf(death), undefined, { signal: over.signal });
  const measuring = watch(life);
  const ready = await Promise.race([life.ready, moment.then(() => null)]);
  const url = () => ready?.url ?? null;
  const pursuing = ready === null ? undefined : pursue(errand, { url, key, isOver: life.isOver }, database);
  await Promise.race([life.death, moment, ...(pursuing === undefined ? [] : [pursuing])]);
  const isEarly = errand.isComplete || errand.complaints.length > 0;
  await life.kill();
  over.abort();
  await moment.catch(() => {});
  await pursuing;
  tally.note({ death, isOurs: (await life.death).isOurs, isEarly, first: await measuring });
}

/** The service is stopped while the records are read, so that nothing changes. */
async function check(season: Season, errand: Errand, batch_ids: readonly string[]): Promise<void> {
  const { database, books, tally } = season;
  const ledger = await ledgerOf(database, books, errand.batch_id ?? '');
  expect(faultsOfBatch(ledger, errand.sent)).toEqual([]);
  expect(await strangers(database, books, batch_ids)).toEqual([]);
  tally.add(ledger);
}
