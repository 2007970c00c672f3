/** What of WebAssembly runs jq: this Node knows it, its types do not. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: { a: Record<string, SystemCall> });
    /** Named by the linker. */
    readonly exports: { readonly E: { readonly buffer: ArrayBuffer } };
  }
  /** A function of the system, of addresses in memory; it gives an error number. */
  type SystemCall = (...addresses: number[]) => number;
}

/** The part of jq-wasm that runs jq: the package has it at this path, but types nothing of it. */
declare module 'jq-wasm/dist/build/jq.js' {
  interface Options {
    /** Stands for the program's own name. */
    thisProgram: string;
    /** Gives the instance, instead of one that is compiled anew. */
    instantiateWasm(
      imports: { a: Record<string, WebAssembly.SystemCall> },
      done: (instance: WebAssembly.Instance) => unknown,
    ): unknown;
  }

  interface Program {
    /** Runs the program once; gives its exit status. */
    callMain(words: string[]): number;
  }

  export default function start(options: Options): Promise<Program>;
}
