/** Who may call what, products that are delivered by hand, and the client that buyers have. */
import { authentication } from './authentication.cases.ts';
import { client } from './client.cases.ts';
import { manualProduct } from './manual-product.cases.ts';
import { onEachTransport } from './scene.ts';

// Authentication is last, for it uses up the invalid keys that a server takes.
onEachTransport([client, manualProduct, authentication], { flags: ['--webhook-allow', '127.0.0.0/8'] });
