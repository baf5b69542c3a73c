/** What a repeated purchase is answered, what an order is afterwards, and which refusal comes first. */
import { idempotency } from './idempotency.cases.ts';
import { order } from './order.cases.ts';
import { precedence } from './precedence.cases.ts';
import { routes } from './routes.cases.ts';
import { onEachTransport } from './scene.ts';

onEachTransport([idempotency, order, precedence, routes]);
