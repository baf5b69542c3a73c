/** What lines of the feed there are, by what they tell of. A test holds it against those that the node knows. */
export const FEED_TYPES: readonly (readonly [group: string, types: readonly string[]])[] = [
  [
    'Orders',
    [
      ...['OrderPlaced', 'OrderOpened', 'OrderPaid', 'OrderDelivered', 'OrderFailed', 'OrderCancelled'],
      ...['OrderRefunded', 'OrderItemsReplaced', 'PurchaseRefused', 'ItemTextsShown'],
    ],
  ],
  [
    'Accounts',
    [
      ...['AccountCreated', 'AccountUpdated', 'WalletCredited', 'KeyIssued', 'KeyRevoked', 'KeyDeactivated'],
      ...['KeyActivated', 'WebhookSet', 'WebhookRemoved', 'WebhookResealed'],
    ],
  ],
  [
    'Products and stock',
    [
      ...[
        'ProductCreated',
        'ProductUpdated',
        'ProductFileSet',
        'StockAdded',
        'StockWithdrawn',
        'LotRecalled',
      ],
      ...['ItemsSearched'],
    ],
  ],
  [
    'Suppliers',
    [
      ...['SupplierCreated', 'SupplierUpdated', 'SupplierResealed', 'SupplierStockChanged', 'HoldPlaced'],
      ...['HoldCaptured', 'HoldReleased', 'SupplierPurchaseReconciled'],
    ],
  ],
  ['Operators', ['OperatorCreated', 'OperatorTokenIssued', 'OperatorRevoked', 'OperatorActed']],
  [
    'The node',
    [
      ...[
        'EventGroupClosed',
        'BaselineSet',
        'EpochBegun',
        'OrderRecovered',
        'OrderAmended',
        'DebitSettled',
        'ItemsQuarantined',
      ],
      ...['QuarantineEnded', 'SalesOpened'],
    ],
  ],
];
