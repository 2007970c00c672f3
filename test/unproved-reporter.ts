import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/**
 * Prints at the end which tests were skipped, as a tool that they need is not installed, and so what the run has not proved.
 * With `WAYBILL_TEST_REQUIRE=all` such a run fails. Tests left out by `-t` are not meant.
 */
export class UnprovedReporter implements Reporter {
  #isFiltered = false;

  onInit({ config }: Vitest): void {
    this.#isFiltered = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#isFiltered) return;
    const lines = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => {
        const result = test.result();
        const why = result.state === 'skipped' && result.note !== undefined ? `: ${result.note}` : '';
        return `  ${relative(process.cwd(), module.moduleId)}: ${test.fullName}${why}`;
      }),
    );
    if (lines.length === 0) return;
    process.stdout.write(`\nNot proved here, as these tests were skipped:\n${lines.join('\n')}\n`);
    if (process.env.WAYBILL_TEST_REQUIRE === 'all') process.exitCode = 1;
  }
}
