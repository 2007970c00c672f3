import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSealing, readKeyId } from '../../../src/service/runtime/sealing.ts';
import { newKey, readSecretKeys, writeKeyFile } from '../../../src/service/runtime/secret-keys.ts';
import { temporaryFolder } from '../../storage/folder.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const missing = { code: 'secret_key_missing' };

/** A sealing whose key is created beside a database file, and the file of the key. */
function besideDatabase() {
  const database = join(temporaryFolder(), 'shop.db');
  const open = () => createSealing(readSecretKeys(database));
  return { open, sealing: open(), database, file: `${database}.secret-key` };
}

function given(value: string) {
  return createSealing(readSecretKeys('postgres://localhost/waybill', { value }));
}

test('a sealed secret shows nothing of the secret, differs each time, and opens for its row only', async () => {
  const { sealing, open } = besideDatabase();
  const [one, other] = [await sealing.seal('whe_1', secret), await sealing.seal('whe_1', secret)];
  expect(one).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/);
  expect(one).not.toBe(other);
  for (const text of [one, other]) {
    expect(Buffer.from(text.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain('whsec_');
    expect(await sealing.open('whe_1', text)).toBe(secret);
    expect(await open().open('whe_1', text)).toBe(secret);
    await expect(sealing.open('whe_2', text)).rejects.toThrow(/authenticate/);
  }
});

test('a key file that cannot be written is named as what is unavailable', async () => {
  // Its draft has a name that is too long for a file.
  const file = join(temporaryFolder(), 'k'.repeat(250));
  await expect(writeKeyFile(file, [await newKey()])).rejects.toMatchObject({
    name: 'StorageUnavailable',
    subject: `the key file ${file}`,
    message: expect.stringContaining('ENAMETOOLONG'),
  });
});

test('a changed text is refused, wherever it was changed', async () => {
  const { sealing } = besideDatabase();
  const sealed = await sealing.seal('whe_1', secret);
  for (let at = 'v1.00000000.'.length; at < sealed.length; at += 1) {
    if (sealed[at] === '.') continue;
    const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
    await expect(sealing.open('whe_1', changed)).rejects.toThrow(/authenticate/);
  }
});

test('the key is created with the first secret, for its owner only, and once', async () => {
  const { open, file } = besideDatabase();
  const services = [open(), open(), open()];
  expect([await services[0]?.isAvailable(), existsSync(file)]).toEqual([true, false]);
  const sealed = await Promise.all(services.map((service) => service.seal('whe_1', secret)));
  expect(new Set(sealed.map(readKeyId)).size).toBe(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  for (const service of services) {
    for (const text of sealed) expect(await service.open('whe_1', text)).toBe(secret);
  }
});

test('without a key a secret is neither stored nor read, and the error is one for the operator', async () => {
  const { sealing } = besideDatabase();
  const sealed = await sealing.seal('whe_1', secret);
  const without = createSealing(readSecretKeys('postgres://localhost/waybill'));
  expect(await without.isAvailable()).toBe(false);
  await expect(without.open('whe_1', secret)).rejects.toMatchObject(missing);
  await expect(without.seal('whe_1', secret)).rejects.toMatchObject(missing);
  await expect(without.open('whe_1', sealed)).rejects.toMatchObject(missing);
  const other = given(await newKey());
  expect(await other.isAvailable()).toBe(true);
  await expect(other.open('whe_1', sealed)).rejects.toThrow(readKeyId(sealed));
});

test('a key is 32 bytes in base64 or hexadecimal, the first encrypts and all decrypt', async () => {
  const base64 = await newKey();
  const hex = Buffer.from(base64, 'base64').toString('hex');
  const sealed = await given(hex).seal('whe_1', secret);
  const text = `${await newKey()}, ${base64}`;
  expect(await given(text).open('whe_1', sealed)).toBe(secret);
  expect(readKeyId(await given(text).seal('whe_1', secret))).not.toBe(readKeyId(sealed));
  for (const wrong of ['', 'short', `${hex}0`, base64.slice(2), `!${base64.slice(1)}`]) {
    await expect(given(wrong).isAvailable(), wrong).rejects.toMatchObject(missing);
  }
});

test('a file of keys has comments, must exist where it is named, and is read again after a change', async () => {
  const file = join(temporaryFolder(), 'shop.key');
  const open = () => createSealing(readSecretKeys('postgres://localhost/waybill', { file }));
  await expect(open().isAvailable()).rejects.toThrow('shop.key does not exist');
  const first = await newKey();
  writeFileSync(file, `# the key of the shop\n${first}  # since May\n`);
  const running = open();
  const sealed = await running.seal('whe_1', secret);
  await writeKeyFile(file, [await newKey(), first]);
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(3);
  const later = await running.seal('whe_1', secret);
  expect(readKeyId(later)).not.toBe(readKeyId(sealed));
  for (const text of [sealed, later]) expect(await running.open('whe_1', text)).toBe(secret);
});
