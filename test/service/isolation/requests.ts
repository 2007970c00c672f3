import { operationRequest } from '../../../src/client/retries.ts';
import type { Operation, WireRequest } from '../../../src/contract/operation.ts';
import { orderRequest, start } from '../fixture.ts';

/** No record. */
export const noIds = {
  ...{
    open_order_id: '',
    spare_order_id: '',
    batch_order_id: '',
    batch_id: '',
    draft_route_id: '',
    quoted_route_id: '',
  },
  ...{ quote_id: '', delivery_id: '', ended_delivery_id: '', disputed_delivery_id: '' },
  ...{ requested_delivery_id: '', failed_delivery_id: '', event_id: '', webhook_endpoint_id: '' },
  ...{ store_id: '', driver_id: '', other_driver_id: '', key_id: '', failed_task_id: '' },
  ...{ other_failed_task_id: '', token: '', driver_token: '', picture_token: '' },
};

/** The ids of a mode's records, each in the state that its operations need. */
export type Ids = typeof noIds;

/** Writes that a tracking link permits to everyone who has it. */
export const permittedByLink: readonly string[] = ['UpdateTracking', 'SendTaps', 'SubscribeDriver'];

/** What a request of an operation is made of. */
export interface Parts {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
}

export function requestOf(operation: Operation, { params, query, body }: Parts): WireRequest {
  const input = { params: params ?? {}, query: query ?? {}, body };
  return operationRequest(operation, input, {
    apiKey: null,
    userAgent: 'test',
    newIdempotencyKey: () => '',
  });
}

const { pickup_address = '', dropoff_address } = orderRequest();

const courier = { name: 'doordash-drive' };

/** Valid parts for each operation. */
export const validParts: Record<string, (ids: Ids) => Parts> = {
  GetAccount: () => ({}),
  UpdateAccount: () => ({
    body: {
      upsell: { kind: 'percent', value: 50 },
      subsidy: { kind: 'fixed', value: 7 },
      tip_limit: 1,
      public_url: 'https://attacker.example',
    },
  }),
  CreateApiKey: () => ({ body: { permission: 'admin' } }),
  ListApiKeys: () => ({}),
  RevokeApiKey: ({ key_id }) => ({ params: { key_id } }),
  ListAuditEntries: () => ({}),
  CreateOrders: () => ({
    body: { orders: [orderRequest(), orderRequest()], settings: { mechanism: 'auto' } },
  }),
  CreateOrder: () => ({ body: orderRequest() }),
  CreateManyOrders: () => ({ body: { orders: [orderRequest(), orderRequest()] } }),
  ListOrders: () => ({}),
  GetOrder: ({ batch_order_id }) => ({ params: { order_id: batch_order_id }, query: { expand: 'delivery' } }),
  UpdateOrder: ({ spare_order_id }) => ({
    params: { order_id: spare_order_id },
    body: { dropoff_at: new Date(start + 86_400_000).toISOString() },
  }),
  CancelOrder: ({ batch_order_id }) => ({ params: { order_id: batch_order_id } }),
  DeleteOrder: ({ spare_order_id }) => ({ params: { order_id: spare_order_id } }),
  FindPlaces: () => ({ body: { addresses: [dropoff_address] } }),
  ListBatches: () => ({}),
  GetBatch: ({ batch_id }) => ({ params: { batch_id } }),
  CancelBatch: ({ batch_id }) => ({ params: { batch_id } }),
  ListTries: ({ batch_order_id }) => ({ params: { order_id: batch_order_id } }),
  ListWaitingOrders: () => ({}),
  CreateRoute: ({ open_order_id }) => ({ body: { order_ids: [open_order_id] } }),
  ListRoutes: () => ({}),
  GetRoute: ({ quoted_route_id }) => ({ params: { route_id: quoted_route_id } }),
  DeleteRoute: ({ draft_route_id }) => ({ params: { route_id: draft_route_id } }),
  GetRouteQuotes: ({ draft_route_id }) => ({ params: { route_id: draft_route_id } }),
  ListRouteQuotes: ({ quoted_route_id }) => ({ params: { route_id: quoted_route_id } }),
  DispatchRoute: ({ quoted_route_id, quote_id }) => ({
    params: { route_id: quoted_route_id },
    body: { quote_id },
  }),
  QuoteDelivery: () => ({ body: { pickup_address, dropoff_address } }),
  CreateDeliveryInformation: () => ({ body: { ...orderRequest(), initiate: true } }),
  ListDeliveries: () => ({}),
  GetDelivery: ({ delivery_id }) => ({ params: { deliveryid: delivery_id } }),
  ListDetailedDeliveries: () => ({}),
  GetDetailedDelivery: ({ delivery_id }) => ({ params: { deliveryid: delivery_id } }),
  InitiateDelivery: ({ requested_delivery_id }) => ({ params: { deliveryid: requested_delivery_id } }),
  EditDelivery: ({ delivery_id }) => ({
    params: { deliveryid: delivery_id },
    body: { dropoff_notes: 'leave it with the intruder' },
  }),
  CancelDelivery: ({ delivery_id }) => ({ params: { deliveryid: delivery_id }, body: { reason: 'none' } }),
  GetCancellation: ({ delivery_id }) => ({ params: { deliveryid: delivery_id } }),
  GetRetryTerms: ({ failed_delivery_id }) => ({ params: { deliveryid: failed_delivery_id } }),
  RetryDelivery: ({ failed_delivery_id }) => ({ params: { deliveryid: failed_delivery_id } }),
  DisputeDelivery: ({ ended_delivery_id }) => ({
    params: { deliveryid: ended_delivery_id },
    body: { reason: 'it was cold' },
  }),
  CreateDeliveryNote: ({ delivery_id }) => ({
    params: { deliveryid: delivery_id },
    body: { text: 'Read by the intruder' },
  }),
  ListDeliveryNotes: ({ delivery_id }) => ({ params: { deliveryid: delivery_id } }),
  UnlockDelivery: ({ delivery_id }) => ({ params: { deliveryid: delivery_id } }),
  ReportDelivery: ({ delivery_id }) => ({
    params: { deliveryid: delivery_id },
    body: { status: 'enroute_pickup', note: 'Said by the intruder' },
  }),
  ListDisputes: () => ({}),
  GetDispute: ({ disputed_delivery_id }) => ({ params: { deliveryid: disputed_delivery_id } }),
  ResolveDispute: ({ disputed_delivery_id }) => ({
    params: { deliveryid: disputed_delivery_id },
    body: { outcome: 'refunded' },
  }),
  ListCharges: () => ({}),
  GetReport: () => ({ query: { created_after: '2026-03-01T00:00:00Z' } }),
  ListNotes: () => ({}),
  ListEvents: () => ({}),
  StreamEvents: () => ({}),
  GetEvent: ({ event_id }) => ({ params: { event_id } }),
  ResendEvent: ({ event_id }) => ({ params: { event_id } }),
  CreateWebhookEndpoint: () => ({ body: { url: 'https://hooks.example/new' } }),
  ListWebhookEndpoints: () => ({}),
  GetWebhookEndpoint: ({ webhook_endpoint_id }) => ({ params: { webhook_endpoint_id } }),
  UpdateWebhookEndpoint: ({ webhook_endpoint_id }) => ({
    params: { webhook_endpoint_id },
    body: { description: 'changed' },
  }),
  DeleteWebhookEndpoint: ({ webhook_endpoint_id }) => ({ params: { webhook_endpoint_id } }),
  RotateWebhookSecret: ({ webhook_endpoint_id }) => ({ params: { webhook_endpoint_id } }),
  TestWebhookEndpoint: ({ webhook_endpoint_id }) => ({ params: { webhook_endpoint_id } }),
  ListWebhookAttempts: ({ webhook_endpoint_id }) => ({ params: { webhook_endpoint_id } }),
  CreateStore: () => ({
    body: { name: 'Other', address: pickup_address, phone_number: '+13125550100' },
  }),
  ListStores: () => ({}),
  GetStore: ({ store_id }) => ({ params: { store_id } }),
  UpdateStore: ({ store_id }) => ({ params: { store_id }, body: { name: 'Renamed' } }),
  DeleteStore: ({ store_id }) => ({ params: { store_id } }),
  ListCouriers: () => ({}),
  ConnectCourier: () => ({ params: courier, body: { settings: {} } }),
  CheckCourier: () => ({ params: courier }),
  EnableCourier: () => ({ params: courier }),
  DisableCourier: () => ({ params: courier }),
  RemoveCourier: () => ({ params: courier }),
  CreateDriver: () => ({ body: { name: 'Mallory', phone_number: '+13125550100' } }),
  ListDrivers: () => ({}),
  GetDriver: ({ driver_id }) => ({ params: { driver_id } }),
  UpdateDriver: ({ driver_id }) => ({ params: { driver_id }, body: { name: 'Mallory' } }),
  RenewDriverLink: ({ driver_id }) => ({ params: { driver_id } }),
  DeleteDriver: ({ other_driver_id: driver_id }) => ({ params: { driver_id } }),
  AssignDelivery: ({ driver_id, delivery_id }) => ({ params: { driver_id }, body: { delivery_id } }),
  ShowDriverPage: ({ driver_token: token }) => ({ params: { token } }),
  SendTaps: ({ driver_token: token }) => ({
    params: { token },
    body: { sent_at: '2026-03-02T12:00:00.000Z', taps: [] },
  }),
  SubscribeDriver: ({ driver_token: token }) => ({ params: { token }, body: {} }),
  ShowDriverManifest: ({ driver_token: token }) => ({ params: { token } }),
  ShowDriverWorker: () => ({}),
  ShowProofPicture: ({ picture_token: token }) => ({ params: { token } }),
  ShowBoard: () => ({}),
  GetClock: () => ({}),
  SetClock: () => ({ body: { mode: 'scaled', rate: 10 } }),
  AdvanceClock: () => ({ body: { by: 7200 } }),
  ListScenarios: () => ({}),
  GetSandboxSettings: () => ({}),
  UpdateSandboxSettings: () => ({ body: { default_scenario: 'payment_declined' } }),
  ListSteps: ({ delivery_id }) => ({ params: { delivery_id } }),
  TakeStep: ({ delivery_id }) => ({ params: { delivery_id }, body: { status: 'arrived_at_pickup' } }),
  GetSandboxProvider: () => ({ params: { name: 'swiftly' } }),
  UpdateSandboxProvider: () => ({ params: { name: 'swiftly' }, body: { state: 'down' } }),
  ResetSandbox: () => ({ body: { seed: 'intruder' } }),
  ListFailedTasks: () => ({}),
  RetryFailedTask: ({ failed_task_id }) => ({ params: { failed_task_id } }),
  DismissFailedTask: ({ other_failed_task_id: failed_task_id }) => ({ params: { failed_task_id } }),
  ShowTracking: ({ token }) => ({ params: { token } }),
  UpdateTracking: ({ token }) => ({ params: { token }, body: { dropoff_notes: 'Ring twice' } }),
  ShowMapScript: () => ({}),
  ShowMapStyle: () => ({}),
  GetDescription: () => ({}),
  GetLiveness: () => ({}),
  GetHealth: () => ({}),
};

/** Operations after which others would fail: they run last, in this order. */
const last = [
  ...[
    'CancelOrder',
    'DeleteOrder',
    'CancelBatch',
    'DeleteRoute',
    'CancelDelivery',
    'RevokeApiKey',
    'DeleteStore',
  ],
  ...['DeleteWebhookEndpoint', 'UpdateAccount', 'UpdateSandboxSettings', 'UpdateSandboxProvider'],
  ...['SetClock', 'AdvanceClock', 'ResetSandbox'],
];

/** All operations in an order in which each of them succeeds. */
export const inOrder = [...Object.keys(validParts).filter((each) => !last.includes(each)), ...last];
