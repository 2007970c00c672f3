import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { orderFields } from '../cli/sandbox.ts';
import { oneOf } from '../in-part.ts';
import { freshHome, script } from './run.ts';

/** Runs as a user without rights also where the tests run as root. */
const asNobody =
  process.getuid?.() === 0 ? 'setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/' : 'env';
const account = 'waybill admin accounts create --name Grill --key-out k.json --database';
const list = 'waybill admin accounts list --database';

interface Fault {
  kind: string;
  script: string;
  exit: number;
  /** What stderr says, with HOME for the folder of the run. */
  says: string | RegExp;
}

const faults: readonly Fault[] = [
  {
    kind: 'a file that may not be written',
    script: `${account} a.db 2> /dev/null; chmod 444 a.db*; chmod 755 .; ${asNobody} ${list} ./a.db`,
    exit: 7,
    says: 'This user may not write to HOME/a.db.',
  },
  {
    kind: 'a file that may not be read',
    script: `${account} a.db 2> /dev/null; chmod 000 a.db; chmod 755 .; ${asNobody} ${list} ./a.db`,
    exit: 7,
    says: 'This user may not write to HOME/a.db.',
  },
  {
    kind: 'a folder that may not be written',
    script: `trap 'chmod 755 .' EXIT; chmod 555 .; ${asNobody} waybill serve --port 0 --database ./a.db`,
    exit: 7,
    says: 'may not write in the folder HOME, where SQLite keeps its log',
  },
  {
    kind: 'a folder as the database',
    script: `mkdir a.db; ${list} a.db`,
    exit: 7,
    says: 'HOME/a.db is not a file: name a file in a folder.',
  },
  {
    kind: 'a device as the database',
    script: `${list} /dev/null`,
    exit: 7,
    says: '/dev/null is not a file: name a file in a folder.',
  },
  {
    kind: 'a text as the database',
    script: `${list} order.json`,
    exit: 7,
    says: 'HOME/order.json has something else in it: name another file.',
  },
  {
    kind: 'a link to itself',
    script: `ln -s a.db a.db; waybill serve --port 0 --database a.db`,
    exit: 7,
    says: 'cannot open the database HOME/a.db',
  },
  {
    kind: 'too few open files',
    script: 'ulimit -n 24; waybill orders list',
    exit: 7,
    says: 'raise its limit, ulimit -n, to 1024 or more',
  },
  {
    kind: 'a limit of file sizes',
    script: 'ulimit -f 20; waybill orders create --file order.json',
    exit: 7,
    says: 'or a limit of file sizes (ulimit -f) was met',
  },
  {
    kind: 'no folder for temporary files',
    script: 'TMPDIR=/none waybill start',
    exit: 2,
    says: 'No folder can be made in /none: it does not exist.\nTMPDIR names another folder',
  },
  {
    kind: 'words of libpq as the database',
    script: "waybill serve --port 0 --database 'host=127.0.0.1 dbname=a password=secret'",
    exit: 2,
    says: 'must be a file, :memory:, or postgres://..., not host=.',
  },
  {
    kind: 'a URL of another library',
    script: 'waybill serve --port 0 --database jdbc:postgresql://127.0.0.1/a',
    exit: 2,
    says: 'must be a file, :memory:, or postgres://..., not jdbc:postgresql:.',
  },
  {
    kind: 'a URL without its second stroke',
    script: 'waybill serve --port 0 --database postgres:/u:secret@127.0.0.1/a',
    exit: 2,
    says: 'must be a file, :memory:, or postgres://..., not postgres:.',
  },
  {
    kind: 'a link to a file that does not exist yet',
    script: `mkdir volume; ln -s volume/a.db a.db; ${account} a.db > /dev/null; ${list} volume/a.db; ls`,
    exit: 0,
    says: /^Database: HOME\/volume\/a\.db$/m,
  },
  {
    kind: 'a ~ that no shell has read',
    script: `${account} '~/a.db' > /dev/null; test -f a.db && ! test -e '~'`,
    exit: 0,
    says: 'Database: HOME/a.db',
  },
  {
    kind: 'a path with blanks, letters and signs',
    script: `mkdir 'a b'; ${account} 'a b/ü %20?x#y.db' > /dev/null; ${list} 'a b/ü %20?x#y.db' && test -f 'a b/ü %20?x#y.db'`,
    exit: 0,
    says: 'Database: HOME/a b/ü %20?x#y.db',
  },
];

test.skipIf(process.platform !== 'linux').each(faults.filter(oneOf(2)))('$kind', async (fault) => {
  const home = freshHome();
  writeFileSync(join(home.folder, 'order.json'), JSON.stringify(orderFields));
  const { exit, stderr } = await script(home, fault.script);
  const shown = stderr.replaceAll(home.folder, 'HOME');
  expect(shown).toMatch(fault.says);
  expect(shown).not.toMatch(/fault of waybill|secret/);
  expect(exit).toBe(fault.exit);
});
