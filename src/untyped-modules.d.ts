/** Types for modules that have none. */

// The package undici exports these by path, but types only its main entry, which costs 36 ms more at every start (the
// least of 40 alternating runs of `orders list` by HTTP).

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export default Pool;
}

declare module 'undici/lib/dispatcher/proxy-agent.js' {
  import { type Dispatcher, ProxyAgent } from 'undici';

  interface Options extends Omit<ProxyAgent.Options, 'clientFactory'> {
    /** The connections to the proxy itself. */
    clientFactory(origin: URL, options: object): Dispatcher;
  }

  export default class ProxyDispatcher extends Dispatcher {
    constructor(options: Options);
  }
}

declare module 'undici/lib/api/api-connect.js' {
  import type { Dispatcher } from 'undici';
  export default function connect(
    this: Dispatcher,
    options: Dispatcher.ConnectOptions,
  ): Promise<Dispatcher.ConnectData>;
}

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

/** The text of a file, such as a script or a style for a browser. The build puts it into the program, and Vitest reads it. */
declare module '*?raw' {
  const text: string;
  export default text;
}

/** The part of WebAssembly that runs jq: Node provides it, its types do not. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: { a: Record<string, SystemCall> });
    /** Named by the linker. */
    readonly exports: { readonly E: { readonly buffer: ArrayBuffer } };
  }
  /** A system call with memory addresses as arguments; returns an error number. */
  type SystemCall = (...addresses: number[]) => number;
}

/** The part of jq-wasm that runs jq, at this path of the package, without types. */
declare module 'jq-wasm/dist/build/jq.js' {
  interface Options {
    /** The program's own name. */
    thisProgram: string;
    /** Provides a compiled instance. */
    instantiateWasm(
      imports: { a: Record<string, WebAssembly.SystemCall> },
      done: (instance: WebAssembly.Instance) => unknown,
    ): unknown;
  }

  interface Program {
    /** Runs the program once; returns its exit status. */
    callMain(words: string[]): number;
  }

  export default function start(options: Options): Promise<Program>;
}
