/**
 * Why a webhook's destination is refused, and the text of the 400 that says so (SPEC.md §4, POST /webhook).
 * No text names the addresses that were found: a buyer must not learn what a private name resolves to.
 */
export const DESTINATION_REFUSALS = {
  'not-https': 'An HTTPS URL is required: url must begin with https://.',
  'invalid-url': 'Invalid URL destination: url is not a valid URL of up to 2,048 characters.',
  credentials: 'Invalid URL destination: url must not contain a user or password.',
  'address-form': 'Invalid URL destination: an IP address must be IPv4, written as four decimal numbers.',
  'trailing-dot': 'Invalid URL destination: the host must not end with a dot.',
  port: 'Disallowed port: url may use port 443 or 8443 only.',
  'not-public': 'Invalid URL destination: the host must be public, not localhost or a private network.',
  unresolvable: 'The host of url does not resolve.',
  'lookup-failed': 'The host of url does not resolve: its name servers fail.',
  'lookup-timeout': 'The host of url does not resolve: its name servers did not answer in time.',
  'lookup-busy': 'The host of url could not be resolved just now; try again in a few seconds.',
} as const;

export type DestinationRefusal = keyof typeof DESTINATION_REFUSALS;
