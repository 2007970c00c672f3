/** The introduction of the description, in Markdown. */
export const introduction = `
Last-mile deliveries from several courier companies: create an order, group orders into a route, request quotes, and
dispatch the route with one of them; or let auto dispatch do it.

## Versions

Paths under \`/v2\` are the interface of orders, routes and quotes (alpha); paths under \`/v1\` are single deliveries,
whose record does not change anymore. Within a version, fields, operations, and values of lists such as statuses, event
types and error codes may be added: a client must not fail with those it does not know. What goes away is announced by
the headers \`Deprecation\` and \`Sunset\`.

## Keys and modes

Every call carries an API key in the header \`x-api-key\`. A key belongs to an account and to one mode. With a test key,
no courier comes and nothing is paid. What one mode made does not exist for the other. \`GET /v2/account\` tells the mode
and the permission of a key: \`read\`, \`write\` or \`admin\`. A key that lacks the permission is refused with 401, as an
unknown one is: do not throw a key away for a single 401. A route that was made in the other mode is refused with 403.

## Two flows

Manual: \`POST /v2/orders\` (or \`/orders/create\`), \`POST /v2/routes\`, \`POST /v2/routes/{route_id}/quotes\`,
\`GET\` the same until \`status\` is \`COMPLETE\` (wait two seconds, then twice as long each time), and
\`POST /v2/routes/{route_id}/dispatch\` with a quote. Auto: \`POST /orders/create\` with \`settings.mechanism\` \`auto\`
takes 1 to 300 orders, answers 202 with a batch, and tells the outcome by events. Version 1 stores a delivery, and
initiates it later or at once.

## Conventions

- Bodies are JSON in UTF-8. Unknown fields of a request are refused by name. In requests, null means that a field is not
  given, unless its description says otherwise; where no field is required, an empty body, \`null\`, \`""\` and \`[]\` are
  no body.
- Amounts are integers in US cents. Times are ISO 8601; those of answers are UTC with milliseconds.
- IDs are opaque. Match events by \`external_order_ref\` or by the order's ID: an event may arrive before the answer of
  the request that caused it.
- Lists are pages, newest first: \`has_more\`, and \`next_cursor\` for the parameter \`cursor\`. Filters by time include
  their beginning. To follow changes of any record, read \`GET /v2/events?since=\`: nothing is left out.
- The header \`x-remarks\` of an answer, an array of texts in JSON, says what was left out of the addresses of its
  request, filled in or may be wrong, each behind its path. \`POST /v2/places\` says it without creating anything. That
  of \`POST /v1/quote\` also says which providers do not quote, and why, behind \`service\`.
- The header \`x-service-time\` is the time of the service, which a sandbox may move: compute ages and time left from it.

## Errors

Every error has a \`code\`, which is for programs, a \`message\` for people, and a \`request_id\`. An invalid request has
\`details\` with the path of each fault. 409 says that the state of a record forbids it.

## Repeats

Send an \`Idempotency-Key\` with each POST: a repeat with the same key within 24 hours gets the first answer, and has no
further effect. Requests over 20 a second are refused with 429 on hosted services: wait as \`Retry-After\` says. Every
answer, errors too, says what is left in \`RateLimit\` and \`RateLimit-Policy\`.

## Events

Every change is an event. Events are sent to webhook endpoints, signed as Standard Webhooks describes, at least once;
those of a delivery have a \`sequence\` and arrive in order. \`GET /v2/events/stream\` sends them as they happen.
`.trim();
