/** The operator API: what its calls have in common, and what each of them does. */
import { onEachTransport } from '../scene.ts';
import { accounts } from './accounts.cases.ts';
import { bodies } from './bodies.cases.ts';
import { files } from './files.cases.ts';
import { operator } from './operator.cases.ts';
import { orders } from './orders.cases.ts';
import { products } from './products.cases.ts';
import { stock } from './stock.cases.ts';

onEachTransport([operator, orders], { onOneTransport: [accounts, bodies, files, products, stock] });
