/** The client for Python: the table of cases. */
import { join } from 'node:path';
import { DRIVERS, DriverProcess, PYTHON } from './driver-process.ts';
import { tableOf } from './table-of.ts';

tableOf(PYTHON, () => new DriverProcess('python3', ['-B', join(DRIVERS, 'driver.py')]));
