/**
 * The bill of materials of a release, as CycloneDX: `npm sbom` knows every package of the lock file with its licence
 * and hash, but not which of them are inside, for the program is bundled. Packages that are not inside are taken out of
 * its document, and Node is put in.
 *
 * Always the same for one release: nothing random is in it, and its time is that of the release.
 */
import { createHash } from 'node:crypto';

const DEVELOPMENT = 'cdx:npm:package:development';

/** `document` is what `npm sbom` says of the lock file, `date` as `2026-11-27`. */
export function sbomOf({ document, packages, node, version, date }) {
  const byRef = new Map(document.components.map((component) => [component['bom-ref'], component]));
  const refs = [...new Set(packages.map((each) => `${each.name}@${each.version}`))].sort();
  const missing = refs.filter((ref) => !byRef.has(ref));
  if (missing.length > 0)
    throw new Error(`the lock file does not have what is inside: ${missing.join(', ')}`);
  const { component: root, ...metadata } = document.metadata;
  const own = { ...root, 'bom-ref': `purser@${version}`, type: 'application', name: 'purser', version };
  const runtime = nodeComponent(node);
  const content = {
    ...document,
    serialNumber: undefined,
    metadata: { ...metadata, timestamp: `${date}T00:00:00.000Z`, component: own },
    components: [...refs.map((ref) => asInside(byRef.get(ref))), runtime],
    dependencies: [
      { ref: own['bom-ref'], dependsOn: [...refs, runtime['bom-ref']] },
      ...refs.map((ref) => ({
        ref,
        dependsOn: dependsOn(document, ref).filter((other) => refs.includes(other)),
      })),
      { ref: runtime['bom-ref'], dependsOn: [] },
    ],
  };
  return { ...content, serialNumber: serialNumber(JSON.stringify(content)) };
}

/** For the checkout it is a package of development; here it is a part. */
function asInside({ properties = [], ...component }) {
  return {
    ...component,
    scope: 'required',
    properties: properties.filter(({ name }) => name !== DEVELOPMENT),
  };
}

function dependsOn({ dependencies }, ref) {
  return dependencies.find((each) => each.ref === ref)?.dependsOn ?? [];
}

function nodeComponent(version) {
  return {
    'bom-ref': `node@${version}`,
    type: 'platform',
    name: 'node',
    version,
    scope: 'required',
    licenses: [{ license: { id: 'MIT' } }],
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/node@${version}`,
  };
}

/** A UUID of what the document says. */
function serialNumber(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex[16], 16) & 3) | 8).toString(16);
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
