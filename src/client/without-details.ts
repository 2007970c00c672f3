import { DetailedDelivery } from '../contract/delivery-details.ts';
import type { Operation } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import { ListOf, Type } from '../contract/schema.ts';
import type { WireResponse } from '../contract/wire.ts';
import type { Features } from './feature-names.ts';
import { isWithoutPath } from './missing-operations.ts';

/** The version 1 record, whose missing details read as empty. */
const record = Type.Object(DetailedDelivery.properties, { title: 'Delivery' });

/** The version 1 form of an operation that answers with details; null if it has none. */
function formWithoutDetails({ id }: Operation): Operation | null {
  const { list, get } = operations.deliveries;
  if (id === 'ListDetailedDeliveries') return { ...list, answer: ListOf(record) };
  return id === 'GetDetailedDelivery' ? { ...get, answer: record } : null;
}

/** Selects the version of operations that answer with details. */
export interface DetailForms {
  /** The operation to send. */
  formOf(operation: Operation): Operation;
  /** The form to send instead after this response; null if the response counts. */
  otherForm(operation: Operation, response: WireResponse, now: number): Operation | null;
}

/** Only a service that reports its time has details: another one may answer those paths with anything. */
export function createDetailForms(features: Features | null): DetailForms {
  let hasDetails = features?.idempotency !== false;
  return {
    formOf: (operation) => (hasDetails ? operation : (formWithoutDetails(operation) ?? operation)),
    otherForm: (operation, response, now) => {
      const other = formWithoutDetails(operation);
      const isOwn = response.headers['x-service-time'] !== undefined;
      if (other === null || (isOwn && !isWithoutPath(response, now))) return null;
      // An own service that is overloaded may answer without its time.
      if (response.status < 500) hasDetails = false;
      return other;
    },
  };
}
