/** The API's words for products, with their meaning for people. */
export const PRODUCT_TYPES = [
  ['standard', 'standard: one item of stock each'],
  ['file', 'file: everybody gets the same file'],
  ['manual', 'manual: delivered by hand'],
] as const;

export const VISIBILITIES = [
  ['all', 'all accounts'],
  ['listed', 'chosen accounts'],
] as const;
