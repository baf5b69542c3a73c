/** Who may call what, products that are delivered by hand or by a silent supplier, and the client that buyers have. */
import { authentication } from './authentication.cases.ts';
import { client } from './client.cases.ts';
import { manualProduct } from './manual-product.cases.ts';
import { onEachTransport } from './scene.ts';
import { silentSupplier } from './silent-supplier.cases.ts';

// Authentication is last, for it uses up the invalid keys that a server takes.
onEachTransport([client, manualProduct, silentSupplier, authentication], {
  flags: ['--webhook-allow', '127.0.0.0/8', '--supplier-timeout', '1s', '--supplier-poll', '50ms'],
});
