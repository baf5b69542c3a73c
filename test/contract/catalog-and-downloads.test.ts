/** What buyers read: the catalog, the page of the document, and the files that they bought. */
import { catalog } from './catalog.cases.ts';
import { docsPage } from './docs-page.cases.ts';
import { downloads } from './download.cases.ts';
import { onEachTransport } from './scene.ts';

onEachTransport([catalog, docsPage, downloads]);
