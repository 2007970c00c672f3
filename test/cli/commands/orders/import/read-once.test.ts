import { expect, test, vi } from 'vitest';
import { readAddress } from '../../../../../src/domain/address-reader.ts';
import { newStore, sandbox } from '../../../sandbox.ts';
import { importFolder } from './import-folder.ts';

vi.mock(import('../../../../../src/domain/address-reader.ts'), { spy: true });

test('the address of a row is read once, for its time, its recipient, its check and the account', async () => {
  const box = await sandbox();
  const store = await newStore(box, 'Grill');
  const row = (number: number) => `${number} E Ohio St, Chicago, Cook County, IL 60611`;
  const lines = Array.from(
    { length: 40 },
    (_, at) => `r${at},"${row(at + 10)}",Joe,3125550142,Soup,2026-03-05 1pm\n`,
  );
  const header =
    'external_order_ref,dropoff_address,dropoff_name,dropoff_phone_number,items_description,dropoff_at\n';
  vi.mocked(readAddress).mockClear();
  const { exit, stderr } = await importFolder(box, `${header}${lines.join('')}`).run([
    '--store',
    store,
    '--validate-only',
  ]);
  expect([exit, stderr]).toEqual([0, expect.stringContaining('40 changed')]);
  const read = vi.mocked(readAddress).mock.calls.map(([line]) => line);
  expect(read.filter((line) => line.includes('Cook County')).toSorted()).toEqual(
    lines.map((_, at) => row(at + 10)).toSorted(),
  );
});
