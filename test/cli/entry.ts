/** The command line as a process of its own, from the same build as the tests. */
import { main } from '../../src/cli/program.ts';

await main();
