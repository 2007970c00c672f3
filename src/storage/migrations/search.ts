import { type Searched, searchTextOf } from '../../domain/search-text.ts';
import type { ColumnTypes, MigrationStep } from './first-schema.ts';

/** Adds the search of orders and deliveries, in place of the search by the beginning of a name or address. */
export function search({ text, integer, counter, table_end, search_index }: ColumnTypes): MigrationStep[] {
  const replaced = ['pickup_name', 'dropoff_name', 'pickup_place', 'dropoff_place'];
  return [
    `create table search_documents (
      number ${counter},
      order_id ${text} not null unique,
      account_id ${text} not null,
      test_mode ${integer} not null,
      text ${text} not null
    ${table_end}`,
    { read: ordersAfter, write: documentsOf },
    ...search_index,
    // The random end of an id: `dlv_` and 22 of 26 characters come before it.
    'create index deliveries_id_end on deliveries (substr(id, 27))',
    ...replaced.map((name) => `drop index deliveries_${name}`),
    ...replaced.map((name) => `alter table deliveries drop column ${name}`),
  ];
}

const ordersInStep = 1_000;

function ordersAfter(id: string): string {
  return `select id, account_id, test_mode, external_order_ref, record from orders where id > '${id}'
    order by id limit ${ordersInStep}`;
}

/** Ids and folded texts have no quotes. */
function documentsOf(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const values = rows.map(({ id, account_id, test_mode, external_order_ref, record }) => {
    const content: Searched = JSON.parse(String(record));
    const order = { ...content, id: String(id), external_order_ref: String(external_order_ref) };
    return `('${id}', '${account_id}', ${test_mode}, '${searchTextOf(order)}')`;
  });
  return `insert into search_documents (order_id, account_id, test_mode, text) values ${values.join(', ')}`;
}
