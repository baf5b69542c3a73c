/**
 * Metrics of webhooks, as the outbox reports them: some count since the start and others for ever, which each says of
 * itself.
 */
import type { OutboxReport } from '../../webhooks/outbox/thread/outbox-messages.ts';
import { type HistogramRow, type MetricRow, MS_IN_SECONDS, samplesBy } from './metric-row.ts';

export function webhookMetrics(webhooks: OutboxReport, eventsWaited: number): MetricRow[] {
  const { figures, delivered, discarded, cancelled, pending, underWay, position } = webhooks;
  return [
    [
      'purser_webhook_attempts_total',
      'Attempts to deliver an event since the start, by outcome.',
      samplesBy('outcome', figures.attempts),
    ],
    ['purser_webhook_events_total', 'Events derived from facts since the start.', figures.derived],
    ['purser_webhook_delivered_total', 'Events delivered, ever.', delivered],
    ['purser_webhook_discarded_total', 'Events discarded after their last attempt, ever.', discarded],
    ['purser_webhook_cancelled_total', 'Events cancelled with their webhook, ever.', cancelled],
    ['purser_webhook_pending', 'Events that wait for their first attempt or for another one.', pending],
    ['purser_webhook_attempts_under_way', 'Attempts under way.', underWay],
    [
      'purser_webhook_receivers_failing',
      'Accounts with a webhook whose latest attempt failed.',
      webhooks.failingReceivers,
    ],
    ['purser_webhook_position', 'Sequence number of the last fact from which events were derived.', position],
    ['purser_event_requests_waiting', 'Requests of buyers that wait for an event.', eventsWaited],
  ];
}

export function webhookHistograms({
  figures: { attemptDuration, deliveryDelay },
}: OutboxReport): HistogramRow[] {
  return [
    [
      'purser_webhook_attempt_duration_seconds',
      'How long attempts took, look-up and connecting included.',
      MS_IN_SECONDS,
      attemptDuration,
    ],
    [
      'purser_webhook_delivery_delay_seconds',
      'Time from the fact to the delivery of its event, without replays.',
      MS_IN_SECONDS,
      deliveryDelay,
    ],
  ];
}
