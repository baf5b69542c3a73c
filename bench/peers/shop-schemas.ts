/** Schemas of each route's request and answers: Fastify compiles a validator and a serializer of each. */
const text = { type: 'string' } as const;
const number = { type: 'number' } as const;
const whole = { type: 'integer' } as const;
const amount = { type: 'number', minimum: 0 } as const;
const object = (properties: Readonly<Record<string, object>>, required: readonly string[] = []) =>
  ({ type: 'object', properties, required }) as const;

const envelope = { success: { type: 'boolean' }, requestId: text } as const;
const params = object({ id: whole }, ['id']);

/** The schema of every answer that isn't one of the successes below. */
const failure = object({
  success: { type: 'boolean' },
  error: text,
  message: text,
  currentPriceUsdt: number,
  requestId: text,
});
const answers = (status: number, fields: Readonly<Record<string, object>>) => ({
  [status]: object(fields),
  '4xx': failure,
  '5xx': failure,
});

const orderFields = {
  success: { type: 'boolean' },
  orderId: whole,
  status: text,
  productId: whole,
  quantity: whole,
  totalPriceUsdt: number,
  createdAt: whole,
} as const;
const orderEnd = { requestId: text, delivery: object({ items: { type: 'array', items: text } }) } as const;

export const health = { response: answers(200, { ...envelope, service: text, status: text }) };
export const balance = { response: answers(200, { ...envelope, balanceUsdt: number }) };
export const order = { params, response: answers(200, { ...orderFields, ...orderEnd }) };
export const purchase = {
  body: object({ productId: whole, quantity: { ...whole, default: 1 }, expectedPriceUsdt: amount }, [
    'productId',
    'expectedPriceUsdt',
  ]),
  response: answers(201, { ...orderFields, balanceAfterUsdt: number, ...orderEnd }),
};

export const ofId = { params };
export const account = { body: object({ name: text }, ['name']) };
export const credit = {
  params,
  body: object({ amountUsdt: amount, reference: text }, ['amountUsdt', 'reference']),
};
export const product = {
  body: object(
    {
      name: text,
      description: { ...text, default: '' },
      instructions: { ...text, default: '' },
      type: { ...text, default: 'standard' },
      priceUsdt: amount,
    },
    ['name', 'priceUsdt'],
  ),
};
