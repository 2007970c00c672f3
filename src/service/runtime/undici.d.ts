/** Types for the part of undici that sends: the package exports it by path, but types only its main entry. */
declare module 'undici/lib/dispatcher/agent.js' {
  import type { Duplex } from 'node:stream';
  import { type Agent, Dispatcher } from 'undici';

  interface Options extends Omit<Agent.Options, 'connect'> {
    /** Any duplex stream can be a connection. */
    connect?: (
      to: { hostname: string; port: string; protocol: string },
      connected: (...outcome: [fault: null, connection: Duplex] | [fault: Error, connection: null]) => void,
    ) => void;
  }

  export default class ConnectingAgent extends Dispatcher {
    constructor(options: Options);
  }
}
