/** The client for PHP: the table of cases. */
import { join } from 'node:path';
import { DRIVERS, DriverProcess, PHP } from './driver-process.ts';
import { tableOf } from './table-of.ts';

tableOf(PHP, () => new DriverProcess('php', ['-d', 'display_errors=stderr', join(DRIVERS, 'driver.php')]));
