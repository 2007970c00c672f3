import { expect, test } from 'vitest';
import { newStore, orderFields, orderLine, sandbox } from './sandbox.ts';

// Scripts read IDs from files whose lines end in a carriage return, or leave blanks at them.

const box = await sandbox();

test.each([['\r'], ['\n'], [' '], ['\r\n']])('an ID or reference with %j behind it is found', async (end) => {
  const ref = `trim-${end.length}-${end.charCodeAt(0)}`;
  const { id } = await box.json([...orderLine, '--item', 'Soup', '--ref', ref]);
  expect(await box.json(['orders', 'get', `${id}${end}`])).toMatchObject({ id });
  const route = await box.json(['routes', 'create', `${id}${end}`]);
  expect(route).toMatchObject({ order_ids: [id] });
  expect(await box.json(['routes', 'delete', `${route.id}${end}`])).toMatchObject({ id: route.id });
  const { exit } = await box.run(['ship', `${ref}${end}`, '--cheapest'], box.passing);
  expect(exit).toBe(0);
  expect((await box.run(['deliveries', 'explain', `${ref}${end}`])).exit).toBe(0);
});

test('a flag with a carriage return behind it', async () => {
  const store = await newStore(box, 'Grill');
  const { dropoff_address, dropoff_name, dropoff_phone_number } = orderFields;
  const order = await box.json([
    ...['orders', 'create', '--store', `${store}\r`, '--dropoff-address', dropoff_address, '--item', 'Soup'],
    ...['--dropoff-name', `${dropoff_name}\r`, '--dropoff-phone', dropoff_phone_number],
  ]);
  expect(order).toMatchObject({ pickup_store_id: store, dropoff_name });
});
