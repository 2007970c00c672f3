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
