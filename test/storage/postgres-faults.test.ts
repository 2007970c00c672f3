import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import type { Connection } from '../../src/storage/database.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { readSetting, writeSetting } from '../../src/storage/settings.ts';
import { StorageUnavailable } from '../../src/storage/storage.ts';
import { emptyDatabase, newDatabase } from '../databases.ts';
import { onceInFile } from '../end-of-file.ts';
import { executeOn } from '../postgres.ts';

// What an operator meets, what the error says, and a statement of its advice that mends it.

interface Fault {
  kind: string;
  /** Statements for DATABASE and ROLE, each run by the superuser in that database. */
  prepare: readonly string[];
  /** Begins with the current schema instead of an empty database. */
  isMigrated?: boolean;
  says: string;
  advises?: string | RegExp;
  /** Run in the database itself instead of the server's own one. */
  within?: boolean;
}

const faults: readonly Fault[] = [
  {
    kind: 'no right to create tables',
    prepare: [],
    says: 'permission denied for schema public',
    within: true,
  },
  {
    kind: 'no right to connect',
    prepare: ['revoke connect on database DATABASE from public', 'grant create on schema public to ROLE'],
    says: 'permission denied for database',
  },
  {
    kind: 'no right to read the tables of another role',
    prepare: [],
    isMigrated: true,
    says: 'permission denied for table schema_version',
    within: true,
  },
  {
    kind: 'no schema to create in',
    prepare: ['alter role ROLE set search_path = nowhere', 'grant create on schema public to ROLE'],
    says: 'no schema has been selected to create in',
  },
  {
    kind: 'no login',
    prepare: ['alter role ROLE nologin', 'grant create on schema public to ROLE'],
    says: 'is not permitted to log in',
  },
  {
    kind: 'no connection for the role',
    prepare: ['alter role ROLE connection limit 0', 'grant create on schema public to ROLE'],
    says: 'too many connections for role',
  },
  {
    kind: 'no connection for the database',
    prepare: ['alter database DATABASE connection limit 0', 'grant create on schema public to ROLE'],
    says: 'too many connections for database',
  },
  {
    kind: 'read-only by a setting',
    prepare: [
      'grant create on schema public to ROLE',
      'alter database DATABASE set default_transaction_read_only = on',
    ],
    says: 'in a read-only transaction',
  },
  {
    kind: 'tables of another program',
    prepare: ['grant create on schema public to ROLE', 'create table orders (number int)'],
    says: 'relation "orders" already exists',
    advises: /^The database has tables of another program\. .*create database "waybill" owner/,
  },
];

/** Makes a database and a role of its own with a password, prepares them, and gives the role's URL. */
async function prepared({ prepare, isMigrated = false }: Fault) {
  const url = await (isMigrated ? newDatabase() : emptyDatabase());
  const database = new URL(url).pathname.slice(1);
  const role = `${database}_role`;
  const statements = [`create role ${role} login password 'x'`, ...prepare];
  for (const statement of statements)
    await executeOn(url, statement.replaceAll('DATABASE', database).replaceAll('ROLE', role));
  const own = new URL(url);
  own.username = role;
  own.password = 'x';
  return { url, own: own.href };
}

test.each(faults)('$kind: the error says so, and what mends it', async (fault) => {
  const { url, own } = await prepared(fault);
  const error = await failureToOpen(own);
  expect(error.message).toContain(fault.says);
  if (fault.advises !== undefined) return expect(error.advice).toMatch(fault.advises);
  const statement = / run: (.*;)$/i.exec(` ${error.advice}`)?.[1] ?? '';
  const server = new URL(url);
  server.pathname = '/postgres';
  await executeOn(fault.within === true ? url : server.href, statement);
  const storage = await openStorage(own);
  await storage.close();
});

/** For tests that leave it as it is. */
const oneDatabase = onceInFile(newDatabase);

async function failureToOpen(url: string): Promise<StorageUnavailable> {
  const error: unknown = await openStorage(url).then(
    (storage) => storage.close(),
    (fault: unknown) => fault,
  );
  if (!(error instanceof StorageUnavailable)) throw error ?? new Error(`${url} was opened`);
  return error;
}

test.each([
  [
    'a wrong password',
    (url: string) => url.replace(':test@', ':wrong@'),
    /%2F.*alter role "postgres" password/,
  ],
  [
    'no such database',
    (url: string) => `${url}_none`,
    /create database "\w+_none" owner "postgres" encoding 'UTF8'/,
  ],
  [
    'no server at the port',
    (url: string) => url.replace(/:\d+\//, ':1/'),
    /does it listen on 127\.0\.0\.1:1\?/,
  ],
  ['no such host', (url: string) => url.replace('127.0.0.1', 'none.invalid'), /host in the URL|name server/],
  ['no socket', () => 'postgres://x@/x?host=/none', /\/none\/\.s\.PGSQL\.5432: host= names the folder/],
  ['a server without TLS', (url: string) => `${url}?sslmode=require`, /ssl on in postgresql\.conf/],
  [
    'two servers that are not there',
    (url: string) => url.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1,[::1]:2'),
    /listen on 127\.0\.0\.1:1 or ::1:2\?/,
  ],
  ['a stroke in the password', (url: string) => url.replace(':test@', ':p/w#1@'), /\/ as %2F/],
])('%s: the error has advice', async (_, change, advice) => {
  const { advice: found, message } = await failureToOpen(change(await oneDatabase()));
  expect(found).toMatch(advice);
  expect(message).not.toContain('p/w#1');
});

test.each([
  ['the second one', (server: string) => `127.0.0.1:1,${server}`, ''],
  ['the first one', (server: string) => `${server},127.0.0.1:1`, '?target_session_attrs=read-write'],
  ['the last of three', (server: string) => `127.0.0.1:1,127.0.0.1:2,${server}`, '?pool_size=1'],
])('of several servers, %s answers', async (_, among, parameters) => {
  const url = await oneDatabase();
  const storage = await openStorage(`${url.replace(/127\.0\.0\.1:\d+/, among)}${parameters}`);
  expect(await storage.isReadOnly()).toBe(false);
  await storage.close();
});

test('of several servers, none that is only read is used', async () => {
  const url = await newDatabase();
  await executeOn(
    url,
    `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`,
  );
  const { reason, advice } = await failureToOpen(url.replace('127.0.0.1', '127.0.0.1:1,127.0.0.1'));
  expect([reason, advice]).toEqual(['read_only', expect.stringContaining('name the primary')]);
  const { message } = await failureToOpen(`${url}?target_session_attrs=any`);
  expect(message).toContain('expected read-write');
});

test.each(['LATIN1', 'SQL_ASCII'])('the encoding %s is refused, or holds every letter', async (encoding) => {
  const url = await emptyDatabase();
  const name = `${new URL(url).pathname.slice(1)}_${encoding.toLowerCase()}`;
  await executeOn(
    url,
    `create database ${name} encoding '${encoding}' locale_provider libc locale 'C' template template0`,
  );
  const own = url.replace(/\w+$/, name);
  if (encoding === 'LATIN1') {
    const { message, advice } = await failureToOpen(own);
    expect([message, advice]).toEqual([
      expect.stringContaining(`the encoding ${encoding}`),
      expect.stringContaining(`create database "${name}_utf8" owner "postgres" encoding 'UTF8'`),
    ]);
  } else {
    const storage = await openStorage(own);
    await storage.run((db) => writeSetting(db, 'name', 'Zoë 王 🥡'));
    expect(await storage.run((db) => readSetting(db, 'name'))).toBe('Zoë 王 🥡');
    await storage.close();
  }
  await executeOn(url, `drop database ${name} with (force)`);
});

test.each([1, 4])(
  'a role with %i connections is enough, and the pool grows when it gets more',
  async (limit) => {
    const { own } = await prepared({
      ...{ kind: '', says: '' },
      prepare: [`alter role ROLE connection limit ${limit}`, 'grant create on schema public to ROLE'],
    });
    const storage = await openStorage(own);
    // The listening connection may have been the only one.
    storage.changes();
    await storage.run((db) => sleep(db, 0.3));
    await Promise.all(Array.from({ length: 12 }, () => storage.run((db) => sleep(db, 0.05))));
    const { connections, refused_connections } = storage.statistics();
    expect([connections.total, refused_connections > 0]).toEqual([
      expect.toSatisfy((total) => total <= limit),
      true,
    ]);
    await storage.close();
  },
);

async function sleep(db: Connection, seconds: number): Promise<void> {
  await sql`select pg_sleep(${seconds})`.execute(db);
}

test('limits of a role end no migration', async () => {
  const { own, url } = await prepared({
    ...{ kind: '', says: '' },
    prepare: ["alter role ROLE set statement_timeout = '1ms'", 'grant create on schema public to ROLE'],
  });
  const storage = await openStorage(own);
  await storage.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select version from schema_version');
  await client.end();
  expect(rows).toHaveLength(1);
});
